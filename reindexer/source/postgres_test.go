package source

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
)

// TestPostgres_Secrets fails to connect with a password that no message shows.
func TestPostgres_Secrets(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host := listener.Addr().String()
	listener.Close() // now connections are refused
	_, err = readAll(t, []Input{{Name: fmt.Sprintf("postgres://me:hunter2@%s/county?application_name=s3cret", host)}},
		Options{Query: "SELECT 1 AS id"})
	if !errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), "postgres://"+host+"/county: connecting: ") {
		t.Fatalf("error %v", err)
	}
	noSecrets(t, err)
}
