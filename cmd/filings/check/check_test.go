package check

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/cmd/filings/certificate"
	"filings/cmd/filings/settings"
	"filings/index/elastic"
	"filings/service/access"
)

var testTime = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// results returns the findings as `ok port`, without their details.
func results(found []Finding) []string {
	var lines []string
	for _, f := range found {
		lines = append(lines, f.Result+" "+f.Subject)
	}
	return lines
}

func TestCheck_Folder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	c := &checkup{Config: Config{Settings: settings.Settings{DataDir: dir}}}
	for mode, want := range map[os.FileMode]string{0o700: "ok data folder", 0o750: "warn data folder", 0o755: "warn data folder"} {
		_ = os.Mkdir(dir, 0o700)
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		c.found = nil
		if c.folder(); len(c.found) != 1 || results(c.found)[0] != want {
			t.Errorf("%o: %v, want %s", mode, c.found, want)
		}
	}
	if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// writeCertificate writes a certificate that begins at testTime and its key into one file.
func writeCertificate(t *testing.T, file string, life time.Duration) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: testTime, NotAfter: testTime.Add(life)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})...)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCheck_Certificate(t *testing.T) {
	t.Parallel()
	const life = certificate.Life
	dir, elsewhere := t.TempDir(), t.TempDir()
	file, other := filepath.Join(elsewhere, "both.pem"), filepath.Join(elsewhere, "other.pem")
	for _, name := range []string{file, other} {
		writeCertificate(t, name, life)
	}
	for _, name := range []string{"cert.pem", "key.pem"} {
		if err := os.Link(file, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	named := settings.Settings{DataDir: dir, TLSCertFile: file, TLSKeyFile: file}
	for _, test := range []struct {
		name string
		s    settings.Settings
		at   time.Duration
		want string
	}{
		{"valid", named, 0, OK},
		{"expires soon", named, life - certificate.Renew + time.Hour, Warn},
		{"has expired", named, life + time.Hour, Fail},
		{"is not valid yet", named, -24 * time.Hour, Fail},
		{"another key", settings.Settings{DataDir: dir, TLSCertFile: file, TLSKeyFile: other}, 0, Fail},
		{"self-signed", settings.Settings{DataDir: dir}, 0, OK},
		{"self-signed, expired", settings.Settings{DataDir: dir}, life + time.Hour, Warn},
		{"self-signed, none yet", settings.Settings{DataDir: t.TempDir()}, 0, OK},
	} {
		c := &checkup{Config: Config{Settings: test.s}, now: func() time.Time { return testTime.Add(test.at) }}
		if c.certificate(); len(c.found) != 1 || c.found[0].Result != test.want {
			t.Errorf("%s: %v, want %s", test.name, c.found, test.want)
		}
	}
}

func TestCheck_Elasticsearch(t *testing.T) {
	t.Parallel()
	const es = elastic.Elasticsearch
	disk := func(available int64) []elastic.Disk {
		return []elastic.Disk{{Node: "n", Total: 1000, Available: available}}
	}
	for _, test := range []struct {
		name   string
		health elastic.Health
		want   []string
	}{
		{"good", elastic.Health{Product: es, Version: "8.19.7", Status: "green", DataNodes: 2, Disks: disk(160)}, []string{"ok elasticsearch", "ok privileges", "ok disk"}},
		{"one node", elastic.Health{Product: es, Version: "8.15.0", Status: "yellow", DataNodes: 1}, []string{"ok elasticsearch", "ok privileges", "warn replicas"}},
		{"old", elastic.Health{Product: es, Version: "7.17.0", Status: "green", DataNodes: 2}, []string{"fail elasticsearch", "ok privileges"}},
		{"never tested", elastic.Health{Product: es, Version: "8.14.3", Status: "green", DataNodes: 2}, []string{"warn elasticsearch", "ok privileges"}},
		{"new", elastic.Health{Product: es, Version: "9.0.0-SNAPSHOT", Status: "green", DataNodes: 2}, []string{"warn elasticsearch", "ok privileges"}},
		{"another", elastic.Health{Product: elastic.OpenSearch, Version: "2.19.6", Status: "green", DataNodes: 2}, []string{"ok elasticsearch", "ok privileges"}},
		{"another, new", elastic.Health{Product: elastic.OpenSearch, Version: "3.10.0", Status: "green", DataNodes: 2}, []string{"ok elasticsearch", "ok privileges"}},
		{"another, old", elastic.Health{Product: elastic.OpenSearch, Version: "2.9.0", Status: "green", DataNodes: 2}, []string{"warn elasticsearch", "ok privileges"}},
		{"another, too new", elastic.Health{Product: elastic.OpenSearch, Version: "4.0.0", Status: "green", DataNodes: 2}, []string{"warn elasticsearch", "ok privileges"}},
		{"not Elasticsearch", elastic.Health{DataNodes: 2}, []string{"fail elasticsearch", "ok privileges"}},
		{"red", elastic.Health{Product: es, Version: "8.15.0", Status: "red", DataNodes: 2}, []string{"fail elasticsearch", "ok privileges"}},
		{"may not load", elastic.Health{Product: es, Version: "8.15.0", DataNodes: 2, Lacks: []string{"write on filings"}}, []string{"ok elasticsearch", "fail privileges"}},
		{"disk is filling", elastic.Health{Product: es, Version: "8.15.0", DataNodes: 2, Disks: disk(150)}, []string{"ok elasticsearch", "ok privileges", "warn disk"}},
		{"disk was full", elastic.Health{Product: es, Version: "8.15.0", DataNodes: 2, Blocked: []string{"i"}}, []string{"ok elasticsearch", "ok privileges", "fail disk"}},
	} {
		c := &checkup{Config: Config{Settings: settings.Settings{Index: "filings", IndexReplicas: 1}}}
		c.elasticsearch(test.health)
		if diff := cmp.Diff(test.want, results(c.found)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.name, diff)
		}
	}
}

func TestCheck_Redis(t *testing.T) {
	t.Parallel()
	good := access.Health{Version: "7.0.15", AppendOnly: true, Eviction: "noeviction", Clock: testTime}
	for _, test := range []struct {
		name   string
		change func(*access.Health)
		want   string // what is not ok
	}{
		{"good", func(*access.Health) {}, ""},
		{"not persistent", func(f *access.Health) { f.AppendOnly = false }, "warn persistence"},
		{"evicts", func(f *access.Health) { f.Eviction = "allkeys-lru" }, "warn eviction"},
		{"replica", func(f *access.Health) { f.Replica = true }, "fail writing"},
		{"disk fails", func(f *access.Health) { f.DiskFails = true }, "fail writing"},
		{"nearly full", func(f *access.Health) { f.MaxMemory, f.UsedMemory = 100, 90 }, "warn writing"},
		{"has room", func(f *access.Health) { f.MaxMemory, f.UsedMemory = 100, 89 }, ""},
		{"behind", func(f *access.Health) { f.Clock = testTime.Add(-clockApart - 1) }, "warn clock"},
		{"ahead", func(f *access.Health) { f.Clock = testTime.Add(clockApart + 1) }, "warn clock"},
		{"a bit ahead", func(f *access.Health) { f.Clock = testTime.Add(clockApart) }, ""},
	} {
		health := good
		test.change(&health)
		c := &checkup{now: func() time.Time { return testTime }}
		c.redis(health, testTime)
		got := slices.DeleteFunc(results(c.found), func(line string) bool { return strings.HasPrefix(line, "ok ") })
		if strings.Join(got, ", ") != test.want || len(c.found) != 5 {
			t.Errorf("%s: %v, want %s", test.name, c.found, test.want)
		}
	}
}
