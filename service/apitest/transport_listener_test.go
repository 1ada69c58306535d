package apitest

import (
	"io"
	"net/http"
	"testing"

	"github.com/gofiber/fiber/v2"

	"filings/service/servicetest"
)

// door is a service that listens on a real socket with TLS, as in production.
type door struct{ *servicetest.Listener }

// listenTLS serves app until the test ends.
func listenTLS(t testing.TB, app *fiber.App) *door {
	t.Helper()
	return &door{servicetest.ListenTLS(t, app)}
}

// get sends a GET with key, "" for none.
func (d *door) get(t testing.TB, target, key string) response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+d.Address+target, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("X-API-Key", key)
	}
	res, err := d.Client.Do(req)
	if err != nil {
		t.Errorf("%s: %v", target, err)
		return response{}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Errorf("%s: %v", target, err)
	}
	return response{res.StatusCode, res.Header, string(body)}
}
