package tokens

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var secrets = Secrets{strings.Repeat("a", 32), strings.Repeat("b", 40)}

// made is a payload of any size.
func made(r *rand.Rand) Payload {
	p := Payload{Key: strings.Repeat("5f", 32), Expires: r.Int64N(1 << 33), Endpoints: []string{"list", "one"}, Burst: 1 + r.Int64N(25)}
	for i := range 1 + r.IntN(4) {
		p.Origins = append(p.Origins, fmt.Sprintf("https://%d.example.com", i))
	}
	p.Filter = "county=" + strings.Repeat("é<&\"", r.IntN(60))
	return p
}

// TestX32_Bits: no token with one bit flipped is accepted, and each is as it was made. `make faults` flips those of 1,000.
func TestX32_Bits(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	many, flipped := 25, 0
	if n, err := strconv.Atoi(os.Getenv("TEST_TOKENS")); err == nil {
		many = n
	}
	for range many {
		want := made(r)
		token, err := secrets.Sign(want)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := secrets.Verify(token); !ok || cmp.Diff(want, got) != "" {
			t.Fatalf("%v %s", ok, cmp.Diff(want, got))
		}
		text := []byte(token)
		for i := range len(text) * 8 {
			text[i/8] ^= 1 << (i % 8)
			if _, ok := secrets.Verify(string(text)); ok {
				t.Fatalf("accepted: %s instead of %s", text, token)
			}
			text[i/8] ^= 1 << (i % 8)
			flipped++
		}
	}
	t.Logf("%d tokens with a flipped bit, none accepted", flipped)
}

// TestX32_Secrets: the first secret signs, both verify, a third one does not.
func TestX32_Secrets(t *testing.T) {
	t.Parallel()
	token, err := secrets.Sign(Payload{Filter: "a"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		by   Secrets
		want bool
	}{
		{secrets[:1], true}, {secrets[1:], false}, {Secrets{secrets[1], secrets[0]}, true}, {nil, false},
		{Secrets{strings.Repeat("c", 32)}, false},
	} {
		if _, ok := tt.by.Verify(token); ok != tt.want {
			t.Errorf("verified by %d secrets: %v", len(tt.by), ok)
		}
	}
	for _, wrong := range []string{
		"", Start, Start + ".", token[1:], token + "\n", token[:len(token)-1], strings.Replace(token, ".", "\n.", 1), strings.Replace(token, ".", "=.", 1),
		strings.ReplaceAll(token, ".", ""), strings.ToUpper(token), token + ".a",
	} {
		if _, ok := secrets.Verify(wrong); ok {
			t.Errorf("accepted: %q", wrong)
		}
	}
	if _, err := secrets.Sign(Payload{Filter: strings.Repeat("a", MaxBytes)}); err != ErrTooLong {
		t.Errorf("too long: %v", err)
	}
	for text, want := range map[string]bool{"": true, secrets[0]: true, secrets[0] + "," + secrets[1]: true, "a": false,
		secrets[0] + "," + secrets[0] + "," + secrets[0]: false} {
		s := Secrets{}
		if text != "" {
			s = strings.Split(text, ",")
		}
		if err := s.Validate(); (err == nil) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzVerify: what is accepted is what was signed.
func FuzzVerify(f *testing.F) {
	token, err := secrets.Sign(made(rand.New(rand.NewPCG(1, 2))))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(token)
	f.Add(Start + "e30.")
	f.Fuzz(func(t *testing.T, text string) {
		if p, ok := secrets.Verify(text); ok && text != token {
			t.Fatalf("%q is accepted: %+v", text, p)
		}
	})
}
