package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/ory/dockertest/v3"
	"github.com/ory/dockertest/v3/docker"
)

const (
	// dockerTimeout is how long a Docker engine may take to answer: one on this machine needs milliseconds.
	dockerTimeout = 3 * time.Second
	// containerLife is when the engine ends a container that testservers did not end, in seconds: later than the longest run, which is
	// `make soak` with the 24 hours that it may take.
	containerLife = 25 * 3600
)

// A container is started in Docker. An image that docker-compose.yml has too is the same, which a
// test compares.
type container struct {
	repository, tag string
	environment     []string
	command         []string
	scheme          string
	user            *url.Userinfo // nil: the address has none
	port            docker.Port
}

// inDocker is the provider of a container that publishes its port on the loopback interface.
func inDocker(c container, h host) provider {
	return provider{origin: "Docker", start: func(ctx context.Context) (*server, error) {
		pool, err := localDocker(ctx)
		if err != nil {
			return nil, err
		}
		if err := c.pull(ctx, pool, h); err != nil {
			return nil, err
		}
		name := "filings-testservers-" + rand.Text()
		resource, err := pool.RunWithOptions(&dockertest.RunOptions{
			Name:         name,
			Repository:   c.repository,
			Tag:          c.tag,
			Env:          c.environment,
			Cmd:          c.command,
			PortBindings: map[docker.Port][]docker.PortBinding{c.port: {{HostIP: "127.0.0.1"}}},
		}, func(config *docker.HostConfig) {
			config.PublishAllPorts = false
			config.AutoRemove = true
		})
		if err != nil {
			pool.RemoveContainerByName(name) // it may exist without having started
			return nil, fmt.Errorf("starting %s:%s: %w", c.repository, c.tag, err)
		}
		resource.Expire(containerLife) // it never fails: it runs in the background
		return &server{
			address: (&url.URL{Scheme: c.scheme, User: c.user, Host: resource.GetHostPort(string(c.port))}).String(),
			ended:   awaitExit(pool, resource.Container.ID),
			stop:    func() { pool.Purge(resource) },
		}, nil
	}}
}

// localDocker returns the Docker engine of the environment, if it answers soon and runs on this machine: a container
// that publishes its port on the loopback interface of another machine would be out of reach.
func localDocker(ctx context.Context) (*dockertest.Pool, error) {
	pool, err := dockertest.NewPool("")
	if err != nil {
		return nil, absent("%w", err)
	}
	endpoint := pool.Client.Endpoint()
	if !onThisMachine(endpoint) {
		return nil, absent("the engine at %s is on another machine", endpoint)
	}
	ctx, cancel := context.WithTimeout(ctx, dockerTimeout)
	defer cancel()
	if err := pool.Client.PingWithContext(ctx); err != nil {
		return nil, absent("no engine answers at %s", endpoint)
	}
	return pool, nil
}

// onThisMachine reports whether a Docker endpoint is a socket or a loopback address.
func onThisMachine(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil {
		return false
	}
	switch u.Scheme {
	case "unix", "npipe":
		return true
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// pull fetches the image if the engine does not have it. dockertest would do that too, but ignores ctx.
func (c container) pull(ctx context.Context, pool *dockertest.Pool, h host) error {
	name := c.repository + ":" + c.tag
	if _, err := pool.Client.InspectImage(name); err == nil {
		return nil
	}
	h.say("fetching the image %s", name)
	options := docker.PullImageOptions{Repository: c.repository, Tag: c.tag, Context: ctx}
	if err := pool.Client.PullImage(options, docker.AuthConfiguration{}); err != nil {
		return fmt.Errorf("fetching the image %s: %w", name, err)
	}
	return nil
}

// awaitExit reports the end of a container.
func awaitExit(pool *dockertest.Pool, id string) <-chan error {
	ended := make(chan error, 1)
	go func() {
		code, err := pool.Client.WaitContainer(id)
		if err != nil {
			err = fmt.Errorf("the container is gone: %w", err)
		} else {
			err = fmt.Errorf("the container ended with code %d", code)
		}
		ended <- err
	}()
	return ended
}
