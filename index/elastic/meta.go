package elastic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"filings/index"
	"filings/index/generation"
	"filings/mappings"
)

// meta is what a generation's mapping says of it in `_meta`. It is written once, as the last step of Seal.
type meta struct {
	Sealed     bool   `json:"sealed"`
	Generation string `json:"generation"` // whose meta this is: a clone begins with its source's
	Filings    int64  `json:"filings"`
	Owners     int64  `json:"owners"` // different owners, counted once
	Writes     int64  `json:"writes"` // the highest version of a document, in it or deleted from it
}

// isOf reports whether m seals the generation.
func (m meta) isOf(generation string) bool { return m.Sealed && m.Generation == generation }

// errUnsealed: the generation is being built, or was left behind by a load that died.
var errUnsealed = errors.New("it is not sealed")

// described is an index as one request tells it.
type described struct {
	Aliases  map[string]json.RawMessage `json:"aliases"`
	Mappings struct {
		Meta meta `json:"_meta"`
	} `json:"mappings"`
}

// describe returns the indices that a name or pattern selects.
func (s *Store) describe(ctx context.Context, indices string) (map[string]described, error) {
	answer, err := s.c.read(ctx, http.MethodGet, "/"+indices, url.Values{"features": {"aliases,mappings"}}, nil)
	if err != nil {
		return nil, err
	}
	var found map[string]described
	if err := json.Unmarshal(answer, &found); err != nil {
		return nil, fmt.Errorf("reading the description of %s: %w", indices, err)
	}
	return found, nil
}

// sealed returns the meta of a sealed generation of this program's mapping, index.ErrNotFound if there is no such
// generation, or errUnsealed.
func (s *Store) sealed(ctx context.Context, name string) (meta, error) {
	if _, ok := generation.ParseName(s.alias, name); !ok {
		return meta{}, index.ErrNotFound
	}
	found, err := s.describe(ctx, name)
	if errors.Is(err, index.ErrGone) {
		return meta{}, index.ErrNotFound
	}
	if err != nil {
		return meta{}, err
	}
	m := found[name].Mappings.Meta
	if !m.isOf(name) {
		return meta{}, errUnsealed
	}
	return m, checkVersion(name)
}

// checkVersion fails for a generation of another mapping, whose documents the queries of this program would misread.
func checkVersion(generation string) error {
	if strings.HasSuffix(generation, fmt.Sprintf("-v%d", mappings.Version)) {
		return nil
	}
	return fmt.Errorf("generation %s has another mapping version than this program (%d): load the filings again",
		generation, mappings.Version)
}
