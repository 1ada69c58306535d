package source

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"filings/cmd/testservers/servers"
	"filings/reindexer/s3"
)

// TestX45_Objects reads an object and a folder of a server that speaks S3, and what is changed between being found and being read.
func TestX45_Objects(t *testing.T) {
	t.Parallel()
	address, id, secret := servers.S3(t)
	o := Options{Log: slog.New(slog.DiscardHandler), Servers: Servers{S3: s3.Config{Endpoint: address, AccessKeyID: id, SecretAccessKey: secret}}}
	client := s3.New(o.Servers.S3, nil)
	put := func(key, text string) {
		t.Helper()
		if err := client.Put(t.Context(), s3.Object{Bucket: "counties", Key: key}, bytes.NewReader([]byte(text))); err != nil {
			t.Fatal(err)
		}
	}
	put("a.ndjson.gz", gzipped(t, filing(1)+filing(2)))
	put("liens/b.csv", "id,county\n3,\"Orange, FL\"\n")
	put("liens/c.ndjson", filing(4))
	put("liens/old/d.ndjson", filing(5))
	put("liens/.hidden.ndjson", filing(6))
	put("liens/README.md", "x")
	put("liens", filing(7))
	for name, want := range map[string][]int64{
		"s3://counties/a.ndjson.gz": {1, 2}, "s3://counties/liens/": {3, 4}, "s3://counties": {1, 2},
	} {
		ids, err := readAll(t, []Input{{Name: name}}, o)
		if err != nil || !slices.Equal(ids, want) {
			t.Errorf("%s: ids %v, error %v, want %v", name, ids, err, want)
		}
	}
	for name, want := range map[string]string{
		"s3://counties/none.csv": "there is no such object", "s3://counties/none/": "no object whose name says its format", "s3://counties/liens": "ends in a slash",
		"s3://nowhere/a.csv": "there is no such",
	} {
		_, err := readAll(t, []Input{{Name: name}}, o)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}

	found, err := Find(t.Context(), []Input{{Name: "s3://counties/liens/"}, {Name: "s3://counties/a.ndjson.gz"}}, o)
	if err != nil || len(found) != 3 {
		t.Fatal(found, err)
	}
	if left := found[0].LeftOut; !slices.Equal(left, []string{"old/", "README.md"}) {
		t.Errorf("left out %q", left)
	}
	before, err := found[0].State(t.Context())
	if err != nil || before == "" {
		t.Fatalf("state %q, error %v", before, err)
	}
	in, err := found[1].Open(t.Context(), new(atomic.Int64))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err = in.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err = in.Next(); err != io.EOF {
		t.Fatal(err)
	}
	read, err := in.State()
	if now, failed := found[1].State(t.Context()); err != nil || failed != nil || read != now {
		t.Errorf("what was read is of the state %q, which was %q, errors %v, %v", read, now, err, failed)
	}
	put("liens/b.csv", "id,county\n8,\"Orange, FL\"\n")
	put("a.ndjson.gz", gzipped(t, filing(9)))
	for _, s := range []Source{found[0], found[2]} {
		if _, err := readSource(s); err == nil || !errors.Is(err, ErrChanged) {
			t.Errorf("%s was changed after it was found: error %v", s.Name, err)
		}
	}
	again, err := Find(t.Context(), []Input{{Name: "s3://counties/liens/b.csv"}}, o)
	if err != nil {
		t.Fatal(err)
	}
	if after, err := again[0].State(t.Context()); err != nil || after == before {
		t.Errorf("after a change the state is %q, as before, error %v", after, err)
	}
}
