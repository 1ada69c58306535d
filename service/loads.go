package service

import (
	"context"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"filings/index"
	"filings/index/generation"
)

// Loads is the part of a generation.Store that operators see. They change nothing.
type Loads interface {
	Loads(ctx context.Context) ([]generation.Run, error)
	Fresh(ctx context.Context) (map[string]index.Freshness, error)
	Generations(ctx context.Context) ([]generation.Info, error)
}

// load is a row of /loads (rule X47).
type load struct {
	State      string    `json:"state"` // one of the outcomes of package generation
	Generation string    `json:"generation"`
	StartedAt  time.Time `json:"startedAt"`
	Seconds    float64   `json:"seconds"`
	Read       int64     `json:"read"`
	Indexed    int64     `json:"indexed"`
	Rejected   int64     `json:"rejected"`
	Withheld   int64     `json:"withheld"`
	Bytes      int64     `json:"bytes"`
	TotalBytes int64     `json:"totalBytes"`
	Source     string    `json:"source"`
	Error      string    `json:"error"`
	// Failed says of counties of a plan why they stay as they were.
	Failed    map[string]string `json:"failed,omitempty"`
	Withholds bool              `json:"withholds"` // it is no load, but changes the withheld filings
}

// loads returns the last loads, the newest first.
func (s *Service) loads(ctx context.Context) (any, error) {
	runs, err := s.config.Store.Loads(ctx)
	loads := make([]load, len(runs))
	for i, run := range runs {
		seconds := math.Round(run.Renewed.Sub(run.Started).Seconds()*1000) / 1000
		loads[i] = load{
			run.Outcome, run.Generation, run.Started.UTC(), seconds, run.Read, run.Indexed, run.Rejected, run.Withheld,
			run.Bytes, run.TotalBytes, run.Source, run.Error, run.Failed, run.Withholds,
		}
	}
	return loads, err
}

// generations returns the list that `filings generations --json` prints.
func (s *Service) generations(ctx context.Context) (any, error) {
	generations, err := s.config.Store.Generations(ctx)
	return generation.Served(generations), err
}

// lastLoads sends the load that is in progress or was the last, and figures of those before it.
func (s *Service) lastLoads(ctx context.Context, send sendGauge) {
	if s.config.Store == nil {
		return
	}
	runs, err := s.config.Store.Loads(ctx)
	if runs = generation.OnlyLoads(runs); err != nil || len(runs) == 0 {
		return
	}
	run, ended := runs[0], map[string]int{}
	did := func(run generation.Run) bool {
		return run.Outcome == generation.OutcomePromoted || run.Outcome == generation.OutcomeUnchanged
	}
	gauge := func(name, help string, value float64) { send("filings_"+name, help, value, nil) }
	gauge("last_load_started_timestamp_seconds", "When the last load began.", unixSeconds(run.Started))
	gauge("last_load_seen_timestamp_seconds",
		"When the last load last reported; after its end, its end.", unixSeconds(run.Renewed))
	gauge("last_load_duration_seconds",
		"From the beginning of the last load to its last report.", run.Renewed.Sub(run.Started).Seconds())
	gauge("last_load_promoted",
		"1 if the last load promoted its generation, or found the live one unchanged; 0 if it failed, "+
			"died, or is in progress.",
		indicator(did(run)))
	gauge("last_load_ended", "1 if the last load reported how it ended; 0 if it is in progress, or died.",
		indicator(run.Outcome != generation.OutcomeRunning && run.Outcome != generation.OutcomeDied))
	gauge("last_load_records_read", "Records that the last load has read.", float64(run.Read))
	gauge("last_load_records_indexed", "Filings that the last load has added or replaced.", float64(run.Indexed))
	gauge("last_load_records_rejected", "Records that the last load has rejected.", float64(run.Rejected))
	gauge("withheld", "Records that the last load skipped, because their filings are withheld.", float64(run.Withheld))
	gauge("load_read_bytes", "Bytes that the last load has read of its sources, before decompression.",
		float64(run.Bytes))
	gauge("load_source_bytes",
		"Bytes of the sources of the last load, before decompression; 0 if that is not known.",
		float64(run.TotalBytes))
	success, previous := time.Time{}, false
	for i, run := range runs {
		if ended[run.Outcome]++; success.IsZero() && did(run) {
			success = run.Renewed
		}
		if i > 0 && run.Outcome == generation.OutcomePromoted && !previous { // the others have not read everything
			previous = true
			gauge("load_previous_records_rejected",
				"Records that the last promoted load before the last one has rejected.", float64(run.Rejected))
		}
	}
	if !success.IsZero() {
		gauge("load_success_timestamp_seconds",
			"When a load last promoted its generation, or found the live one unchanged, among the last 20.",
			unixSeconds(success))
	}
	for _, outcome := range []string{
		generation.OutcomePromoted, generation.OutcomeUnchanged, generation.OutcomeFailed, generation.OutcomeDied,
	} {
		send("filings_load_outcomes",
			"Loads among the last 20, by outcome: promoted, unchanged, failed or died.",
			float64(ended[outcome]), prometheus.Labels{"outcome": outcome})
	}
}

// countiesLoaded sends when each county was loaded last, and which ones fail.
func (s *Service) countiesLoaded(ctx context.Context, send sendGauge) {
	if s.config.Store == nil {
		return
	}
	freshness, err := s.config.Store.Fresh(ctx)
	if err != nil {
		return
	}
	for county, fresh := range freshness {
		if fresh.Loaded > 0 {
			send("filings_county_last_loaded_timestamp_seconds", "When the last load began that brought or removed "+
				"filings of the county; absent if there are more than 5,000 counties.",
				float64(fresh.Loaded), prometheus.Labels{"county": county})
		}
	}
	runs, err := s.config.Store.Loads(ctx)
	if err != nil {
		return
	}
	failing := generation.Failing(runs, freshness)
	failed := func(county string, failed bool) {
		send("filings_load_county_failed", "1 if one of the last 20 loads left the county of a plan unchanged, and no "+
			"load has brought it since; at most 100 counties of each load.", indicator(failed),
			prometheus.Labels{"county": county})
	}
	for county := range failing {
		failed(county, true)
	}
	for county := range freshness {
		if failing[county] == "" {
			failed(county, false)
		}
	}
}
