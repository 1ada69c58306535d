package edge

import "golang.org/x/sys/unix"

// hungUp reports whether no more bytes come on a socket.
func hungUp(socket uintptr) bool {
	asked := []unix.PollFd{{Fd: int32(socket), Events: unix.POLLRDHUP}} // and an error, which is always asked for
	n, err := unix.Poll(asked, 0)
	return n > 0 && err == nil
}
