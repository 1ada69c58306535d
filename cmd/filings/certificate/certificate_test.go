package certificate

import (
	"bytes"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"filings/cmd/filings/settings"
)

var testTime = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

func at(now time.Time) func() time.Time { return func() time.Time { return now } }

// newFolder returns settings with a data folder that does not exist yet.
func newFolder(t *testing.T) settings.Settings {
	t.Helper()
	return settings.Settings{DataDir: filepath.Join(t.TempDir(), "data")}
}

// open returns the certificate of s, and what it shows.
func open(t *testing.T, s settings.Settings, now time.Time) (*Certificate, []byte) {
	t.Helper()
	c, err := Open(s, at(now))
	if err != nil {
		t.Fatal(err)
	}
	return c, c.shows()
}

// shows returns the certificate that a client gets.
func (c *Certificate) shows() []byte {
	cert, _ := c.Get(nil)
	return cert.Certificate[0]
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestT1_OneCertificate: processes that start at once in an empty data folder show one certificate, the one that clients
// must trust.
func TestT1_OneCertificate(t *testing.T) {
	t.Parallel()
	for range 20 {
		s := newFolder(t)
		shown := make([][]byte, 4)
		var starting errgroup.Group
		for i := range shown {
			starting.Go(func() error {
				c, err := Open(s, at(testTime))
				if err == nil {
					shown[i] = c.shows()
				}
				return err
			})
		}
		if err := starting.Wait(); err != nil {
			t.Fatal(err)
		}
		for _, cert := range shown[1:] {
			if !bytes.Equal(cert, shown[0]) {
				t.Fatal("two processes show different certificates")
			}
		}
	}
}

// T1: a self-signed certificate is kept, and made anew before it ends. What clients copy holds no key.
func TestT1_Certificate(t *testing.T) {
	t.Parallel()
	s := newFolder(t)
	c, first := open(t, s, testTime)
	if text := read(t, c.Cert); bytes.Contains(text, []byte("PRIVATE")) || !filepath.IsAbs(c.Cert) {
		t.Errorf("%s holds\n%s", c.Cert, text)
	}
	for _, file := range []string{c.Cert, c.Key} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", file, info.Mode(), err)
		}
	}
	if _, again := open(t, s, testTime.Add(Life-Renew-2*time.Hour)); !bytes.Equal(again, first) {
		t.Error("the certificate was not kept")
	}
	if _, later := open(t, s, testTime.Add(Life-Renew+time.Hour)); bytes.Equal(later, first) {
		t.Error("the certificate was not renewed")
	}
	for name, spoil := range map[string]func() error{
		"a spoilt certificate": func() error { return os.WriteFile(c.Cert, []byte("garbage"), 0o600) },
		"no certificate":       func() error { return os.Remove(c.Cert) },
		"a spoilt key":         func() error { return os.WriteFile(c.Key, []byte("garbage"), 0o600) },
		"no key":               func() error { return os.Remove(c.Key) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(s, at(testTime)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A pair from the settings that cannot be used is an error that names setting and file, and shows nothing of the files.
func TestSettings(t *testing.T) {
	t.Parallel()
	c, want := open(t, newFolder(t), testTime)
	other, _ := open(t, newFolder(t), testTime)
	missing := c.Cert + ".missing"
	pipe, link := filepath.Join(t.TempDir(), "pipe"), filepath.Join(t.TempDir(), "link")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Symlink(c.Cert, link)); err != nil {
		t.Fatal(err)
	}
	if _, got := open(t, settings.Settings{TLSCertFile: link, TLSKeyFile: c.Key}, testTime); !bytes.Equal(got, want) {
		t.Error("another certificate is shown by a link")
	}
	if _, got := open(t, settings.Settings{TLSCertFile: c.Cert, TLSKeyFile: c.Key}, testTime); !bytes.Equal(got, want) {
		t.Error("another certificate is shown")
	}
	for _, test := range []struct{ cert, key, names string }{
		{missing, c.Key, missing}, {c.Cert, missing, missing}, {c.Cert, other.Key, other.Key}, {c.Key, c.Cert, c.Key},
		{pipe, c.Key, pipe + " must be a regular file"}, {c.Cert, pipe, pipe + " must be a regular file"}, {filepath.Dir(link), c.Key, filepath.Dir(link) + " must be a regular file"},
	} {
		_, err := Open(settings.Settings{TLSCertFile: test.cert, TLSKeyFile: test.key}, at(testTime))
		if err == nil {
			t.Fatalf("%s and %s: no error", test.cert, test.key)
		}
		text := err.Error()
		for _, part := range []string{"FILINGS_TLS_CERT_FILE", test.names} {
			if !bytes.Contains([]byte(text), []byte(part)) {
				t.Errorf("%s: no %s", text, part)
			}
		}
		if block, _ := pem.Decode(read(t, c.Key)); bytes.Contains([]byte(text), block.Bytes[:8]) {
			t.Errorf("%s shows a key", text)
		}
	}
}
