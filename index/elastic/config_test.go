package elastic

import (
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"filings/index"
	"filings/index/generation"
	"filings/mappings"
)

func TestOpen_RefusesWrongSettings(t *testing.T) {
	t.Parallel()
	good := Config{Addresses: []string{"http://a.example:9200"}, Index: "filings", Shards: 1, Replicas: 1}
	if _, err := Open(good); err != nil {
		t.Fatalf("good settings: %v", err)
	}
	notPEM := filepath.Join(t.TempDir(), "ca.pem")
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := errors.Join(os.WriteFile(notPEM, []byte("no certificate"), 0o600), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{"no address", func(c *Config) { c.Addresses = nil }, "no address"},
		{"address without scheme", func(c *Config) { c.Addresses = []string{"http://a", "b:9200"} }, "address 2"},
		{"address of another scheme", func(c *Config) { c.Addresses = []string{"ftp://u:secret@a"} }, "address 1"},
		{"address that does not parse", func(c *Config) { c.Addresses = []string{"http://u:secret@a b"} }, "address 1"},
		{"address with a query", func(c *Config) { c.Addresses = []string{"http://a/?secret=1"} }, "address 1"},
		{"no index", func(c *Config) { c.Index = "" }, "index name"},
		{"index with a pattern", func(c *Config) { c.Index = "filings*" }, "index name"},
		{"index in upper case", func(c *Config) { c.Index = "Filings" }, "index name"},
		{"index that leads elsewhere", func(c *Config) { c.Index = "a/../b" }, "index name"},
		{"index that is too long", func(c *Config) { c.Index = strings.Repeat("x", 129) }, "index name"},
		{"no shards", func(c *Config) { c.Shards = 0 }, "shards"},
		{"negative replicas", func(c *Config) { c.Replicas = -1 }, "replicas"},
		{"two ways to log in", func(c *Config) { c.APIKey, c.Username, c.Password = "secret", "u", "secret" }, "either"},
		{"user without password", func(c *Config) { c.Username = "secret" }, "password"},
		{"CA file that is not there", func(c *Config) { c.CAFile = notPEM + "x" }, "reading the CA file"},
		{"CA file that is a pipe", func(c *Config) { c.CAFile = pipe }, "must be a regular file"},
		{"CA file without certificate", func(c *Config) { c.CAFile = notPEM }, "no certificate"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cfg := good
			test.change(&cfg)
			_, err := Open(cfg)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want an error about %q", err, test.want)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error shows a secret: %v", err)
			}
		})
	}
}

// refusing returns an address that no server listens at.
func refusing(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

func TestOpen_OneOfTheAddressesIsDown(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	s.cfg.Addresses = []string{refusing(t), s.cfg.Addresses[0] + "/", refusing(t)}
	store := s.again(t, nil)
	for range 6 { // whichever address is tried first
		if _, err := store.Generations(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	swap(t, store, "", s.bare(t, 1))
}

func TestOpen_ErrorsShowNoAddress(t *testing.T) {
	t.Parallel()
	address := refusing(t)
	store, err := Open(Config{Addresses: []string{address}, Index: "filings", Shards: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, err = store.Live(t.Context())
	if !errors.Is(err, index.ErrUnavailable) {
		t.Fatalf("got %v, want %v", err, index.ErrUnavailable)
	}
	if strings.Contains(err.Error(), strings.TrimPrefix(address, "http://127.0.0.1:")) {
		t.Errorf("the error shows the address: %v", err)
	}
}

func TestOpen_TLSAndCredentials(t *testing.T) {
	t.Parallel()
	var authorization string
	generation := generation.Name("filings", time.Unix(0, 0), mappings.Version)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		authorization = r.Header.Get("Authorization")
		w.Header().Set("X-Elastic-Product", "Elasticsearch")
		_, _ = fmt.Fprintf(w, `{"_seq_no":1,"_primary_term":1,"_source":{"form":1,"live":%q}}`, generation)
	}))
	defer server.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(ca, block, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, want string // want "": the server must not be trusted
		cfg        Config
	}{
		{"password", "Basic dTpw", Config{CAFile: ca, Username: "u", Password: "p"}},
		{"API key", "APIKey k", Config{CAFile: ca, APIKey: "k"}},
		{"unknown authority", "", Config{Username: "u", Password: "p"}},
	}
	for _, test := range tests {
		authorization = ""
		test.cfg.Addresses, test.cfg.Index, test.cfg.Shards = []string{server.URL}, "filings", 1
		store, err := Open(test.cfg)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if _, err := store.Live(t.Context()); (err == nil) != (test.want != "") {
			t.Errorf("%s: %v", test.name, err)
		}
		if authorization != test.want {
			t.Errorf("%s: Authorization is %q, want %q", test.name, authorization, test.want)
		}
	}
}
