package plan

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"filings/index/generation"
	"filings/reindexer"
)

// Options say which counties are loaded.
type Options struct {
	Only      []string // counties that are replaced (rule X43), and no others; none: all, in a full load
	KeepGoing bool     // load the others where some counties fail
}

// ErrFailed: some counties stay as they were. The Report says which, and why.
var ErrFailed = errors.New("counties stay as they were")

// Run loads the counties of p, with all else as in cfg. Where counties fail, all of these are said;
// the others are loaded if o says so.
func (p *Plan) Run(ctx context.Context, cfg reindexer.Config, o Options) (reindexer.Report, error) {
	counties, err := p.only(o.Only)
	if err != nil {
		return reindexer.Report{IgnoredFields: map[string]int64{}}, err
	}
	replace, failed := len(o.Only) > 0, map[string]error{}
	if o.KeepGoing && !cfg.DryRun {
		planned := len(counties)
		// the load reports the fault
		if counties, replace = p.checkCounties(ctx, cfg, counties, replace, failed); len(failed) == planned {
			clear(failed)
		}
	}
	unread := false // counties failed before anything was read
	cfg.Failing = func(ctx context.Context, err error) map[string]error {
		var parts *reindexer.PartsError
		beforeReading := errors.Is(err, reindexer.ErrUsage) || errors.Is(err, reindexer.ErrSource)
		switch {
		case errors.As(err, &parts):
			maps.Copy(failed, parts.Failed)
		case beforeReading && len(failed) == 0:
			p.checkCounties(ctx, cfg, counties, replace, failed)
			unread = len(failed) > 0
		}
		return failed
	}
	for reasons := map[reindexer.Reason]reindexer.Rejected(nil); ; {
		report, err := p.load(ctx, cfg, counties, replace)
		cfg.Failing(ctx, err) // a dry run has not
		var parts *reindexer.PartsError
		if errors.As(err, &parts) {
			counties = slices.DeleteFunc(slices.Clone(counties), func(c County) bool { return parts.Failed[c.County] != nil })
			cfg.Rejects = "" // the file has all of them
			if reasons == nil {
				reasons = report.Reasons
			}
			if replace = true; o.KeepGoing && !cfg.DryRun && len(counties) > 0 {
				continue
			}
		}
		if unread && err != nil {
			err = &reindexer.PartsError{Failed: failed}
		}
		report.Failed = map[string]string{}
		for county, err := range failed {
			report.Failed[county] = err.Error()
		}
		if reasons != nil {
			report.Reasons = reasons
		}
		if err == nil && len(failed) > 0 {
			err = fmt.Errorf("%w: %d of %d; the report says why", ErrFailed, len(failed), len(failed)+len(counties))
		}
		return report, err
	}
}

// checkCounties leaves out the counties whose sources are not there, or whose mapping does not compile,
// before anything is read.
func (p *Plan) checkCounties(
	ctx context.Context, cfg reindexer.Config, counties []County, replace bool, failed map[string]error,
) ([]County, bool) {
	left := slices.DeleteFunc(slices.Clone(counties), func(c County) bool {
		single, err := p.config(cfg, []County{c})
		if err == nil {
			err = single.Check(ctx)
		}
		if err != nil && ctx.Err() == nil {
			failed[c.County] = err
		}
		return err != nil
	})
	if len(left) == 0 {
		return counties, replace
	}
	return left, replace || len(failed) > 0
}

// load loads counties. Where nothing is live there is nothing to replace.
func (p *Plan) load(
	ctx context.Context, cfg reindexer.Config, counties []County, replace bool,
) (reindexer.Report, error) {
	cfg, err := p.config(cfg, counties)
	if err != nil {
		return reindexer.Report{IgnoredFields: map[string]int64{}}, err
	}
	if replace && !cfg.DryRun {
		generations, err := cfg.Store.Generations(ctx)
		if err != nil {
			return reindexer.Report{IgnoredFields: map[string]int64{}}, err
		}
		replace = slices.ContainsFunc(generations, func(g generation.Info) bool { return g.Live })
	}
	for _, c := range counties {
		if replace {
			cfg.Replace = append(cfg.Replace, c.County)
		}
	}
	return reindexer.Run(ctx, cfg)
}

// headRows is how many rows of each source are tried.
const headRows = 100

// Tried is the result of Check for a county.
type Tried struct {
	County string
	reindexer.Report
	Err error // nil if its sources and its mapping work
}

// Check reads first rows of each source of these counties (none: all), and makes records of them.
func (p *Plan) Check(ctx context.Context, cfg reindexer.Config, only []string) (tried []Tried, err error) {
	counties, err := p.only(only)
	for _, c := range counties {
		single, err := p.config(cfg, []County{c})
		t := Tried{County: c.County, Err: err}
		if err == nil {
			single.DryRun, single.Head = true, headRows
			for i := range single.Inputs {
				single.Inputs[i].MaxRejects = math.MaxInt32
			}
			t.Report, t.Err = reindexer.Run(ctx, single)
		}
		if t.Err == nil && t.Read == t.Rejected {
			t.Err = errors.New("no record of its first rows can be loaded")
		}
		tried = append(tried, t)
	}
	return tried, err
}
