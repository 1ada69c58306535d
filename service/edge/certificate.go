package edge

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"
)

// A self-signed certificate is replaced when less than a month of its year is left.
const (
	CertificateLife  = 365 * 24 * time.Hour
	CertificateRenew = 30 * 24 * time.Hour
)

// Certificate returns the self-signed certificate in a file, which it makes first, with the file's folder, where there is
// none that can be read, or the one there ends soon after now.
func Certificate(file string, now time.Time) (tls.Certificate, error) {
	cert, err := tls.LoadX509KeyPair(file, file)
	if err == nil && now.Add(CertificateRenew).Before(cert.Leaf.NotAfter) {
		return cert, nil
	}
	publish := os.Rename
	if errors.Is(err, fs.ErrNotExist) {
		publish = os.Link // of several processes that find none at once, one makes it
	}
	text, err := selfSigned(now)
	if err == nil {
		err = writeWhole(file, text, publish)
	}
	if err != nil {
		return cert, fmt.Errorf("make a self-signed certificate: %w", err)
	}
	return tls.LoadX509KeyPair(file, file)
}

// selfSigned returns a new certificate for this machine and its key, as PEM.
func selfSigned(now time.Time) ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{ // x509 chooses the serial number
		Subject:               pkix.Name{CommonName: "filings (self-signed)"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(CertificateLife),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		DNSNames:              []string{"localhost"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if host, err := os.Hostname(); err == nil && host != "localhost" {
		template.DNSNames = append(template.DNSNames, host)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return append(text, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})...), nil
}

// writeWhole writes a file that only its owner may read, and that appears whole or not at all: publish gives it its name,
// os.Rename in any case, os.Link unless there is a file of that name.
func writeWhole(file string, text []byte, publish func(from, to string) error) error {
	folder := filepath.Dir(file)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(folder, filepath.Base(file)+".*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name()) // what was renamed is not there any more
	_, err = temporary.Write(text)
	if err = errors.Join(err, temporary.Sync(), temporary.Close()); err != nil {
		return err
	}
	if err = publish(temporary.Name(), file); errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}
