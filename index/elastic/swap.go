package elastic

import (
	"context"
	"errors"
	"fmt"

	"filings/index/elastic/client"
	"filings/index/generation"
)

// Swap makes the sealed generation `to` live in one step, if `from` is live ("" for none). Else it changes nothing and
// returns generation.ErrConflict.
func (s *Store) Swap(ctx context.Context, from, to string) error {
	if err := s.swap(ctx, from, to); err != nil {
		return fmt.Errorf("making %s live: %w", to, err)
	}
	return nil
}

// swap is Swap on a further condition.
func (s *Store) swap(ctx context.Context, from, to string, condition ...action) error {
	check := func(ctx context.Context) error { return s.checkSwap(ctx, from, to) }
	if err := s.c.Retry(ctx, client.RequestTime, check); err != nil {
		return err
	}
	actions := condition
	if from != "" {
		actions = append(actions, removeAlias(from, s.alias))
	}
	actions = append(actions, addWriteAlias(to, s.alias))
	err := s.commit(ctx, func(ctx context.Context) (bool, error) {
		live, err := s.liveName(ctx)
		return live == to, err
	}, actions...)
	s.forget()
	if errors.Is(err, errRefused) {
		return generation.ErrConflict
	}
	return err
}

// checkSwap looks at what Elasticsearch cannot be given as a condition: that `to` is sealed, and, since adding what is
// there is no error, that nothing is live where `from` says so. Neither can become untrue: what is sealed stays so, and
// an alias that appears meanwhile is refused for being a second one.
func (s *Store) checkSwap(ctx context.Context, from, to string) error {
	live, err := s.liveName(ctx)
	if err != nil {
		return err
	}
	if live != from {
		return generation.ErrConflict
	}
	_, err = s.sealed(ctx, to)
	return err
}
