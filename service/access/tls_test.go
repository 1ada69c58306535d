package access_test

import (
	"crypto/tls"
	"encoding/pem"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/redis/go-redis/v9"

	"filings/cmd/testservers/servers"
	"filings/service/access"
)

// TestRedisOverTLS reaches the real Redis through a listener with TLS in front of it. What a program trusts is settled
// when it starts, so one that trusts the certificate is another process.
func TestRedisOverTLS(t *testing.T) {
	t.Parallel()
	p := redisPlace(t)
	s := p.open(t, sharedLimits(), nil)
	key := create(t, s, "ann", access.Free)
	address, certificate := tlsInFront(t, servers.Redis(t))
	secure := place{Kind: "redis", At: "rediss://" + address, Key: p.Key}

	_, err := secure.open(t, sharedLimits(), nil).Admit(t.Context(), key)
	wantError(t, err, "admit: key store unavailable: its certificate is not trusted")
	same(t, "used", int64(0), show(t, s, "ann").Used)

	trusted := filepath.Join(t.TempDir(), "trusted.pem")
	must(t, os.WriteFile(trusted, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}), 0o600))
	admitted, err := worker{Place: secure, Key: key}.run(t, "SSL_CERT_FILE="+trusted)
	must(t, err)
	same(t, "admitted", int64(300), admitted)
	same(t, "used", int64(300), show(t, s, "ann").Used)
}

// tlsInFront listens with TLS and hands everything on to a Redis. It returns its address and certificate.
func tlsInFront(t *testing.T, redisURL string) (address string, certificate []byte) {
	t.Helper()
	options, err := redis.ParseURL(redisURL)
	must(t, err)
	server := httptest.NewTLSServer(nil) // for its certificate
	defer server.Close()
	listener := tls.NewListener(listen(t), &tls.Config{Certificates: server.TLS.Certificates})
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // closed with the test
			}
			go join(client, options.Addr)
		}
	}()
	return listener.Addr().String(), server.Certificate().Raw
}

// join connects a client with an address until one of them hangs up.
func join(client net.Conn, address string) {
	defer client.Close()
	upstream, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	go func() {
		defer upstream.Close()
		io.Copy(upstream, client)
	}()
	io.Copy(client, upstream)
}
