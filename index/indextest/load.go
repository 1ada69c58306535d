package indextest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"filings/index"
	"filings/index/generation"
	"filings/index/sidecar"
)

// Load makes filings the live generation of store, as a load does: lock, begin, put, seal, compare
// the counts, write the changeset from the generation that was live, promote, release. It returns
// the generation's name. The filings may be one Filing that is reused; slices.Values gives those of
// a slice.
func Load(ctx context.Context, store generation.Store, filings iter.Seq[*index.Filing]) (string, error) {
	return promoted(ctx, store, func(lock generation.Lock, live string) (string, error) {
		return build(ctx, lock, "", filings, nil, ChangesetFrom(store, live))
	})
}

// Update makes a copy of the live generation of store live, to which filings were added or put in
// the place of others, and from which some were removed. It returns the generation's name.
func Update(ctx context.Context, store generation.Store, filings iter.Seq[*index.Filing], removed []int64) (string, error) {
	return promoted(ctx, store, func(lock generation.Lock, live string) (string, error) {
		return build(ctx, lock, live, filings, removed, ChangesetFrom(store, live))
	})
}

// promoted promotes what made makes of the live generation.
func promoted(ctx context.Context, store generation.Store, made func(lock generation.Lock, live string) (string, error)) (name string, err error) {
	lock, err := store.Lock(ctx, generation.Run{Holder: "indextest", Started: time.Now().UTC(), Phase: "loading"})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, lock.Release(ctx)) }()
	live, err := LiveName(ctx, store)
	if err != nil {
		return "", err
	}
	if name, err = made(lock, live); err != nil {
		return "", err
	}
	return name, lock.Promote(ctx, live, name)
}

// build puts filings into a new generation and seals it. Its counts are compared if it was not begun from another one.
func build(ctx context.Context, lock generation.Lock, from string, filings iter.Seq[*index.Filing], removed []int64,
	changeset func(generation.Build) generation.Check,
) (string, error) {
	b, err := lock.Begin(ctx, from)
	if err != nil {
		return "", err
	}
	want, values := index.NewCounts(), new(index.Values)
	for f := range filings {
		if err := b.Put(ctx, f); err != nil {
			return "", errors.Join(err, b.Abort(ctx))
		}
		held := index.ValuesOf(f)
		want.Count(held, 1)
		values.Count(held, 1)
	}
	if from == "" {
		b.Keep(nil, values, nil)
	}
	for _, id := range removed {
		if err := b.Remove(ctx, id); err != nil {
			return "", errors.Join(err, b.Abort(ctx))
		}
	}
	got, err := b.Seal(ctx, changeset(b))
	if err != nil {
		return "", errors.Join(err, b.Abort(ctx))
	}
	if diff := want.Diff(got); from == "" && diff != nil {
		return "", fmt.Errorf("%s holds something else than was put: %q", b.Generation(), diff)
	}
	return b.Generation(), nil
}

// LiveName returns the name of the live generation, "" for none. Unlike Live it is never a second late.
func LiveName(ctx context.Context, store generation.Store) (string, error) {
	all, err := store.Generations(ctx)
	if err != nil {
		return "", err
	}
	for _, g := range all {
		if g.Live {
			return g.Name, nil
		}
	}
	return "", nil
}

// ChangesetFrom returns what makes the Check of a build that writes the changeset to it from a
// generation of store, if that one has fingerprints. All of them are in memory.
func ChangesetFrom(store generation.Store, parent string) func(generation.Build) generation.Check {
	return func(b generation.Build) generation.Check {
		return func(ctx context.Context, _ index.Reader, _ index.Counts) error {
			if parent == "" {
				return nil
			}
			before, err := fingerprints(store.Fingerprints(ctx, parent))
			if errors.Is(err, index.ErrNotFound) {
				return nil
			}
			after, also := fingerprints(b.Fingerprints(ctx))
			if err := errors.Join(err, also); err != nil {
				return err
			}
			changeset, differences := differ(before, after)
			changeset.Generation, changeset.Parent = b.Generation(), parent
			return b.WriteChangeset(ctx, changeset, differences)
		}
	}
}

func fingerprints(all iter.Seq2[index.Fingerprint, error]) (map[int64]index.Fingerprint, error) {
	by, last := map[int64]index.Fingerprint{}, int64(0)
	for s, err := range all {
		if err != nil {
			return nil, err
		}
		if s.ID <= last {
			return nil, fmt.Errorf("the fingerprint of %d comes after that of %d", s.ID, last)
		}
		by[s.ID], last = s, s.ID
	}
	return by, nil
}

// differ returns what differs between filings with these fingerprints, by id, and how many were
// added, changed and removed.
func differ(before, after map[int64]index.Fingerprint) (changeset index.Changeset, all []sidecar.Difference) {
	for id, a := range after {
		b, had := before[id]
		d := sidecar.Difference{ID: id, FieldGroups: b.Digests.DifferIn(a.Digests), Earlier: had, Later: true}
		switch {
		case !had:
			changeset.Added++
			d.FieldGroups = index.AllFieldGroups
		case d.FieldGroups != 0:
			changeset.Changed++
		}
		if d.FieldGroups != 0 {
			all = append(all, d)
		}
	}
	for id := range before {
		if _, has := after[id]; !has {
			changeset.Removed++
			all = append(all, sidecar.Difference{ID: id, FieldGroups: index.AllFieldGroups, Earlier: true})
		}
	}
	slices.SortFunc(all, func(a, b sidecar.Difference) int { return cmp.Compare(a.ID, b.ID) })
	return changeset, all
}

// Running returns the load that holds the lock, as it published itself, or nil.
func Running(ctx context.Context, store generation.Store) (*generation.Run, error) {
	run, err := LastRun(ctx, store)
	if run == nil || run.Outcome != generation.OutcomeRunning {
		return nil, err
	}
	run.Outcome = ""
	return run, nil
}

// LastRun returns the load that holds the lock, or held it last; nil before the first load.
func LastRun(ctx context.Context, store generation.Store) (*generation.Run, error) {
	loads, err := store.Loads(ctx)
	if err != nil || len(loads) == 0 {
		return nil, err
	}
	return &loads[0], nil
}
