package sorter

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// ErrSpace: files take more than they may.
var ErrSpace = errors.New("temporary files take more than they may")

// Space is how many bytes the temporary files of a load may have together, at once. A nil Space has no limit.
type Space struct {
	most  int64
	taken atomic.Int64
}

// NewSpace returns a Space of so many bytes; nil, which has no limit, for 0.
func NewSpace(most int64) *Space {
	if most == 0 {
		return nil
	}
	return &Space{most: most}
}

// Take takes n bytes before they are written, which Free gives back, or fails with ErrSpace.
func (s *Space) Take(n int64) error {
	if s == nil {
		return nil
	}
	if s.taken.Add(n) > s.most {
		s.taken.Add(-n)
		return fmt.Errorf("%w, %.1f GiB (FILINGS_TEMPORARY)", ErrSpace, float64(s.most)/(1<<30))
	}
	return nil
}

// Free gives back what a file had that is gone.
func (s *Space) Free(n int64) {
	if s != nil {
		s.taken.Add(-n)
	}
}
