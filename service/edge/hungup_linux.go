package edge

import "golang.org/x/sys/unix"

// hungUp reports whether a socket gets no more bytes than those that have come.
func hungUp(socket uintptr) bool {
	asked := []unix.PollFd{{Fd: int32(socket), Events: unix.POLLRDHUP}} // and an error, which is always asked for
	n, err := unix.Poll(asked, 0)
	return n > 0 && err == nil
}
