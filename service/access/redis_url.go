package access

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	// These bound calls without a deadline, such as a command's. Redis replies in less than a
	// millisecond, but may stall for seconds while it writes to a slow disk.
	dialTimeout  = time.Second
	replyTimeout = 5 * time.Second

	// A command without a reply may have counted: sent again, it would count twice. Connections
	// that Redis has closed are noticed before a command is sent, so none fails for that.
	noRetries = -1
	// callTimeout bounds the parts without a request's deadline: connecting, and a reply.
	callTimeout = dialTimeout + replyTimeout
	// dialAttempts are two, 100 ms apart, for a Redis that is being restarted.
	dialAttempts = 2
	// Nothing is pushed to us: with RESP3, go-redis would look for that before each reply.
	protocol = 2
	// Calls in groups use the connections of those alone: pool_size bounds them all.
	noPipelinePool = -1
)

// newClient returns a client of the Redis at an address, as go-redis reads it. Two forms are known:
//
//	redis://user:password@host:6379/0
//	redis://user:password@sentinel1:26379/0?master_name=filings&addr=sentinel2:26379&addr=sentinel3:26379
//
// In the second one, user and password are those of the Sentinels; Redis's own are the options username and password.
func newClient(address string) (*redis.Client, error) {
	logging.Disable()
	if u, err := url.Parse(address); err == nil && u.Query().Has("master_name") {
		options, err := failoverOptions(address)
		if err != nil {
			return nil, err
		}
		return redis.NewFailoverClient(options), nil
	}
	options, err := redisOptions(address)
	if err != nil {
		return nil, err
	}
	return redis.NewClient(options), nil
}

// redisOptions reads the address of one Redis, and sets the options that a Store needs.
func redisOptions(address string) (*redis.Options, error) {
	o, err := redis.ParseURL(address)
	if err != nil || o.Network != "tcp" {
		return nil, errors.New("the Redis URL must look like redis://user:password@host:6379/0, or rediss:// for TLS")
	}
	o.MaxRetries, o.DialerRetries, o.PipelinePoolSize, o.Protocol = noRetries, dialAttempts, noPipelinePool, protocol
	o.ContextTimeoutEnabled = true // the deadline of the request holds for its admission
	// Both only make new connections slower here: the first names the client, the second serves managed clusters.
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	bound(&o.DialTimeout, &o.ReadTimeout, &o.Dialer, o.TLSConfig)
	return o, nil
}

// failoverOptions does the same for the primary that Sentinels name. After a failover go-redis
// closes the connections to the former one, and connects to the new one.
func failoverOptions(address string) (*redis.FailoverOptions, error) {
	o, err := redis.ParseFailoverURL(address)
	if err != nil || o.MasterName == "" || o.ReplicaOnly || o.RouteByLatency || o.RouteRandomly {
		return nil, errors.New("the Redis URL of Sentinels must look like " +
			"redis://sentinel1:26379/0?master_name=filings&addr=sentinel2:26379, or rediss:// for TLS, and lead " +
			"to the primary alone")
	}
	if o.TLSConfig != nil {
		o.TLSConfig.ServerName = "" // that of the first Sentinel: each server shows the certificate of its own host
	}
	o.MaxRetries, o.DialerRetries, o.PipelinePoolSize, o.Protocol = noRetries, dialAttempts, noPipelinePool, protocol
	o.ContextTimeoutEnabled, o.DisableIdentity = true, true
	bound(&o.DialTimeout, &o.ReadTimeout, &o.Dialer, o.TLSConfig)
	return o, nil
}

// bound sets the time limits of connecting and replies, where an address does not. By TLS it has
// the deadline of the context hold for the handshake too: go-redis would not look at it there.
func bound(dial, reply *time.Duration, dialer *func(context.Context, string, string) (net.Conn, error),
	secure *tls.Config) {
	*dial, *reply = cmp.Or(*dial, dialTimeout), cmp.Or(*reply, replyTimeout)
	if secure != nil {
		*dialer = (&tls.Dialer{Config: secure}).DialContext
	}
}
