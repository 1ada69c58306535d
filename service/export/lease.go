package export

import (
	"context"
	"time"

	"filings/service/access"
)

// Lease is the right of an account to its one export at a time, which the key store keeps for all processes (rule X8).
type Lease struct {
	store   access.Store
	user    string
	id      string
	renewed chan struct{} // closed when it is renewed no more
}

// AcquireLease takes the lease of user's account for the export with that id. While another export has it, the Lease is nil, and left
// is for how long.
func AcquireLease(ctx context.Context, store access.Store, user, id string) (l *Lease, left time.Duration, err error) {
	left, err = store.AcquireLease(ctx, user, id)
	if err != nil || left > 0 {
		return nil, left, err
	}
	return &Lease{store: store, user: user, id: id}, 0, nil
}

// renew keeps the lease until ctx ends, or another export has it: then it calls lost.
func (l *Lease) renew(ctx context.Context, lost func()) {
	l.renewed = make(chan struct{})
	go func() {
		defer close(l.renewed)
		every := time.NewTicker(access.LeaseRenewal)
		defer every.Stop()
		for {
			select {
			case <-every.C:
			case <-ctx.Done():
				return
			}
			left, err := l.store.AcquireLease(ctx, l.user, l.id)
			if err == nil && left > 0 { // a store that does not respond now may respond the next time
				lost()
				return
			}
		}
	}()
}

// Release ends the lease, which by then must not be renewed. Where that fails it expires by itself.
func (l *Lease) Release() error { return l.store.Release(context.Background(), l.user, l.id) }
