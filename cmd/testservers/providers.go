package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// A kind is a kind of server, and its providers in order.
type kind struct {
	name     string        // for people: "Redis"
	variable string        // the environment variable that carries its address
	own      bool          // an address in the environment does not count: the command ends servers, which may be in use
	timeout  time.Duration // how long one that was started may take to answer
	// probe returns the version of the server at address, and fails until that is ready for work.
	// An imitation has no version.
	probe     func(ctx context.Context, address string) (version string, err error)
	providers []provider
}

// A provider is one source of servers.
type provider struct {
	origin    string
	imitation bool // not the real thing: enough to run tests, not for REQUIRE_SERVICES=1
	// start returns a server that need not answer yet, or an error that wraps errAbsent where the machine lacks this one.
	start func(ctx context.Context) (*server, error)
}

// environmentTimeout is how long a server in the environment may take to answer: it has been running for some time.
const environmentTimeout = 10 * time.Second

// errAbsent: this machine lacks something that a provider needs. Nothing is printed of that as long
// as another provider succeeds.
var errAbsent = errors.New("absent")

// absent returns an error that wraps errAbsent and has the formatted text.
func absent(format string, values ...any) error {
	return absentError{fmt.Errorf(format, values...)}
}

type absentError struct{ error }

func (absentError) Is(target error) bool { return target == errAbsent }

// A finding is the result for one kind.
type finding struct {
	kind      kind
	address   string // "" for none
	imitation bool
	reasons   []string // why earlier providers failed
	stop      func()   // nil: nothing to stop
}

type findings []finding

// findAll tries the providers of all kinds at once. The caller has to stop the servers that it
// returns, also with an error.
func findAll(ctx context.Context, kinds []kind, h host) (findings, error) {
	found := make(findings, len(kinds))
	group, ctx := errgroup.WithContext(ctx)
	for i, k := range kinds {
		group.Go(func() (err error) {
			found[i], err = k.find(ctx, h)
			return err
		})
	}
	return found, group.Wait()
}

// find takes the first provider that succeeds and prints its server. It fails if the environment
// has an address that does not answer.
func (k kind) find(ctx context.Context, h host) (finding, error) {
	f := finding{kind: k}
	if address := h.getenv(k.variable); address != "" && !k.own {
		began := time.Now()
		version, err := k.await(ctx, &server{address: address}, min(k.timeout, environmentTimeout))
		if err != nil {
			return f, fmt.Errorf("%s: the address in %s: %w", k.name, k.variable, err)
		}
		f.address = address
		k.announce(h, version, address, "environment", began)
		return f, nil
	}
	for _, r := range k.providers {
		began := time.Now()
		s, version, err := k.try(ctx, r)
		if ctx.Err() != nil && err != nil {
			return f, context.Cause(ctx)
		}
		if err != nil {
			f.reasons = append(f.reasons, r.origin+": "+err.Error())
			if !errors.Is(err, errAbsent) {
				h.say("%s: %s failed: %v", k.name, r.origin, err)
			}
			continue
		}
		f.address, f.imitation, f.stop = s.address, r.imitation, s.stop
		k.announce(h, version, s.address, r.origin, began)
		return f, nil
	}
	return f, nil
}

// try starts a provider's server and waits until it answers. It leaves nothing behind if it does not.
func (k kind) try(ctx context.Context, r provider) (*server, string, error) {
	s, err := r.start(ctx)
	if err != nil {
		return nil, "", err
	}
	version, err := k.await(ctx, s, k.timeout)
	if err != nil {
		s.stop()
		return nil, "", err
	}
	return s, version, nil
}

// await probes s until it answers, it ends, or the timeout expires.
func (k kind) await(ctx context.Context, s *server, timeout time.Duration) (version string, err error) {
	over := time.After(timeout)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		version, err = k.probeOnce(ctx, s.address)
		if err == nil {
			return version, nil
		}
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case end := <-s.ended:
			return "", end
		case <-over:
			err = fmt.Errorf("no answer from %s within %v: %w", redacted(s.address), timeout, err)
			if s.output != "" {
				err = fmt.Errorf("%w: %s", err, closingLines(s.output))
			}
			return "", err
		case <-tick.C:
		}
	}
}

// probeOnce probes once. A server that is up answers in milliseconds; one that is starting may not answer at all.
func (k kind) probeOnce(ctx context.Context, address string) (version string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	version, err = k.probe(ctx, address)
	// A url.Error repeats the address, perhaps with a password in it.
	var repeats *url.Error
	if errors.As(err, &repeats) {
		err = repeats.Err
	}
	return version, err
}

// announce prints the server, its provider, and how long that took.
func (k kind) announce(h host, version, address, origin string, began time.Time) {
	what := strings.TrimSpace(k.name + " " + version)
	h.say("%s at %s (%s, %.1f s)", what, redacted(address), origin, time.Since(began).Seconds())
}

// redacted returns an address, or several separated by commas, without passwords.
func redacted(addresses string) string {
	all := strings.Split(addresses, ",")
	for i, address := range all {
		if u, err := url.Parse(address); err == nil {
			all[i] = u.Redacted()
		} else {
			all[i] = "an address that is not a URL"
		}
	}
	return strings.Join(all, ",")
}

// environment returns the variables that name the servers to the command.
func (all findings) environment() []string {
	var variables []string
	for _, f := range all {
		if f.address != "" {
			variables = append(variables, f.kind.variable+"="+f.address)
		}
	}
	return variables
}

// missing returns a line for each kind of which there is no real server.
func (all findings) missing() []string {
	var lines []string
	for _, f := range all {
		reasons := strings.Join(f.reasons, "; ")
		switch {
		case f.address == "":
			lines = append(lines, fmt.Sprintf("LEFT OUT: every test that needs %s, for there is none (%s)", f.kind.name, reasons))
		case f.imitation:
			lines = append(lines, fmt.Sprintf("IMITATED: every test that needs %s runs on an imitation, for there is no real one (%s)", f.kind.name, reasons))
		}
	}
	return lines
}

// stop stops the servers that were started.
func (all findings) stop() {
	for _, f := range all {
		if f.stop != nil {
			f.stop()
		}
	}
}
