package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"filings/reindexer"
)

// writeReasons writes the number of rejected records for each reason, the most frequent first, and
// an example of each.
func writeReasons(w io.Writer, reasons map[reindexer.Reason]reindexer.Rejected) {
	if len(reasons) == 0 {
		return
	}
	byCount := slices.SortedFunc(maps.Values(reasons), func(a, b reindexer.Rejected) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.First, b.First))
	})
	fmt.Fprintln(w, "Rejected, with the first of each kind:")
	for _, reason := range byCount {
		fmt.Fprintf(w, "%8d  %s\n", reason.Records, reason.First)
	}
}

// writeReport writes the report of a load for a person: the changes by county, the warnings, and at
// the end the live generation.
func writeReport(w io.Writer, r reindexer.Report) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(r.Counties) > 0 {
		fmt.Fprintln(table, "COUNTY\tBEFORE\tADDED\tCHANGED\tREMOVED\tNOW")
	}
	for _, county := range slices.Sorted(maps.Keys(r.Counties)) {
		c := r.Counties[county]
		if c.Changes == nil {
			fmt.Fprintf(table, "%s\t-\t-\t-\t-\t%d\n", county, c.Filings)
			continue
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\n",
			county, c.Filings-c.Added+c.Removed, c.Added, c.Changed, c.Removed, c.Filings)
	}
	err := table.Flush()
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "Warning: %s\n", warning)
	}
	for _, county := range slices.Sorted(maps.Keys(r.Failed)) {
		fmt.Fprintf(w, "Failed: %s: %s\n", county, r.Failed[county])
	}
	outcome := "Nothing was promoted."
	switch {
	case r.Unchanged:
		outcome = "Nothing is to be done: no source has changed."
	case r.Promoted:
		outcome = fmt.Sprintf("%s is live, with %d filings.", r.Generation, r.Filings)
	}
	_, failed := fmt.Fprintf(w, "%d records read, %d rejected, in %.1f s. %s\n", r.Read, r.Rejected, r.Seconds, outcome)
	return errors.Join(err, failed)
}
