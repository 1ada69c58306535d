package main

import (
	"bufio"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"filings/index/synthetic"
)

func (p *program) generateCommand() *cobra.Command {
	var count int
	var seed uint64
	cmd := &cobra.Command{
		Use:   "generate --count N [--seed S]",
		Short: "Prints synthetic filings in the load format",
		Long: "Prints synthetic filings in the load format (NDJSON), every field of every tier among them.\n" +
			"The same count and seed give the same bytes.",
		Example: "  filings generate --count 1000000 | filings load --format ndjson -",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			if count < 0 {
				return usageError{fmt.Errorf("--count %d: must be 0 or more", count)}
			}
			w := bufio.NewWriterSize(p.output, 1<<16)
			return errors.Join(synthetic.Write(w, count, synthetic.New(seed)), w.Flush())
		},
	}
	cmd.Flags().IntVar(&count, "count", 0, "number of filings (required)")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "random seed; the same seed generates the same filings")
	_ = cmd.MarkFlagRequired("count") // fails only for a flag that does not exist
	return cmd
}
