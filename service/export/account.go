package export

import (
	"context"
	"errors"
	"strings"
	"time"

	"filings/index"
	"filings/service/access"
	"filings/service/params"
)

// ErrAfter is that the filing after which an export is to begin is none of those that it has.
var ErrAfter = errors.New("export: the filters do not select the filing to begin after")

// Count returns how many filings an export has: those that w selects, from the one after `id` on,
// unless that is 0. It is ErrAfter if w does not select that one.
func Count(ctx context.Context, r index.Reader, w index.Filter, id int64) (int64, error) {
	if id == 0 {
		return r.Count(ctx, w)
	}
	var values [index.NumReturned][]byte
	record, err := index.OneFiling(ctx, r, id)
	if errors.Is(err, index.ErrNotFound) {
		return 0, ErrAfter
	}
	if err == nil {
		err = record.Values(values[:], index.FilingDate)
	}
	if err != nil {
		return 0, err
	}
	day := strings.Trim(string(values[index.FilingDate]), `"`)
	if day == "null" {
		day = ""
	}
	later, err := r.Count(ctx, w.And(index.Rest{Date: day, ID: id}))
	if err != nil {
		return 0, err
	}
	rest, err := r.Count(ctx, w.And(index.Rest{Date: day, ID: id - 1}))
	if err == nil && later == rest {
		err = ErrAfter
	}
	return rest, err
}

// Charge is an export's price: one request per 100 rows, rounded up, before the first byte (X7).
type Charge struct {
	Rows      int64            // that the export has
	Price     int64            // in requests
	Admission access.Admission // that the price was charged to, as it stands since; refused: nothing was
}

// Take charges an account the price of so many rows, all of it or nothing. Without a body the price
// is that of any request.
func Take(ctx context.Context, store access.Store, a access.Admission, rows int64, body bool) (c Charge, err error) {
	c = Charge{Rows: rows, Price: 1}
	if body {
		c.Price = params.PriceOf(rows)
	}
	c.Admission, err = store.Charge(ctx, a, c.Price)
	return c, err
}

// Unsent returns how many requests go back to the account where so many rows were sent: one per 100
// rows that were not, but one stays charged.
func (c Charge) Unsent(sent int64) int64 {
	return max(0, min((c.Rows-sent)/params.RowsForOne, c.Price-1))
}

// Lease is the right of an account to its one export at a time, which the key store keeps for all processes (rule X8).
type Lease struct {
	store   access.Store
	user    string
	id      string
	renewed chan struct{} // closed when it is renewed no more
}

// AcquireLease takes the lease of user's account for the export with that id. While another export
// has it, the Lease is nil, and left is for how long.
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
		ticker := time.NewTicker(access.LeaseRenewal)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
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
