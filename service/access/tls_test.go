package access_test

import (
	"io"
	"net"
	"testing"

	"github.com/redis/go-redis/v9"

	"filings/cmd/testservers/servers"
	"filings/service/access"
	"filings/service/servicetest"
)

// TestRedisOverTLS reaches the real Redis through a listener with TLS in front of it. What a program trusts is fixed
// when it starts, so one that trusts the certificate is another process.
func TestRedisOverTLS(t *testing.T) {
	t.Parallel()
	p := redisPlace(t)
	s := p.open(t, sharedLimits(), nil)
	key := create(t, s, "ann", access.Free)
	front := tlsInFront(t, servers.Redis(t))
	secure := place{Kind: "redis", At: "rediss://" + front.Address, Key: p.Key}

	_, err := secure.open(t, sharedLimits(), nil).Admit(t.Context(), access.Key(key), 1)
	wantError(t, err, "admit: key store unavailable to this program: its certificate is not trusted")
	same(t, "used", int64(0), show(t, s, "ann").Used)

	admitted, err := worker{Place: secure, Key: key}.run(t, "SSL_CERT_FILE="+front.Certificate)
	must(t, err)
	same(t, "admitted", int64(300), admitted)
	same(t, "used", int64(300), show(t, s, "ann").Used)
}

// tlsInFront listens with TLS and hands everything on to a Redis.
func tlsInFront(t *testing.T, redisURL string) *servicetest.TLS {
	t.Helper()
	options, err := redis.ParseURL(redisURL)
	must(t, err)
	listener := servicetest.NewTLS(t)
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // closed with the test
			}
			go join(client, options.Addr)
		}
	}()
	return listener
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
