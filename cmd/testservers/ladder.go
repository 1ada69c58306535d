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

// A kind is a kind of server, and the ways to get one.
type kind struct {
	name     string        // for people: "Redis"
	variable string        // the environment variable that carries its address
	own      bool          // an address that was given is not taken: what the command does to the server is not for others
	patience time.Duration // how long one that was started may take to answer
	// probe asks the server at address for its version, and fails until it is ready for work.
	// An imitation has no version.
	probe func(ctx context.Context, address string) (version string, err error)
	rungs []rung
}

// A rung is one way to get a server.
type rung struct {
	origin    string
	imitation bool // not the real thing: good for a look, not for REQUIRE_SERVICES=1
	// start returns a server that need not answer yet, or an error that wraps errAbsent where this way cannot exist.
	start func(ctx context.Context) (*server, error)
}

// givenPatience is how long a server may take to answer that somebody else started, some time ago.
const givenPatience = 10 * time.Second

// errAbsent: this machine lacks what a rung stands on. That is no trouble worth a line as long as another rung holds.
var errAbsent = errors.New("absent")

// absent returns an error that wraps errAbsent and reads as given.
func absent(format string, values ...any) error {
	return absentError{fmt.Errorf(format, values...)}
}

type absentError struct{ error }

func (absentError) Is(target error) bool { return target == errAbsent }

// A server is a server that was started.
type server struct {
	address string
	ended   <-chan error // gets the reason if the server ends by itself
	output  string       // the file that it writes to; "" for none
	stop    func()       // ends it and removes its traces
}

// A finding is what came of one kind's ladder.
type finding struct {
	kind      kind
	address   string // "" for none
	imitation bool
	reasons   []string // why the rungs above did not hold
	stop      func()   // nil: nothing to stop
}

type findings []finding

// climbAll climbs the ladders of all kinds at once. What it returns has to be stopped, also beside an error.
func climbAll(ctx context.Context, kinds []kind, h host) (findings, error) {
	found := make(findings, len(kinds))
	group, ctx := errgroup.WithContext(ctx)
	for i, k := range kinds {
		group.Go(func() (err error) {
			found[i], err = k.climb(ctx, h)
			return err
		})
	}
	return found, group.Wait()
}

// climb takes the first rung that holds and says what it found. It fails if an address was given that does not answer.
func (k kind) climb(ctx context.Context, h host) (finding, error) {
	f := finding{kind: k}
	if given := h.getenv(k.variable); given != "" && !k.own {
		began := time.Now()
		version, err := k.await(ctx, &server{address: given}, min(k.patience, givenPatience))
		if err != nil {
			return f, fmt.Errorf("%s: the address in %s: %w", k.name, k.variable, err)
		}
		f.address = given
		k.announce(h, version, given, "given", began)
		return f, nil
	}
	for _, r := range k.rungs {
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

// try starts a rung's server and waits for its answer. It leaves nothing behind if that does not come.
func (k kind) try(ctx context.Context, r rung) (*server, string, error) {
	s, err := r.start(ctx)
	if err != nil {
		return nil, "", err
	}
	version, err := k.await(ctx, s, k.patience)
	if err != nil {
		s.stop()
		return nil, "", err
	}
	return s, version, nil
}

// await probes s until it answers, has ended, or patience is over.
func (k kind) await(ctx context.Context, s *server, patience time.Duration) (version string, err error) {
	over := time.After(patience)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		version, err = k.ask(ctx, s.address)
		if err == nil {
			return version, nil
		}
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case end := <-s.ended:
			return "", end
		case <-over:
			err = fmt.Errorf("no answer from %s within %v: %w", redacted(s.address), patience, err)
			if s.output != "" {
				err = fmt.Errorf("%w: %s", err, closingLines(s.output))
			}
			return "", err
		case <-tick.C:
		}
	}
}

// ask probes once. A server that is up answers in milliseconds; one that is coming up may leave a question unanswered.
func (k kind) ask(ctx context.Context, address string) (version string, err error) {
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

// announce says what was found, where it comes from, and how long that took.
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

// environment returns the variables that tell the command about the servers.
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
