package export

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"filings/index"
)

// TestX53_Withdrawn: of pages that came before, nothing more is sent once filings of their
// generation are withheld; the file is not whole.
func TestX53_Withdrawn(t *testing.T) {
	t.Parallel()
	const total = 2000
	for after := range 4 { // reads
		client, server := net.Pipe()
		defer client.Close()
		withdrawn := false
		var sent Sent
		s := Send(t.Context(), Sending{
			Lease: &Lease{}, Slot: NewSlots(1, time.Hour).Take(t.Context()), Conn: server,
			Flush: func() error { return nil },
			Limit: time.Hour, Stall: time.Hour, Done: func(s Sent) { sent = s },
			Withdrawn: func(context.Context) error {
				if withdrawn {
					return index.ErrGone
				}
				return nil
			},
		}, func(ctx context.Context) *Stream {
			return NewStream(ctx, paged(records(total)), "", total, newEncoder(t, NDJSON, Fields(index.Pro)), never)
		})
		buffer := make([]byte, 1<<20)
		for range after {
			if n, err := s.Read(buffer); n == 0 || err != nil {
				t.Fatal(n, err)
			}
		}
		withdrawn = true
		if n, err := s.Read(buffer); n != 0 || !errors.Is(err, io.ErrUnexpectedEOF) || !errors.Is(err, index.ErrGone) {
			t.Errorf("after %d reads: %d bytes, %v", after, n, err)
		}
		if sent.Outcome() != "failed" || sent.Rows >= total {
			t.Errorf("after %d reads: %+v", after, sent)
		}
	}
}
