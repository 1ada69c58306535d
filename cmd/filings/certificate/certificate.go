// Package certificate owns the API's certificate: which two files hold it and its key, the self-signed pair that the
// program makes where the settings name none, and that a running service shows a new pair soon after its files change.
// It opens no sockets, and no text of a file gets into an error or a log record: only its name does.
package certificate

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"filings/cmd/filings/settings"
)

// ErrSetting: the pair that the settings name cannot be used. The error says which file is wrong.
var ErrSetting = errors.New("FILINGS_TLS_CERT_FILE and FILINGS_TLS_KEY_FILE")

// Files are the PEM files of a certificate and its key.
type Files struct {
	Cert, Key  string
	SelfSigned bool // the program's own, in the data folder
}

// FilesOf returns the files that the settings name, or those of the data folder, by absolute paths:
// they are printed for users of any folder.
func FilesOf(s settings.Settings) Files {
	if s.TLSCertFile != "" {
		return Files{Cert: s.TLSCertFile, Key: s.TLSKeyFile}
	}
	folder := s.DataDir
	if absolute, err := filepath.Abs(folder); err == nil {
		folder = absolute
	}
	return Files{Cert: filepath.Join(folder, "cert.pem"), Key: filepath.Join(folder, "key.pem"), SelfSigned: true}
}

// Certificate is a pair as a service shows it. Get and Expires may be called from any goroutine, Watch from one.
type Certificate struct {
	Files
	now     func() time.Time
	shown   atomic.Pointer[tls.Certificate]
	text    pair   // of the one that is shown
	refused string // why the pair that the files hold now is not shown, as it was logged
}

// pair is the text of two files.
type pair struct{ cert, key []byte }

// Open loads the pair that the settings name, or else the self-signed one, which it makes or renews first where needed.
func Open(s settings.Settings, now func() time.Time) (*Certificate, error) {
	c := &Certificate{Files: FilesOf(s), now: now}
	if c.SelfSigned {
		if err := c.prepare(now()); err != nil {
			return nil, fmt.Errorf("make a self-signed certificate: %w", err)
		}
	}
	text, cert, err := c.load()
	if err != nil && !c.SelfSigned {
		err = fmt.Errorf("%w: %w", ErrSetting, err)
	}
	if err != nil {
		return nil, err
	}
	c.text = text
	c.shown.Store(&cert)
	return c, nil
}

// Get is for tls.Config.GetCertificate.
func (c *Certificate) Get(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.shown.Load(), nil }

// Expires is when the certificate that is shown expires.
func (c *Certificate) Expires() time.Time { return c.shown.Load().Leaf.NotAfter }

// Watch reads the files again at each tick and each hangup until ctx ends, and shows a pair that has changed to all who
// connect from then on. One that cannot be used is logged, and changes nothing. Ticks say so once for each reason, and
// nothing where all is as before; an operator sends a hangup, and gets a line in any case.
func (c *Certificate) Watch(ctx context.Context, ticks <-chan time.Time, hangup <-chan os.Signal, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
			c.reload(log, false)
		case <-hangup:
			c.reload(log, true)
		}
	}
}

func (c *Certificate) reload(log *slog.Logger, always bool) {
	text, cert, err := c.load()
	if err == nil && bytes.Equal(text.cert, c.text.cert) && bytes.Equal(text.key, c.text.key) {
		c.refused = ""
		if always {
			log.Info("the certificate has not changed", "file", c.Cert, "expires", c.Expires())
		}
		return
	}
	if now := c.now(); err == nil && (now.Before(cert.Leaf.NotBefore) || now.After(cert.Leaf.NotAfter)) {
		err = fmt.Errorf("%s is valid from %s to %s only", c.Cert, cert.Leaf.NotBefore.Format(time.DateTime),
			cert.Leaf.NotAfter.Format(time.DateTime))
	}
	if err != nil {
		if always || err.Error() != c.refused {
			log.Warn("the new certificate cannot be used: the old one stays", "error", err, "expires", c.Expires())
		}
		c.refused = err.Error()
		return
	}
	c.text, c.refused = text, ""
	c.shown.Store(&cert)
	log.Info("the certificate was replaced", "file", c.Cert, "expires", c.Expires())
}

// Pair returns the pair that the files hold now.
func (f Files) Pair() (tls.Certificate, error) {
	_, cert, err := f.load()
	return cert, err
}

// regular reads a regular file, or one that a link leads to. Of a pipe nothing may ever come, and it is there once.
func regular(name string) ([]byte, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s must be a regular file", name)
	}
	return os.ReadFile(name)
}

// load reads both files, and makes sure that they belong together.
func (f Files) load() (text pair, cert tls.Certificate, err error) {
	if text.cert, err = regular(f.Cert); err != nil {
		return text, cert, err
	}
	if text.key, err = regular(f.Key); err != nil {
		return text, cert, err
	}
	if cert, err = tls.X509KeyPair(text.cert, text.key); err != nil {
		err = fmt.Errorf("%s with %s: %w", f.Cert, f.Key, err)
	}
	return text, cert, err
}
