package check

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"filings/cmd/filings/certificate"
)

// folder checks the data folder by creating a file, since modes do not show full disks and read-only mounts.
func (c *checkup) folder() {
	s := c.Settings
	needed := len(s.ElasticsearchURL) == 0 || s.RedisURL == "" || s.TLSCertFile == ""
	info, err := os.Stat(s.DataDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.fail("data folder", "FILINGS_DATA_DIR: %v", err)
		return
	}
	folder := filepath.Clean(s.DataDir) // or the first folder above it that exists
	for failure := err; errors.Is(failure, fs.ErrNotExist); _, failure = os.Stat(folder) {
		folder = filepath.Dir(folder)
	}
	if failed := tryWrite(folder); failed != nil && (needed || err == nil) {
		c.fail("data folder", "FILINGS_DATA_DIR: %v: this user must be able to write there", failed)
		return
	}
	if err != nil {
		c.ok("data folder", "%s does not exist: the program creates it when it first needs it", c.Settings.DataDir)
		return
	}
	if info.Mode().Perm()&0o077 != 0 {
		c.warn("data folder", "other users can read %s (mode %o): chmod 700", c.Settings.DataDir, info.Mode().Perm())
		return
	}
	c.ok("data folder", "only its owner can read and write %s", c.Settings.DataDir)
}

// tryWrite writes a file into the folder at path: an empty one fits on a full disk, too.
func tryWrite(path string) error {
	file, err := os.CreateTemp(path, "check.*")
	if err != nil {
		return err
	}
	_, err = file.Write(make([]byte, 64<<10))
	return errors.Join(err, file.Close(), os.Remove(file.Name()))
}

// certificate checks the API's certificate. A self-signed one the service creates, and replaces in time.
func (c *checkup) certificate() {
	files := certificate.FilesOf(c.Settings)
	selfSigned := files.SelfSigned
	pair, err := files.Pair()
	switch {
	case selfSigned && errors.Is(err, fs.ErrNotExist):
		c.ok("certificate", "self-signed, created when the service starts")
	case selfSigned && err != nil:
		c.warn("certificate",
			"%s cannot be read: the service creates another when it starts, and clients have to trust that", files.Cert)
	case err != nil:
		c.fail("certificate", "FILINGS_TLS_CERT_FILE and FILINGS_TLS_KEY_FILE: %v", err)
	case c.now().Before(pair.Leaf.NotBefore):
		c.fail("certificate", "it is valid only from %s", pair.Leaf.NotBefore.Format(time.DateTime))
	case c.now().Add(certificate.Renew).After(pair.Leaf.NotAfter) && selfSigned:
		c.warn("certificate",
			"self-signed, until %s: the service creates another when it starts, and clients have to trust that",
			pair.Leaf.NotAfter.Format(time.DateOnly))
	case c.now().After(pair.Leaf.NotAfter):
		c.fail("certificate", "it expired on %s: replace the files, which the service reads every minute",
			pair.Leaf.NotAfter.Format(time.DateTime))
	case c.now().Add(certificate.Renew).After(pair.Leaf.NotAfter):
		c.warn("certificate", "it expires on %s: replace the files, which the service reads every minute",
			pair.Leaf.NotAfter.Format(time.DateOnly))
	default:
		c.ok("certificate", "it is valid until %s, and the key matches it", pair.Leaf.NotAfter.Format(time.DateOnly))
	}
}
