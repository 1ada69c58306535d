package reindexer

import (
	"fmt"
	"slices"

	"filings/reindexer/source"
)

// Input is one SOURCE of a command line or of a plan, with all that holds for it.
type Input struct {
	source.Input
	Mapping *Mapping // makes records of its rows; nil: they are records

	County     string   // of a plan, whose filings all its records are; "": there is no plan
	MaxRejects int      // of all inputs of the county
	MayEmpty   []string // fields that may be gone of the county
}

// Mapping is a program in jq, or a table if its name ends in .csv.
type Mapping struct {
	Name string // as errors name it
	Text string
}

// Option is an option of the sources from position From on, up to the next one of its name (rule
// X44).
type Option struct {
	Name    string // one of source.SettingNames, or map
	Value   string
	Mapping *Mapping // of map
	From    int
}

// Inputs returns the sources of a command line, with the options that hold for each.
func Inputs(names []string, options []Option) ([]Input, error) {
	inputs := make([]Input, len(names))
	for i, name := range names {
		inputs[i].Name = name
	}
	for i, o := range options {
		until := len(inputs)
		if next := slices.IndexFunc(options[i+1:], func(other Option) bool { return other.Name == o.Name }); next >= 0 {
			until = options[i+1+next].From
		}
		if o.From >= until {
			return nil, fmt.Errorf("%w: --%s %s is for no source: it holds for those after it, up to the next --%s",
				ErrUsage, o.Name, o.Value, o.Name)
		}
		for at := o.From; at < until; at++ {
			if o.Mapping != nil {
				inputs[at].Mapping = o.Mapping
			} else {
				*inputs[at].Form.Part(o.Name) = o.Value
			}
		}
	}
	return inputs, nil
}
