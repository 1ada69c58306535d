//go:build !linux

package edge

// hungUp always returns false. Only Linux reports a hang-up before earlier data has been read.
func hungUp(uintptr) bool { return false }
