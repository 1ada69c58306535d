//go:build !linux

package edge

// hungUp always returns false. Only Linux can report a hang-up before the data sent earlier has
// been read.
func hungUp(uintptr) bool { return false }
