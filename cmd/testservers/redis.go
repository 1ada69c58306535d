package main

import (
	"context"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"filings/cmd/testservers/servers"
)

const (
	redisImage   = "redis"
	redisVersion = "7.4" // of the image; a test compares it with docker-compose.yml
)

// redisKind is Redis: in Docker, else redis-server on the PATH, else miniredis in this process.
func redisKind(h host) kind {
	return kind{
		name:     "Redis",
		variable: servers.RedisVariable,
		timeout:  30 * time.Second,
		probe:    probeRedis,
		providers: []provider{
			inDocker(container{repository: redisImage, tag: redisVersion, scheme: "redis", port: "6379/tcp"}, h),
			{origin: "redis-server", start: localRedis},
			{origin: "miniredis", imitation: true, start: imitatedRedis},
		},
	}
}

// probeRedis is the probe of a Redis at a redis:// or rediss:// address.
func probeRedis(ctx context.Context, address string) (string, error) {
	options, err := redis.ParseURL(address)
	if err != nil {
		return "", err
	}
	// The client writes a line to standard error for each connection that it cannot make, so try that first.
	connection, err := (&net.Dialer{}).DialContext(ctx, options.Network, options.Addr)
	if err != nil {
		return "", err
	}
	connection.Close()
	client := redis.NewClient(options)
	defer client.Close()
	if err := client.Ping(ctx).Err(); err != nil {
		return "", err
	}
	// miniredis answers without a version.
	for line := range strings.Lines(client.Info(ctx, "server").Val()) {
		if version, found := strings.CutPrefix(line, "redis_version:"); found {
			return strings.TrimSpace(version), nil
		}
	}
	return "", nil
}

// localRedis starts the redis-server on the PATH, which keeps nothing on disk.
func localRedis(context.Context) (*server, error) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, absent("it is not on the PATH (Debian package redis-server)")
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "testservers-redis-")
	if err != nil {
		return nil, err
	}
	command := exec.Command(path, "--bind", "127.0.0.1", "--port", strconv.Itoa(port),
		"--dir", folder, "--save", "", "--appendonly", "no")
	s, err := startServer(command, "redis://127.0.0.1:"+strconv.Itoa(port), folder)
	if err != nil {
		os.RemoveAll(folder)
	}
	return s, err
}

// imitatedRedis starts miniredis, which ends with this process.
func imitatedRedis(context.Context) (*server, error) {
	m := miniredis.NewMiniRedis()
	if err := m.Start(); err != nil {
		return nil, err
	}
	return &server{address: "redis://" + m.Addr(), stop: m.Close}, nil
}
