package reindexer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"time"

	"filings/index"
	"filings/index/generation"
	"filings/index/sidecar"
	"filings/reindexer/source"
)

// generations lists the generations as they are right now; Store.Live may be a second behind.
func (r *running) generations(ctx context.Context) ([]generation.Info, error) {
	generations, err := r.cfg.Store.Generations(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing the generations: %w", err)
	}
	return generations, nil
}

// open opens the live generation, g, and counts it for the guards. A full load that ignores the
// live generation needs neither.
func (r *running) open(ctx context.Context, g generation.Info) (index.Reader, error) {
	switch {
	case g.Name == "" && r.cfg.Update:
		return r.cfg.Store.Live(ctx) // index.ErrLost, unless there was no load yet: changes alone are not all filings
	case g.Name == "":
		return index.Empty{}, nil
	}
	r.live, r.liveCounts = g, decodeCounts(g.Counts)
	reader, err := r.cfg.Store.Open(ctx, g.Name)
	if err == nil && !r.ignoresLive() {
		err = r.countLive(ctx, reader)
	}
	changed := errors.Is(err, index.ErrChanged)
	switch unreadable := changed || errors.Is(err, index.ErrUnavailable) || errors.Is(err, generation.ErrVersion); {
	case err == nil:
		return reader, nil
	case !unreadable || ctx.Err() != nil:
		return nil, fmt.Errorf("opening the live generation: %w", err)
	case r.cfg.Update:
		return nil, fmt.Errorf("the live generation %s cannot be read, and an update changes a copy of it: make another "+
			"one live with `filings rollback`, or load all filings with --force: %w", g.Name, err)
	case changed && r.liveCounts == nil:
		r.liveCounts = &index.Counts{Filings: g.Filings, WithoutFields: true} // as it was sealed
	case !changed && !r.ignoresLive():
		return nil, fmt.Errorf("the live generation %s cannot be counted, so --max-shrink %v cannot be checked: "+
			"make another one live with `filings rollback`, or load with --force, which does not count it: %w",
			g.Name, r.cfg.MaxShrink, err)
	}
	r.liveErr = err
	return index.Empty{}, nil
}

// countLive counts the live generation, where its own load has kept no counts.
func (r *running) countLive(ctx context.Context, live index.Reader) error {
	if _, err := live.Count(ctx, index.Filter{}); err != nil || r.liveCounts != nil {
		return err
	}
	counts, err := index.CountsOf(ctx, live)
	if err == nil {
		r.liveCounts = &counts
		r.warn("which fields the live filings have was not counted: no load has kept it. Fields that are gone are not " +
			"noticed this time")
	}
	return err
}

// liveOf returns the live generation; the zero Info for none.
func liveOf(generations []generation.Info) generation.Info {
	for _, g := range generations {
		if g.Live {
			return g
		}
	}
	return generation.Info{}
}

// prepare deletes the remains of dead runs and returns the live generation.
func (r *running) prepare(ctx context.Context) (live generation.Info, err error) {
	cleared, err := r.lock.Clear(ctx)
	for _, name := range cleared {
		r.cfg.Log.Info("what an unfinished load left behind was deleted", "generation", name)
	}
	if err != nil {
		return live, err
	}
	generations, err := r.generations(ctx)
	return liveOf(generations), err
}

// prune deletes old generations and changesets. previous, which was live until now, always stays. A
// failure is not the load's: the next one prunes too.
func (r *running) prune(ctx context.Context, previous string) {
	pruned, err := r.lock.Prune(ctx, previous, r.cfg.Keep, r.cfg.KeepChanges)
	if err != nil {
		r.cfg.Log.Warn("old generations could not be deleted", "error", err)
		return
	}
	for _, name := range pruned {
		r.cfg.Log.Info("an old generation was deleted", "generation", name)
	}
}

// ignoresLive reports whether the load may replace a live generation that cannot be read.
func (r *running) ignoresLive() bool { return !r.cfg.Update && r.cfg.MaxShrink == 100 }

// fingerprints yields the fingerprints of the generation before.
func (r *running) fingerprints(ctx context.Context) iter.Seq2[index.Fingerprint, error] {
	if r.previous == "" {
		return func(yield func(index.Fingerprint, error) bool) { yield(index.Fingerprint{}, index.ErrNotFound) }
	}
	return r.cfg.Store.Fingerprints(ctx, r.previous)
}

// noBaseline reports whether err means that there are no fingerprints to compare with.
func (r *running) noBaseline(err error) bool {
	return errors.Is(err, index.ErrNotFound) || errors.Is(err, index.ErrChanged) ||
		errors.Is(err, generation.ErrVersion) || r.ignoresLive() && errors.Is(err, index.ErrUnavailable)
}

// compare works out the differences of the built generation from the live one, and keeps them
// (X19).
func (r *running) compare(ctx context.Context, build generation.Build) error {
	if r.previous == "" {
		return nil
	}
	d, err := r.differences(ctx, build)
	if errors.Is(r.liveErr, index.ErrChanged) || r.liveErr != nil && r.noBaseline(err) {
		err = r.liveErr // its records, if not its fingerprints, differ from those of clients
	}
	if r.noBaseline(err) {
		r.cfg.Log.Warn("what changes is not known: clients that keep a copy have to export anew",
			"since", r.previous, "error", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("working out what changes: %w", err)
	}
	changeset := index.Changeset{
		Generation: build.Generation(), Parent: r.previous, Added: d.Added, Changed: d.Changed, Removed: d.Removed,
	}
	if r.cfg.KeepChanges > 0 { // else guards alone want them
		if err := build.WriteChangeset(ctx, changeset, d.List); err != nil {
			return fmt.Errorf("keeping what changes: %w", err)
		}
		r.changes = &Changes{d.Added, d.Changed, d.Removed}
	}
	r.counties = byCounty(d)
	r.cfg.Log.Info("what changes", "since", r.previous, "added", d.Added, "changed", d.Changed, "removed", d.Removed)
	return nil
}

// differences returns where the generation that is built differs from the live one.
func (r *running) differences(ctx context.Context, build generation.Build) (*sidecar.Differences, error) {
	if r.cfg.Update {
		return build.Differences(ctx)
	}
	return sidecar.Compare(r.fingerprints(ctx), build.Fingerprints(ctx))
}

// setAdded gives f, unless it says when it was added, the time of the same filing in the live
// generation, or the start of the load if it is new there (rules L2 and X19).
func (r *running) setAdded(ctx context.Context, f *index.Filing) error {
	if f.Has(index.CreatedAt) {
		return nil
	}
	created, err := r.addedBefore(ctx, f.ID)
	if f.CreatedAt = created; created.IsZero() {
		f.CreatedAt = r.newlyAdded()
	}
	return err
}

// addedBefore returns when the live generation says that a filing was added; the zero time where it
// has none, or does not say.
func (r *running) addedBefore(ctx context.Context, id int64) (created time.Time, err error) {
	if r.added == nil {
		if r.added, err = newAdded(r.fingerprints(ctx)); r.noBaseline(err) {
			r.added, err = new(added), nil
		}
		if err != nil {
			return created, fmt.Errorf("looking up when filings were added: %w", err)
		}
	}
	return r.added.time(id), nil
}

// newlyAdded is when filings were added that this load brings first.
func (r *running) newlyAdded() time.Time { return r.started.UTC().Truncate(time.Microsecond) }

// added says when filings of the live generation were added, by id, in 16 bytes each. When one was
// that was there before it and is away is not known (rule X19).
type added struct{ ids, times []int64 }

// newAdded reads fingerprints, which come by id.
func newAdded(fingerprints iter.Seq2[index.Fingerprint, error]) (*added, error) {
	a := new(added)
	for s, err := range fingerprints {
		if err != nil {
			return nil, err
		}
		a.ids, a.times = append(a.ids, s.ID), append(a.times, s.Created)
	}
	return a, nil
}

// time returns when a filing was added; the zero time where there was none, or nothing says when.
func (a *added) time(id int64) time.Time {
	i, found := slices.BinarySearch(a.ids, id)
	if !found || a.times[i] == index.NoTime {
		return time.Time{}
	}
	return time.UnixMicro(a.times[i]).UTC()
}

// inputDigest returns a digest of the inputs of a load (rule X46): its sources, in these states,
// and how they are read; "" where a state is not known. Equal digests build equal generations.
func (cfg Config) inputDigest(sources []source.Source, states []string, withheld []int) string {
	if len(states) != len(sources) || len(sources) == 0 {
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
	for i, s := range sources {
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

// unchanged reports whether this load would build the live generation again.
func (r *running) unchanged(ctx context.Context, live generation.Info) (bool, error) {
	if r.cfg.Withhold != nil {
		r.same = len(r.takes) == 0
		return r.same, nil
	}
	digest := madeOf(live.Counts)
	if !r.cfg.IfChanged || digest == "" || r.liveErr != nil {
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
	r.same = r.cfg.inputDigest(r.reading.sources, states, r.active) == digest
	return r.same, nil
}

// madeOf reads the digest of the inputs from the text that a catalog keeps; "" if there is none.
func madeOf(text []byte) string {
	var k kept
	_ = json.Unmarshal(text, &k) // of nothing: ""
	return k.Made
}
