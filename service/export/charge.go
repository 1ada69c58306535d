package export

import (
	"context"

	"filings/service/access"
	"filings/service/params"
)

// Charge is what an export costs: one request per 100 rows, rounded up, charged before the first byte (rule X7).
type Charge struct {
	Rows      int64            // that the export has
	Price     int64            // in requests
	Admission access.Admission // that the price was charged to, as it stands since; refused: nothing was
}

// Take charges an account the price of so many rows, all of it or nothing. Without a body the price is that of any request.
func Take(ctx context.Context, store access.Store, a access.Admission, rows int64, body bool) (c Charge, err error) {
	c = Charge{Rows: rows, Price: 1}
	if body {
		c.Price = params.PriceOf(rows)
	}
	c.Admission, err = store.Charge(ctx, a, c.Price)
	return c, err
}

// Unsent returns how many requests go back to the account where so many rows were sent: one per 100 rows that were not, but
// one stays charged.
func (c Charge) Unsent(sent int64) int64 {
	return max(0, min((c.Rows-sent)/params.RowsForOne, c.Price-1))
}
