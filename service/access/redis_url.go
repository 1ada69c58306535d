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
	// These bound what has no deadline of its own, such as a command. Redis replies in less than a millisecond, but may
	// stall for seconds while it writes to a slow disk.
	dialTimeout  = time.Second
	replyTimeout = 5 * time.Second

	// A command without a reply may have counted: sent again, it would count twice. Connections that Redis has closed are
	// noticed before a command is sent, so none fails for that.
	noRetries = -1
	// callTimeout bounds what has no time of a request's: connecting, and a reply.
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

// redisOptions reads the address of one Redis, and sets what the promises of a Store need.
func redisOptions(address string) (*redis.Options, error) {
	options, err := redis.ParseURL(address)
	if err != nil || options.Network != "tcp" {
		return nil, errors.New("the Redis URL must look like redis://user:password@host:6379/0, or rediss:// for TLS")
	}
	options.MaxRetries = noRetries
	options.ContextTimeoutEnabled = true // the deadline of the request holds for its admission
	options.DialerRetries = dialAttempts
	options.DialTimeout = cmp.Or(options.DialTimeout, dialTimeout)
	options.ReadTimeout = cmp.Or(options.ReadTimeout, replyTimeout)
	if options.TLSConfig != nil {
		options.Dialer = tlsDialer(options.TLSConfig)
	}
	options.Protocol = protocol
	options.PipelinePoolSize = noPipelinePool
	// Both only make new connections slower here: the first names the client, the second serves managed clusters.
	options.DisableIdentity = true
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return options, nil
}

// failoverOptions does the same for the primary that Sentinels name. After a failover go-redis closes the connections to
// the former one, and connects to the new one.
func failoverOptions(address string) (*redis.FailoverOptions, error) {
	options, err := redis.ParseFailoverURL(address)
	if err != nil || options.MasterName == "" || options.ReplicaOnly || options.RouteByLatency || options.RouteRandomly {
		return nil, errors.New("the Redis URL of Sentinels must look like " +
			"redis://sentinel1:26379/0?master_name=filings&addr=sentinel2:26379, or rediss:// for TLS, and lead to the primary alone")
	}
	options.MaxRetries = noRetries
	options.ContextTimeoutEnabled = true
	options.DialerRetries = dialAttempts
	options.DialTimeout = cmp.Or(options.DialTimeout, dialTimeout)
	options.ReadTimeout = cmp.Or(options.ReadTimeout, replyTimeout)
	if options.TLSConfig != nil {
		options.TLSConfig.ServerName = "" // that of the first Sentinel: each server shows the certificate of its own host
		options.Dialer = tlsDialer(options.TLSConfig)
	}
	options.Protocol = protocol
	options.PipelinePoolSize = noPipelinePool
	options.DisableIdentity = true
	return options, nil
}

// tlsDialer dials by TLS within the deadline of the context: go-redis would shake hands without looking at it.
func tlsDialer(config *tls.Config) func(ctx context.Context, network, address string) (net.Conn, error) {
	return (&tls.Dialer{Config: config}).DialContext
}
