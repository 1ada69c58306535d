package elastic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"filings/index"
	"filings/index/generation"
)

const (
	// liveFor is how long the live generation is taken for granted. index.Engine promises a second.
	liveFor = time.Second
	// askedAfter is when a caller asks anew without waiting for the answer, so that under traffic nobody has to wait.
	askedAfter = liveFor * 3 / 4
)

// askTime is what that question may take. All who come meanwhile wait for the same answer: one that is lost must not
// keep them from asking a server that has returned.
const askTime = 3 * time.Second

// live remembers which generation is live.
type live struct {
	known  atomic.Pointer[known]
	flight singleflight.Group
}

// known is what an answer said. reader is nil before the first one.
type known struct {
	reader index.Reader
	asked  time.Time // when the question was sent
}

// isFresh reports whether k will do for a caller who came at t. A reader whose index was seen to be gone never does.
func (k *known) isFresh(t time.Time) bool {
	if k == nil || k.reader == nil || isGone(k.reader) {
		return false
	}
	age := t.Sub(k.asked)
	return age >= -liveFor && age < liveFor // before -liveFor the clock was set back
}

func isGone(r index.Reader) bool {
	pinned, ok := r.(*reader)
	return ok && pinned.gone.Load()
}

// Live returns a Reader of the live generation. While the generation stays the same it is the same Reader, so what the
// Reader remembers lasts. It is an error if the alias points at two indices, or if an index has its name.
func (s *Store) Live(ctx context.Context) (index.Reader, error) {
	came := s.now()
	for {
		k := s.live.known.Load()
		fresh := k.isFresh(came)
		if fresh && came.Sub(k.asked) < askedAfter {
			return k.reader, nil
		}
		// The first caller's end must not fail those who wait with it.
		answer := s.live.flight.DoChan("", func() (any, error) { return s.ask(context.WithoutCancel(ctx)) })
		if fresh {
			return k.reader, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("asking which generation is live: %w", context.Cause(ctx))
		case result := <-answer:
			if result.Err != nil {
				return nil, result.Err
			}
			// The question may have been on its way for long when this caller joined it.
			if k := result.Val.(*known); k.isFresh(came) {
				return k.reader, nil
			}
		}
	}
}

// ask finds out which generation is live, and remembers it unless somebody swapped meanwhile.
func (s *Store) ask(ctx context.Context) (*known, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	before := s.live.known.Load()
	k := &known{asked: s.now()}
	name, err := s.liveName(ctx)
	if err != nil {
		return nil, fmt.Errorf("asking which generation is live: %w", err)
	}
	switch {
	case name == "":
		k.reader = index.Empty{}
	case before != nil && before.reader != nil && before.reader.Generation() == name && !isGone(before.reader):
		k.reader = before.reader
	default:
		if err := checkVersion(name); err != nil {
			return nil, err
		}
		k.reader = newReader(s.c, name)
	}
	s.live.known.CompareAndSwap(before, k)
	return k, nil
}

// forget makes the next Live ask. The reader is kept, for the case that its generation still is the live one.
func (s *Store) forget() {
	stale := &known{}
	if k := s.live.known.Load(); k != nil {
		stale.reader = k.reader
	}
	s.live.known.Store(stale)
	s.live.flight.Forget("")
}

// liveName returns the index that the alias points at, "" for none.
func (s *Store) liveName(ctx context.Context) (string, error) {
	// Asking for the aliases of the alias also tells when it is no alias but an index.
	answer, err := s.c.read(ctx, http.MethodGet, "/"+s.alias+"/_alias", nil, nil)
	if errors.Is(err, index.ErrGone) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var indices map[string]json.RawMessage
	if err := json.Unmarshal(answer, &indices); err != nil {
		return "", fmt.Errorf("reading where the alias %s points: %w", s.alias, err)
	}
	names := slices.Sorted(maps.Keys(indices))
	switch {
	case len(names) == 0:
		return "", errAnswer // without the alias it is a 404
	case len(names) > 1:
		return "", fmt.Errorf("the alias %s points at %s: remove all but one", s.alias, strings.Join(names, " and "))
	case names[0] == s.alias:
		return "", fmt.Errorf("%s is an index, where an alias is needed: choose another name or delete it", s.alias)
	}
	if _, ok := generation.ParseName(s.alias, names[0]); !ok {
		return "", fmt.Errorf("the alias %s points at %s, which is no generation", s.alias, names[0])
	}
	return names[0], nil
}
