package reindexer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"

	"filings/index/generation"
	"filings/reindexer/source"
)

// inputDigest returns a digest of the inputs of a load (rule X46): its sources, in these states, and
// how they are read; "" where a state is not known. Loads with equal digests build equal
// generations.
func (cfg Config) inputDigest(all []source.Source, states []string, withheld []int) string {
	if len(states) != len(all) || len(all) == 0 {
		return ""
	}
	kept := struct {
		Inputs         []Input
		Names, States  []string
		Query          string
		Update, Strict bool
		Replace        []string
		MaxRejects     int
		Withheld       []int `json:",omitempty"` // entries that leave filings out
	}{slices.Clone(cfg.Inputs), nil, states, cfg.Query, cfg.Update, cfg.Strict, cfg.Replace, cfg.MaxRejects, withheld}
	for i, s := range all {
		if states[i] == "" {
			return ""
		}
		kept.Names = append(kept.Names, s.Name)
	}
	for i, input := range kept.Inputs {
		if u, err := url.Parse(input.Name); err == nil && u.User != nil {
			u.User = nil // a password is not kept, and not in a digest either
			kept.Inputs[i].Name = u.String()
		}
	}
	text, _ := json.Marshal(kept) // of texts and numbers
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// unchanged reports whether the live generation is what this load would build.
func (r *running) unchanged(ctx context.Context, live generation.Info) (bool, error) {
	if r.cfg.Withhold != nil {
		r.same = len(r.takes) == 0
		return r.same, nil
	}
	was := madeOf(live.Counts)
	if !r.cfg.IfChanged || was == "" || r.liveErr != nil {
		return false, nil
	}
	var states []string
	for _, s := range r.reading.sources {
		state, err := s.State(ctx)
		if err != nil {
			return false, err
		}
		states = append(states, state)
	}
	r.same = r.cfg.inputDigest(r.reading.sources, states, r.active) == was
	return r.same, nil
}

// madeOf reads the digest of the inputs from the text that a catalog keeps; "" if there is none.
func madeOf(text []byte) string {
	var k kept
	_ = json.Unmarshal(text, &k) // of nothing: ""
	return k.Made
}
