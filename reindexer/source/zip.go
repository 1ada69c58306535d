package source

import (
	"archive/zip"
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// openMember reads the member of a zip archive that f names, or its only one. An archive has its
// list of members at its end. The Reader ends with ctx, and with done.
func openMember(ctx context.Context, stored io.Reader, f Form, done func()) (*Reader, error) {
	return spool(ctx, stored, func(copied spooled, size int64) (*Reader, error) {
		return readMember(ctx, copied, size, f, done)
	})
}

func readMember(ctx context.Context, copied spooled, size int64, f Form, done func()) (*Reader, error) {
	archive, err := zip.NewReader(copied, size)
	if err != nil {
		return nil, fmt.Errorf("the zip archive is cut off or damaged: %w", err)
	}
	member, err := memberOf(archive.File, f.Member)
	if err != nil {
		return nil, err
	}
	f.Member = ""
	if f.Format == Zip {
		f.Format = ""
		if f = f.named(member.Name); f.Format == "" && formatOf(member.Name) == JSON {
			return nil, fmt.Errorf("its member %.200q: %w", member.Name, ErrNoPath)
		}
		if f.Format == "" || f.Format == Zip {
			return nil, fmt.Errorf("the name of its member %.200q does not say its format: give --format", member.Name)
		}
	}
	plain, err := member.Open()
	if err != nil {
		return nil, fmt.Errorf("its member %.200q: %w", member.Name, err)
	}
	r, err := openForm(ctx, bufio.NewReaderSize(&compressed{plain, "zip"}, bufferSize), f, done)
	if err != nil {
		return nil, fmt.Errorf("its member %.200q: %w", member.Name, err)
	}
	return r, nil
}

// methods are the names of compressions of archives that are not read.
var methods = map[uint16]string{9: "Deflate64", 12: "bzip2", 14: "LZMA", 93: "zstd", 95: "xz", 98: "PPMd", 99: "AES"}

// memberOf finds a member by its name, or the only one where that is "". Folders, and the files
// that macOS adds, are none.
func memberOf(members []*zip.File, name string) (found *zip.File, err error) {
	var names []string
	for _, m := range members {
		if m.NonUTF8 { // as DOS wrote them
			m.Name, _ = charmap.CodePage437.NewDecoder().String(m.Name) // each byte is a character
		}
		hidden := strings.HasPrefix(m.Name, "__MACOSX/") || strings.HasPrefix(path.Base(m.Name), ".")
		if hidden || strings.HasSuffix(m.Name, "/") {
			continue
		}
		names = append(names, fmt.Sprintf("%.200q", m.Name))
		if found == nil && (name == "" || name == m.Name) {
			found = m
		}
	}
	shown := strings.Join(names[:min(len(names), 10)], ", ")
	if len(names) > 10 {
		shown += ", …"
	}
	switch {
	case len(names) == 0:
		return nil, errors.New("the zip archive is empty")
	case found == nil:
		return nil, fmt.Errorf("the zip archive has no member %.200q; it has %s", name, shown)
	case name == "" && len(names) > 1:
		return nil, fmt.Errorf("the zip archive has %d members, %s: name one with --member", len(names), shown)
	case found.Flags&1 != 0:
		return nil, fmt.Errorf("its member %.200q is encrypted", found.Name)
	case found.Method != zip.Store && found.Method != zip.Deflate:
		return nil, fmt.Errorf("its member %.200q is compressed with %s, an unsupported compression: unpack it, or pack "+
			"it with Deflate", found.Name, cmp.Or(methods[found.Method], fmt.Sprintf("method %d", found.Method)))
	}
	return found, nil
}
