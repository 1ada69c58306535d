package servers

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Browser is the program that tests open pages in: Chromium without its windows, with which the tests of the pages take two thirds of the CPU time.
const Browser = "chromium-headless-shell"

// Program returns the path of a program of this machine that tests run, such as a browser. Without it the test is left out;
// docs/CONTRIBUTING.md says which package has it.
func Program(t testing.TB, name string) string {
	t.Helper()
	Slow(t, name)
	for _, file := range []string{name, "/usr/sbin/" + name} { // which few users have on their PATH
		if path, err := exec.LookPath(file); err == nil {
			return path
		}
	}
	Lack(t, "no %s on the PATH", name)
	return ""
}

// Tool returns the path of a program that tests run and that is not Go, such as redocly: as `make tools` installed it.
func Tool(t testing.TB, name string) string {
	t.Helper()
	Slow(t, name)
	for _, folder := range []string{"node/node_modules/.bin", "python/bin"} {
		if path, err := exec.LookPath(filepath.Join(toolsDir(), folder, name)); err == nil {
			return path
		}
	}
	Lack(t, "no %s: `make tools` installs it", name)
	return ""
}

// NodeModules returns the folder of the npm packages that `make tools` installed, which has the package called name.
func NodeModules(t testing.TB, name string) string {
	t.Helper()
	Slow(t, name)
	folder := filepath.Join(toolsDir(), "node/node_modules")
	if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
		Lack(t, "no npm package %s: `make tools` installs it", name)
	}
	return folder
}

// toolsDir is where service/webtest/tools/install puts things.
func toolsDir() string {
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		cache = filepath.Join(home, ".cache")
	}
	return filepath.Join(cache, "filings-tools")
}
