package main

import (
	"crypto/tls"
	"fmt"
	"path/filepath"
	"time"

	"filings/cmd/filings/settings"
	"filings/service/edge"
)

// certificate loads the certificate that the settings name, or the self-signed one of the data folder. trust is the file
// that a client has to trust, "" for a certificate from the settings.
func certificate(s settings.Settings, now time.Time) (cert tls.Certificate, trust string, err error) {
	if s.TLSCertFile == "" {
		trust = filepath.Join(s.DataDir, "tls.pem")
		cert, err = edge.Certificate(trust, now)
		return cert, trust, err
	}
	if cert, err = tls.LoadX509KeyPair(s.TLSCertFile, s.TLSKeyFile); err != nil {
		err = usageError{fmt.Errorf("FILINGS_TLS_CERT_FILE and FILINGS_TLS_KEY_FILE: %w", err)}
	}
	return cert, "", err
}
