package reindexer

import "time"

// Progress shows a run to whoever watches it. Run never calls it from two goroutines at once.
type Progress interface {
	// Show is called when a phase begins, several times a second while it lasts, and once after the last.
	Show(Status)
	// Reject is called for the first 20 rejects.
	Reject(Reject)
}

// Status is how far a run has come.
type Status struct {
	Phase      string // one of the Phase constants; "" after the last
	Generation string // that is built; "" before there is one
	Elapsed    time.Duration

	Read, Indexed, Updated, Deleted, Missing, Rejected int64

	Bytes      int64 // read of the sources as they are stored
	TotalBytes int64 // of the sources; 0 where that is not known
}

// The phases of a run, in order.
const (
	PhasePreparing = "preparing"
	PhaseLoading   = "loading"
	PhaseSealing   = "sealing"
	PhaseVerifying = "verifying"
	PhasePromoting = "promoting"
	PhasePruning   = "pruning"
)

// silent is the Progress that nobody sees.
type silent struct{}

func (silent) Show(Status)   {}
func (silent) Reject(Reject) {}
