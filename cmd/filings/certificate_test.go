package main

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"filings/cmd/filings/settings"
	"filings/service/edge"
)

// TestT1_OneCertificate: processes that start at once in an empty data folder show one certificate, the one that clients
// must trust; and when it has come to its end, the next one takes its place.
func TestT1_OneCertificate(t *testing.T) {
	t.Parallel()
	for range 20 {
		s := settings.Settings{DataDir: filepath.Join(t.TempDir(), "data")}
		shown := make([][]byte, 4)
		var starting errgroup.Group
		for i := range shown {
			starting.Go(func() error {
				cert, _, err := certificate(s, testTime)
				if err == nil {
					shown[i] = cert.Certificate[0]
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
		next, _, err := certificate(s, testTime.Add(edge.CertificateLife-edge.CertificateRenew+time.Hour))
		if err != nil || bytes.Equal(next.Certificate[0], shown[0]) {
			t.Fatalf("a certificate that ends is not renewed: %v", err)
		}
	}
}
