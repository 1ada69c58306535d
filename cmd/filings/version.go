package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/spf13/cobra"

	"filings/mappings"
)

const version = "1.0.0"

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Prints the version",
		Example: "  filings version",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(p.output, versionLine())
			return err
		},
	}
}

func versionLine() string {
	commit := revision()
	if commit != "" {
		commit = " (" + commit + ")"
	}
	return fmt.Sprintf("filings %s%s, mapping v%d, %s", version, commit, mappings.Version, runtime.Version())
}

// revision is the commit that the program was built from, "" where the build recorded none.
func revision() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				return s.Value[:12]
			}
		}
	}
	return ""
}

// newRegistry returns a registry with the metrics of the process: those of Go and of the system, and the version.
func newRegistry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "filings_build_info",
		Help: "The program: 1, by version, revision (empty if the build recorded none), Go's version and data " +
			"version (mapping).",
		ConstLabels: prometheus.Labels{
			"version": version, "revision": revision(), "goversion": runtime.Version(),
			"mapping": strconv.Itoa(mappings.Version),
		},
	})
	build.Set(1)
	registry.MustRegister(build, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return registry
}
