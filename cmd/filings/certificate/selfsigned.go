package certificate

import (
	"crypto"
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
	Life  = 365 * 24 * time.Hour
	Renew = 30 * 24 * time.Hour
)

// prepare makes the self-signed pair, with its folder, unless there is one that does not end soon after now. The key
// comes first and stays; its certificate follows. So each step is one file, and a process that is killed between two of them
// leaves what the next start completes.
func (f Files) prepare(now time.Time) error {
	if err := os.MkdirAll(filepath.Dir(f.Cert), 0o700); err != nil {
		return fmt.Errorf("FILINGS_DATA_DIR: %w", err)
	}
	key, err := f.privateKey()
	if err != nil {
		return err
	}
	cert, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err == nil && now.Add(Renew).Before(cert.Leaf.NotAfter) {
		return nil
	}
	text, createErr := selfSigned(key, now)
	if createErr != nil {
		return createErr
	}
	return writeWhole(f.Cert, text, publisher(err))
}

// privateKey reads the private key from f.Key. If that fails, it creates a new key there.
func (f Files) privateKey() (crypto.Signer, error) {
	key, err := readKey(f.Key)
	if err == nil {
		return key, nil
	}
	made, generateErr := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if generateErr != nil {
		return nil, generateErr
	}
	der, marshalErr := x509.MarshalPKCS8PrivateKey(made)
	if marshalErr != nil {
		return nil, marshalErr
	}
	if err := writeWhole(f.Key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), publisher(err)); err != nil {
		return nil, err
	}
	return readKey(f.Key) // of several processes that found none at once, one has made it
}

func readKey(file string) (crypto.Signer, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s is no PEM file", file)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("%s holds no key that signs", file)
	}
	return signer, nil
}

// selfSigned returns a new certificate for this machine, as PEM.
func selfSigned(key crypto.Signer, now time.Time) ([]byte, error) {
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
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}

// publisher gives a new file its name: where reading found no file, the first of several processes wins.
func publisher(read error) func(from, to string) error {
	if errors.Is(read, fs.ErrNotExist) {
		return os.Link
	}
	return os.Rename
}

// writeWhole writes a file that only its owner may read, and that appears whole or not at all: publish gives it its name,
// os.Rename in any case, os.Link unless there is a file of that name.
func writeWhole(file string, text []byte, publish func(from, to string) error) error {
	temporary, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*") // mode 0600
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
