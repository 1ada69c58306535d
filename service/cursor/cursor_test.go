package cursor_test

import (
	"encoding/base64"
	"errors"
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"filings/service/cursor"
)

func example() cursor.Cursor {
	return cursor.Cursor{
		Generation: "20261122-051422.061847", Endpoint: "search", Query: "q=maple&county=Orange%2C+FL&limit=100",
		Day: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC), After: `[12.5,null,77]`, Seen: 4200, Total: 525_682,
	}
}

// A cursor is read as it was written, and fits into an address without escapes.
func TestX3_CursorRoundTrip(t *testing.T) {
	t.Parallel()
	for _, want := range []cursor.Cursor{example(), {Day: time.Unix(0, 0).UTC()}} {
		text := want.String()
		got, err := cursor.Parse(text)
		if err != nil || got != want {
			t.Errorf("%+v became %+v, %v", want, got, err)
		}
		if rest := strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"); rest != "" {
			t.Errorf("%q in %q", rest, text)
		}
	}
}

// A query longer than the room of a cursor fits if it is mostly numbers, as corners are; others do not.
func TestX3_LongQueries(t *testing.T) {
	t.Parallel()
	const numbers = "-81.1234567%2C28.1234567%3B"
	for _, tt := range []struct {
		query string
		fits  bool
	}{
		{strings.Repeat("x", cursor.MaxQuery), true}, {strings.Repeat("x", cursor.MaxQuery+1), false},
		{"polygon=" + strings.Repeat(numbers, 100), true}, {"q=é+ÿ\x00\xff&polygon=" + strings.Repeat(numbers, 110), true}, {strings.Repeat(numbers, 160), false},
		{strings.Repeat("1", 2*cursor.MaxQuery), true}, {strings.Repeat("1", 2*cursor.MaxQuery-1), true}, {strings.Repeat("1", 2*cursor.MaxQuery+1), false},
	} {
		if got := cursor.Fits(tt.query); got != tt.fits {
			t.Errorf("%d characters fit: %t", len(tt.query), got)
		}
		want := example()
		want.Query = tt.query
		text := want.String()
		if got, err := cursor.Parse(text); err != nil || got != want || tt.fits && len(text) > 3200 {
			t.Errorf("%d characters: %d characters, %v", len(tt.query), len(text), err)
		}
	}
}

// A cursor of which one character is another one, is missing, or is there twice, is refused, whatever that character is.
func TestX3_DamagedCursor(t *testing.T) {
	t.Parallel()
	text := example().String()
	refused := func(text string) {
		t.Helper()
		if c, err := cursor.Parse(text); !errors.Is(err, cursor.ErrDamaged) {
			t.Errorf("%q is read as %+v, %v", text, c, err)
		}
	}
	for i := range len(text) {
		for b := range 256 {
			if byte(b) != text[i] {
				refused(text[:i] + string([]byte{byte(b)}) + text[i+1:])
			}
		}
		refused(text[:i])
		refused(text[:i] + text[i+1:])
		refused(text[:i] + text[i:i+1] + text[i:])
	}
	for _, text := range []string{"", "*", "=", text + "=", text + "\n", " " + text} {
		refused(text)
	}
}

// A checksum that fits does not make a cursor of bytes that are none.
func TestX3_MadeUpCursor(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]string{
		"another version":   "\x03\x00\x00\x00\x00\x00\x00\x00",
		"needlessly packed": "\x02\x00\x00\x01\x12\x00\x00\x00\x00",
		"texts end early":   "\x01\x05abc",
		"numbers are gone":  "\x01\x00\x00\x00\x00\x00",
		"bytes behind it":   "\x01\x00\x00\x00\x00\x00\x00\x00\x00",
		"a large number":    "\x01\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
		"too many seen":     "\x01\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x00",
		"fewer than none":   "\x01\x00\x00\x00\x00\x00" + strings.Repeat("\xff", 9) + "\x01\x00",
		"a long number":     "\x01\x80\x00\x00\x00\x00\x00\x00\x00",
		"a day in 10000":    "\x01\x00\x00\x00\x00\xa1\x81\xb3\x01\x00\x00", // which no text of four digits holds
		"an endless number": "\x01" + strings.Repeat("\xff", 12),
	} {
		sum := crc32.Checksum([]byte(b), crc32.MakeTable(crc32.Castagnoli))
		text := base64.RawURLEncoding.EncodeToString(append([]byte(b), byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24)))
		if c, err := cursor.Parse(text); !errors.Is(err, cursor.ErrDamaged) {
			t.Errorf("%s is read as %+v, %v", name, c, err)
		}
	}
}

// Whatever is read is what would be written, and nothing panics.
func FuzzParse(f *testing.F) {
	f.Add(example().String())
	f.Add("AQAAAAAAAAA")
	long := example()
	long.Query = strings.Repeat("28.1234567%3B", 200)
	f.Add(long.String())
	f.Fuzz(func(t *testing.T, text string) {
		c, err := cursor.Parse(text)
		if err == nil && c.String() != text {
			t.Errorf("%q is read as %+v, which is %q", text, c, c)
		}
	})
}
