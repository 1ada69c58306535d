package settings

import (
	"strconv"
	"strings"
	"testing"
)

// FuzzByteSize: a size is a number of bytes that, written out, is the same size.
func FuzzByteSize(f *testing.F) {
	for _, seed := range []string{"0", "256MiB", "2 GiB", "-1", "1e9", "99999999999GiB", "+1", "MiB", "1KiBMiB", "0\nMiB"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var size, again ByteSize
		if size.Decode(text) != nil {
			return
		}
		if size < 0 || strings.Trim(strings.Join(strings.Fields(text), ""), "0123456789KMGiB") != "" {
			t.Fatalf("%q is %d bytes", text, size)
		}
		if err := again.Decode(strconv.FormatInt(int64(size), 10)); err != nil || again != size {
			t.Fatalf("%q is %d bytes, that is %d, %v", text, size, again, err)
		}
	})
}

// FuzzProxies: each network that is accepted is one network, and none is lost.
func FuzzProxies(f *testing.F) {
	for _, seed := range []string{"10.0.0.0/8", "10.0.0.0/8, ::1/128,", "10.0.0.1", "0.0.0.0/0", "::ffff:1.2.3.4/96", "fe80::%eth0/64", "1/8"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var items List
		var networks Networks
		if items.Decode(text) != nil || networks.Decode(text) != nil {
			return
		}
		if len(networks) != len(items) {
			t.Fatalf("%q: %v", text, networks)
		}
		for _, n := range networks {
			if !n.IsValid() || n.Addr().Zone() != "" || !n.Contains(n.Addr()) {
				t.Fatalf("%q: %v", text, n)
			}
		}
	})
}
