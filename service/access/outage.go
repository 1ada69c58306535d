package access

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/redis/go-redis/v9"
)

// redisFailure says that Redis did not do an action, and why in words of our own: the texts of the
// errors below hold addresses, and any text of a server. One that no time mends is ErrRefused or
// ErrCluster.
func redisFailure(action string, err error) error {
	var certificate *tls.CertificateVerificationError
	var errorReply redis.Error
	kind := ErrUnavailable
	switch {
	case errors.As(err, &certificate), errors.Is(err, redis.Nil):
		kind = ErrRefused
	case errors.As(err, &errorReply):
		switch code := replyCode(errorReply); {
		// the error of a script
		case slices.Contains(clusterCodes, code), strings.Contains(errorReply.Error(), "in a cluster node"):
			return fmt.Errorf("%s: %w", action, ErrCluster)
		case code == notPermitted, refusal.MatchString(errorReply.Error()):
			kind = ErrRefused
		}
	}
	return fmt.Errorf("%s: %w: %s", action, kind, outage(err))
}

var (
	// refusal is a reply about the address: credentials, protected mode, the number of the database.
	refusal = regexp.MustCompile(`^(WRONGPASS|NOAUTH|DENIED|ERR AUTH|ERR DB index) `)
	// inScript is NOPERM as a script gets it, from Redis 7.2 on and before.
	inScript     = regexp.MustCompile(`^ERR (ACL failure in script:|The user executing the script) `)
	clusterCodes = []string{"MOVED", "ASK", "CROSSSLOT", "CLUSTERDOWN"}

	// meanings are those of the codes with which a Redis that runs refuses to count.
	meanings = map[string]string{
		"OOM":        ": its memory is full",
		"READONLY":   ": it is a replica",
		"MISCONF":    ": it cannot write to its disk",
		"NOREPLICAS": ": too few replicas follow it",
		notPermitted: ": its user lacks a command, or the names that begin with filings:",
	}
)

func outage(err error) string {
	var (
		errno       syscall.Errno
		lookup      *net.DNSError
		certificate *tls.CertificateVerificationError
		errorReply  redis.Error
	)
	switch {
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "no reply in time"
	case errors.Is(err, redis.ErrPoolTimeout):
		return "all connections are busy"
	case errors.Is(err, redis.Nil):
		return "its Sentinels know no master of that name"
	case errors.Is(err, redis.ErrClosed):
		return "the store was closed"
	case errors.As(err, &errno):
		return errno.Error()
	case errors.As(err, &lookup):
		return "its host name is not known"
	case errors.As(err, &certificate):
		return "its certificate is not trusted"
	case errors.Is(err, io.EOF):
		return "it closed the connection"
	case errors.As(err, &errorReply):
		code := replyCode(errorReply)
		return "it replied " + code + meanings[code]
	}
	return "the connection failed"
}

// aboutOneAccount reports whether err says that Redis holds something else of an account than this package writes. No
// other account suffers from that.
func aboutOneAccount(err error) bool {
	var errorReply redis.Error
	return errors.As(err, &errorReply) && slices.Contains([]string{"TIER", "WRONGTYPE"}, replyCode(errorReply))
}

// notPermitted is the code about a user who may not do that.
const notPermitted = "NOPERM"

// replyCode is the code that an error of Redis begins with, such as LOADING, READONLY or WRONGPASS.
func replyCode(errorReply redis.Error) string {
	if inScript.MatchString(errorReply.Error()) {
		return notPermitted
	}
	code, _, _ := strings.Cut(errorReply.Error(), " ")
	if code == "" || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return "an error"
	}
	return code
}
