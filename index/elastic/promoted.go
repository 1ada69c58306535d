package elastic

import (
	"context"
	"errors"
	"fmt"

	"filings/index"
	"filings/index/generation"
)

// promotedMark is an alias of the state index that says that a generation was promoted once: without it, data that were
// lost would look like data that were never there (rule L7). The first promotion adds it, in the same cluster state update
// that makes the generation live.
func (s *Store) promotedMark() string { return s.alias + "-promoted" }

// marksMark is an alias of the state index that says that promotions are marked there: that promotedMark is missing means
// something. State indices of former versions have neither, until the next load.
func (s *Store) marksMark() string { return s.alias + "-marks-promotions" }

func (s *Store) markPromoted() action { return addAlias(s.stateIndex(), s.promotedMark()) }

// stateAliases returns the aliases of the state index, none without one.
func (s *Store) stateAliases(ctx context.Context) (aliases, error) {
	state, err := s.describe(ctx, s.stateIndex())
	if errors.Is(err, index.ErrGone) {
		return nil, nil
	}
	return state[s.stateIndex()].Aliases, err
}

// marks returns the actions that make the state index one that marks promotions, none if it is one.
func (s *Store) marks(ctx context.Context) ([]action, error) {
	found, err := s.stateAliases(ctx)
	if _, marked := found[s.marksMark()]; err != nil || marked {
		return nil, err
	}
	actions := []action{addAlias(s.stateIndex(), s.marksMark())}
	promoted, err := s.wasPromoted(ctx)
	if promoted {
		actions = append(actions, s.markPromoted())
	}
	return actions, err
}

// missing is what there is to say where the alias was seen to be missing: nothing before the first promotion, index.ErrLost
// after it. It returns the name of a generation that became live meanwhile.
func (s *Store) missing(ctx context.Context) (name string, err error) {
	once, err := s.promotedOnce(ctx)
	if err != nil || !once {
		return "", err
	}
	// The mark may have come with a promotion after the look at the alias.
	if name, err = s.liveName(ctx); err != nil || name != "" {
		return name, err
	}
	return "", fmt.Errorf("%w: the alias %s, or the index it pointed at, was deleted: %s", index.ErrLost, s.alias, generation.Repair)
}

// promotedOnce reports whether a generation was ever promoted, as far as this process or the state index knows.
func (s *Store) promotedOnce(ctx context.Context) (bool, error) {
	if k := s.live.seen.Load(); k != nil && k.reader != nil && k.reader.Generation() != "" {
		return true, nil
	}
	found, err := s.stateAliases(ctx)
	if err != nil {
		return false, err
	}
	if _, promoted := found[s.promotedMark()]; promoted {
		return true, nil
	}
	if _, marked := found[s.marksMark()]; marked {
		return false, nil
	}
	return s.wasPromoted(ctx)
}

// wasPromoted judges by what is there without marks: data of a former version, or whose state index was deleted.
func (s *Store) wasPromoted(ctx context.Context) (bool, error) {
	if sealed, err := s.hasSealed(ctx); sealed || err != nil {
		return sealed, err
	}
	last, err := s.LastRun(ctx)
	return last != nil && last.Outcome == generation.OutcomePromoted, err
}

// hasSealed reports whether there is a sealed generation. One that is sealed was promoted, but for a moment between the two.
func (s *Store) hasSealed(ctx context.Context) (bool, error) {
	found, err := s.describe(ctx, s.alias+"-*")
	for name, d := range found {
		if _, ok := generation.ParseName(s.alias, name); ok && d.Mappings.Meta.IsOf(name) {
			return true, nil
		}
	}
	return false, err
}
