// Command nightly runs the tests that `make test` leaves out (servers.Nightly), group by group, and
// records the verified groups. A group has inputs: the folders whose behavior its tests verify.
// When all tests of a group have passed, its line in .ci/verified is a hash of these inputs, the
// tests' files and go.sum. With -stale only groups run whose hash is another one now, which is how
// .ci/run knows that a change needs them. Nothing else writes that file: a line in it is a run that
// passed.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// verified has a line for each group: the hash of its inputs, and the group's name.
const verified = ".ci/verified"

func main() {
	stale := flag.Bool("stale", false, "only the groups whose inputs differ from those that "+verified+" has")
	list := flag.Bool("list", false, "only say what would run")
	flag.Parse()
	if err := run(*stale, *list, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "nightly:", err)
		os.Exit(1)
	}
}

// run runs the groups of these names, all for none, in their order. One that fails does not keep
// the others from running.
func run(stale, list bool, names []string) error {
	for _, name := range names {
		if !slices.ContainsFunc(groups, func(g group) bool { return g.name == name }) {
			return fmt.Errorf("%s is no group: see cmd/testservers/nightly/groups.go", name)
		}
	}
	tests, err := marked(".")
	if err != nil {
		return err
	}
	var failed []string
	for _, g := range groups {
		if len(names) > 0 && !slices.Contains(names, g.name) {
			continue
		}
		hash, err := g.hash(".", tests[g.name])
		if err != nil {
			return err
		}
		known := recorded()[g.name] == hash
		if list || stale && known {
			state := "has to run"
			if known {
				state = "passed with these inputs"
			}
			fmt.Printf("nightly: %s %s\n", g.name, state)
			continue
		}
		begin := time.Now()
		if err := g.run(tests[g.name]); err != nil {
			failed = append(failed, g.name)
			fmt.Printf("nightly: %s failed after %.0f s: %v\n", g.name, time.Since(begin).Seconds(), err)
			continue
		}
		fmt.Printf("nightly: %s passed in %.0f s\n", g.name, time.Since(begin).Seconds())
		if again, err := g.hash(".", tests[g.name]); err != nil || again != hash {
			return errors.Join(fmt.Errorf("the inputs of %s changed while it ran: nothing is recorded", g.name), err)
		}
		if err := record(g.name, hash); err != nil {
			return err
		}
	}
	if failed != nil {
		return fmt.Errorf("failed: %s", strings.Join(failed, ", "))
	}
	return nil
}

// run runs the tests of g, or its command. A test that is left out for want of something fails: it
// would verify nothing.
func (g group) run(tests []test) error {
	command := g.command
	if command == nil {
		var names, folders []string
		for _, t := range tests {
			names, folders = append(names, t.name), append(folders, "./"+t.folder)
		}
		slices.Sort(folders)
		pattern := "^(" + strings.Join(names, "|") + ")$"
		command = []string{"go", "test", "-count=1", "-timeout=60m", "-ldflags=-s -w", "-run", pattern}
		command = append(command, slices.Compact(folders)...)
	}
	fmt.Printf("nightly: %s: %s\n", g.name, strings.Join(command, " "))
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "TEST_NIGHTLY=1", "REQUIRE_SERVICES=1")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// recorded returns the hashes of the groups that have passed.
func recorded() map[string]string {
	hashes := map[string]string{}
	text, _ := os.ReadFile(verified) // not there yet: nothing has passed
	for line := range bytes.Lines(text) {
		if hash, name, ok := strings.Cut(strings.TrimSpace(string(line)), "  "); ok {
			hashes[name] = hash
		}
	}
	return hashes
}

// record writes down that group passed with inputs of that hash.
func record(name, hash string) error {
	hashes := recorded()
	hashes[name] = hash
	var text strings.Builder
	for _, g := range groups {
		if hashes[g.name] != "" {
			fmt.Fprintf(&text, "%s  %s\n", hashes[g.name], g.name)
		}
	}
	return os.WriteFile(verified, []byte(text.String()), 0o644)
}
