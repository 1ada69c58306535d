package main

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
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"filings/cmd/filings/settings"
)

// A self-signed certificate is made anew when less than a month of its year is left.
const (
	certificateLife  = 365 * 24 * time.Hour
	certificateRenew = 30 * 24 * time.Hour
)

// certificate loads the certificate that the settings name, or the self-signed one of the data folder, which it makes
// first where there is none. trust is the file that a client has to trust, "" for a certificate from the settings.
func certificate(s settings.Settings, now time.Time) (cert tls.Certificate, trust string, err error) {
	if s.TLSCertFile != "" {
		cert, err = tls.LoadX509KeyPair(s.TLSCertFile, s.TLSKeyFile)
		if err != nil {
			err = usageError{fmt.Errorf("FILINGS_TLS_CERT_FILE and FILINGS_TLS_KEY_FILE: %w", err)}
		}
		return cert, "", err
	}
	file := filepath.Join(s.DataDir, "tls.pem")
	if cert, err = tls.LoadX509KeyPair(file, file); err == nil && now.Add(certificateRenew).Before(cert.Leaf.NotAfter) {
		return cert, file, nil
	}
	publish := os.Rename
	if errors.Is(err, fs.ErrNotExist) {
		publish = os.Link // of several processes that find none at once, one makes it
	}
	if err = makeCertificate(file, now, publish); err != nil {
		return cert, "", fmt.Errorf("make a self-signed certificate: %w", err)
	}
	cert, err = tls.LoadX509KeyPair(file, file)
	return cert, file, err
}

// makeCertificate writes key and certificate into one file, which appears whole or not at all: publish gives it its name,
// os.Rename in any case, os.Link unless there is one of the name.
func makeCertificate(file string, now time.Time, publish func(from, to string) error) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: "filings (self-signed)"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(certificateLife),
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
		return err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	text = append(text, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})...)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return writeWhole(file, text, publish)
}

// writeWhole writes a file, readable by its owner only, and publishes it in one step.
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
