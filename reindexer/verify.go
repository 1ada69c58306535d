package reindexer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"filings/index"
	"filings/index/generation"
)

// shownDifferences is how many differences an ErrVerification names.
const shownDifferences = 20

// verify compares a sealed generation with what it must hold, and returns ErrVerification with what differs.
func (e *expectation) verify(ctx context.Context, sealed generation.Checksum, r index.Reader) error {
	differences := e.tally.Diff(sealed)
	for _, check := range []func(context.Context, index.Reader) ([]string, error){e.readBack, e.searches} {
		found, err := check(ctx, r)
		if err != nil {
			return fmt.Errorf("verifying the new generation: %w", err)
		}
		differences = append(differences, found...)
	}
	return differ(differences)
}

func differ(differences []string) error {
	if len(differences) == 0 {
		return nil
	}
	more := ""
	if n := len(differences) - shownDifferences; n > 0 {
		differences, more = differences[:shownDifferences], fmt.Sprintf("; and %d more", n)
	}
	return fmt.Errorf("%w: %s%s", ErrVerification, strings.Join(differences, "; "), more)
}

// readBack reads the filings of the sample whole.
func (e *expectation) readBack(ctx context.Context, r index.Reader) ([]string, error) {
	found := make([]string, len(e.sample.ids))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(questions)
	for i, id := range e.sample.ids {
		group.Go(func() error {
			got, err := r.Filing(ctx, id)
			if errors.Is(err, index.ErrNotFound) {
				got, err = nil, nil
			}
			found[i] = differs(id, e.sample.records[id], got)
			return err
		})
	}
	err := group.Wait()
	return slices.DeleteFunc(found, func(s string) bool { return s == "" }), err
}

// differs says in words how got differs from want, each of which may be nil for no filing; "" where it does not.
func differs(id int64, want, got index.Record) string {
	switch {
	case want == nil && got == nil:
		return ""
	case want == nil:
		return fmt.Sprintf("filing %d was deleted but is there", id)
	case got == nil:
		return fmt.Sprintf("filing %d is not there", id)
	}
	w, err1 := members(want)
	g, err2 := members(got)
	if err := errors.Join(err1, err2); err != nil {
		return fmt.Sprintf("filing %d is not JSON: %v", id, err)
	}
	for name := range g {
		if _, expected := w[name]; !expected {
			return fmt.Sprintf("filing %d has %s, which no filing has", id, name)
		}
	}
	for _, field := range index.Fields() {
		name := field.String()
		if a, b := w[name], g[name]; !reflect.DeepEqual(a, b) {
			return fmt.Sprintf("filing %d: %s is %v, not %v", id, name, b, a)
		}
	}
	return ""
}

// members decodes a record so that equal values are equal: numbers by what they are, not by how they are written.
func members(record index.Record) (map[string]any, error) {
	d := json.NewDecoder(strings.NewReader(string(record)))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		return nil, err
	}
	for name, v := range m {
		if n, ok := v.(json.Number); ok {
			r, ok := new(big.Rat).SetString(n.String())
			if !ok {
				return nil, fmt.Errorf("%s is not a number", n)
			}
			m[name] = r.RatString()
		}
	}
	return m, nil
}
