package serving

import (
	"cmp"
	"context"
	"slices"
	"unicode/utf8"

	"filings/index"
)

// WithCounties returns w with the counties that it names as the generation has them (rule X30).
func (r *Reader) WithCounties(ctx context.Context, w index.Filter) (index.Filter, error) {
	if !w.NamesCounties() {
		return w, nil
	}
	names, err := r.countyNames(ctx)
	if err != nil {
		return w, err
	}
	return w.WithCounties(names.Resolve), nil
}

// WithLists returns w with its lists cut, but for those that are one value of the generation (rule
// X64).
func (r *Reader) WithLists(ctx context.Context, w index.Filter) (_ index.Filter, err error) {
	if !w.HasLists() {
		return w, nil
	}
	w = w.WithLists(func(field index.Field, value string) bool {
		present, failed := r.Has(ctx, field, value)
		err = cmp.Or(err, failed)
		return present
	})
	return w, err
}

// countyNames returns the generation's names of counties, those with most filings first.
func (r *Reader) countyNames(ctx context.Context) (*index.CountyNames, error) {
	return cached(ctx, r, "county names", func(ctx context.Context) (*index.CountyNames, int, error) {
		counties, err := r.Counties(ctx)
		counties = slices.Clone(counties)
		slices.SortStableFunc(counties, func(a, b index.CountyStats) int { return cmp.Compare(b.Filings, a.Filings) })
		written := make([]string, len(counties))
		for i, c := range counties {
			written[i] = c.County
		}
		return index.NewCountyNames(written), len(counties) * countyNamesBytes, err
	})
}

const countyNamesBytes = 900 // two entries in each of two tables, as measured with names of 15 bytes

// filed are the values of a field, as groups have them, the most frequent ones first.
type filed struct {
	written  []string
	folded   map[string]bool
	complete bool // there are no others
}

func (r *Reader) filed(ctx context.Context, dimension index.Dimension) (*filed, error) {
	return cached(ctx, r, "filed "+dimension.String(), func(ctx context.Context) (*filed, int, error) {
		first := index.GroupQuery{Dimensions: []index.Dimension{dimension}, Limit: index.MaxGroups}
		groups, err := r.Groups(ctx, index.Filter{}, first)
		f, bytes := &filed{folded: make(map[string]bool, len(groups.List))}, 0
		f.complete = groups.Total <= int64(len(groups.List))
		for _, g := range groups.List {
			if text := g.Keys[0]; text != "" {
				f.written, f.folded[index.Fold(text)] = append(f.written, text), true
				bytes += filedBytes + 2*len(text)
			}
		}
		return f, bytes, err
	})
}

const filedBytes = 60 // of a value, besides its text: a header in the list, and an entry in the table

// Has reports whether a filing of the generation has a folded value in a field; for county, also
// whether it names one as people write it.
func (r *Reader) Has(ctx context.Context, field index.Field, value string) (bool, error) {
	if field == index.County {
		names, err := r.countyNames(ctx)
		return err == nil && names.Has(value), err
	}
	f, err := r.filed(ctx, groupedBy[field])
	if err != nil || f.folded[value] || f.complete {
		return err == nil && f.folded[value], err
	}
	n, err := r.Count(ctx, index.Where(index.AnyOf{Fields: []index.Field{field}, Values: []string{value}}))
	return n > 0, err
}

// Suggestions returns up to three values of a field that a text is nearest to.
func (r *Reader) Suggestions(ctx context.Context, field index.Field, text string) ([]string, error) {
	const most = 3
	text = string([]rune(text)[:min(utf8.RuneCountInString(text), mostCompared)])
	return cached(ctx, r, "near "+field.String()+" "+text,
		func(ctx context.Context) (nearest []string, bytes int, err error) {
			if field == index.County {
				names, err := r.countyNames(ctx)
				if err != nil {
					return nil, 0, err
				}
				return names.Nearest(text, most), most * filedBytes, nil
			}
			f, err := r.filed(ctx, groupedBy[field])
			if err != nil {
				return nil, 0, err
			}
			text := index.Fold(text)
			return index.Nearest(f.written, most, func(i int) [][2]string {
				return [][2]string{{text, index.Fold(f.written[i])}}
			}), most * filedBytes, nil
		})
}

// mostCompared is how many characters of a text are compared: the time for each value that a
// generation has rises with them.
const mostCompared = 60

// groupedBy are the dimensions of the fields whose values filters name.
var groupedBy = map[index.Field]index.Dimension{
	index.FilingType: index.ByFilingType, index.FilingHolder: index.ByHolder, index.City: index.ByCity,
	index.Categories: index.ByCategory,
	index.State:      index.ByState,
}
