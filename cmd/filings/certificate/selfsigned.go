package certificate

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// A self-signed certificate is replaced when less than a month of its year is left.
const (
	Life  = 365 * 24 * time.Hour
	Renew = 30 * 24 * time.Hour
)

// prepare makes the self-signed pair, with its folder, unless there is one that does not end soon
// after now. Of several processes that find none the first makes it, under a lock. One that is killed
// after the first file leaves two that do not belong together: the next start makes both.
func (f Files) prepare(now time.Time) error {
	if err := os.MkdirAll(filepath.Dir(f.Cert), 0o700); err != nil {
		return fmt.Errorf("FILINGS_DATA_DIR: %w", err)
	}
	if f.lasts(now) { // the folder may be one that cannot be written
		return nil
	}
	lock := flock.New(f.Key+".lock", flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Close()
	if f.lasts(now) {
		return nil
	}
	key, cert, err := selfSigned(now)
	if err != nil {
		return err
	}
	if err := writeWhole(f.Key, "PRIVATE KEY", key); err != nil {
		return err
	}
	return writeWhole(f.Cert, "CERTIFICATE", cert)
}

// lasts reports whether there is a pair that does not end soon after now.
func (f Files) lasts(now time.Time) bool {
	cert, err := f.Pair()
	return err == nil && now.Add(Renew).Before(cert.Leaf.NotAfter)
}

// selfSigned returns a new key, and its certificate for this machine, as DER.
func selfSigned(now time.Time) (key, cert []byte, err error) {
	signer, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	if key, err = x509.MarshalPKCS8PrivateKey(signer); err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{ // x509 chooses the serial number
		Subject:               pkix.Name{CommonName: "filings (self-signed)"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(Life),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		DNSNames:              []string{"localhost"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if host, err := os.Hostname(); err == nil && host != "localhost" {
		template.DNSNames = append(template.DNSNames, host)
	}
	cert, err = x509.CreateCertificate(rand.Reader, template, template, signer.Public(), signer)
	return key, cert, err
}

// writeWhole writes a file of PEM that only its owner may read, and that appears whole or not at all.
func writeWhole(file, kind string, der []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name()) // a renamed file is not there any more
	err = pem.Encode(temporary, &pem.Block{Type: kind, Bytes: der})
	if err = errors.Join(err, temporary.Sync(), temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), file)
}
