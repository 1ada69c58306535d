package servers

import (
	_ "embed"
	"fmt"
	"os/exec"
	"testing"
)

//go:embed s3.py
var s3Server string

// S3 starts a moto, which speaks S3 and checks signatures, with the empty bucket "counties", and returns its address and who may
// use it. It ends with the test.
func S3(t testing.TB) (address, keyID, secret string) {
	t.Helper()
	cmd := exec.Command(Tool(t, "python"), "-c", s3Server)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // which ends it
		_ = cmd.Wait()
	})
	if _, err := fmt.Fscan(out, &address, &keyID, &secret); err != nil {
		t.Fatalf("moto did not start: %v", err)
	}
	return address, keyID, secret
}
