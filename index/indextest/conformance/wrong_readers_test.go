package conformance

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
)

// wrong is a store with one error, and the part of the suite that must fail because of it.
type wrong struct {
	name   string
	caught string // path of the subtest
	spoil  func(*memory) generation.Store
}

// reading returns a store whose readers have an error.
func reading(name, caught string, spoil func(*selecting)) wrong {
	return wrong{name, caught, func(m *memory) generation.Store {
		m.Memory.Read = func(o *indextest.Oracle) index.Reader {
			r := newSelecting(o)
			spoil(r)
			return r
		}
		return m
	}}
}

// holding returns a store that misjudges one type of predicate; judge gets what is right.
func holding[P index.Predicate](name, caught string, judge func(e *indextest.Entry, p P, right bool) bool) wrong {
	return reading(name, caught, func(r *selecting) {
		r.holds = func(e *indextest.Entry, p index.Predicate) bool {
			if p, ok := p.(P); ok {
				return judge(e, p, e.Holds(p))
			}
			return e.Holds(p)
		}
	})
}

// excluding returns a store that misjudges exclusions; judge gets the values that are excluded, and what is right.
func excluding(name, caught string, judge func(e *indextest.Entry, p index.AnyOf, right bool) bool) wrong {
	return holding(name, caught, func(e *indextest.Entry, p index.Not, right bool) bool {
		if excluded, ok := p.Predicate.(index.AnyOf); ok {
			return judge(e, excluded, right)
		}
		return right
	})
}

func wrongPredicates() []wrong {
	joined := func(e *indextest.Entry, with string) string { return with + strings.Join(e.Searched[:], with) + with }
	return []wrong{
		holding("county by prefix", "Edges/P6_no_prefix", func(e *indextest.Entry, p index.AnyOf, right bool) bool {
			return right || slices.Contains(p.Fields, index.County) && strings.HasPrefix(e.Derived.County, p.Values[0])
		}),
		holding("case matters", "Edges/P8_any_case", func(e *indextest.Entry, p index.AnyOf, right bool) bool {
			return right && (p.Fields[0] != index.FilingType || !strings.Contains(e.Text(index.FilingType), "TAX"))
		}),
		holding("first category only", "Edges/P11_one_category", func(e *indextest.Entry, p index.AnyOf, right bool) bool {
			return right && (p.Fields[0] != index.Categories || len(e.Categories) == 1)
		}),
		excluding("no value is excluded", "Edges/X11_types_any_case", func(e *indextest.Entry, p index.AnyOf, right bool) bool {
			return right && (p.Fields[0] != index.FilingType || e.Has(p.Fields[0]))
		}),
		excluding("case matters when excluding", "Edges/X11_types_any_case", func(e *indextest.Entry, p index.AnyOf, right bool) bool {
			return right || p.Fields[0] == index.FilingType && strings.Contains(e.Text(index.FilingType), "TAX")
		}),
		excluding("excluded only if all are", "Edges/X11_categories_any_of_several", func(e *indextest.Entry, p index.AnyOf, right bool) bool {
			return right || p.Fields[0] == index.Categories && len(e.Categories) > len(p.Values)
		}),
		excluding("excluded in every state", "Edges/X11_counties_of_one_state", func(e *indextest.Entry, p index.AnyOf, right bool) bool {
			return right && (p.Fields[0] != index.County || !slices.ContainsFunc(p.Values, func(v string) bool { return strings.HasPrefix(v, e.Derived.CountyName+",") }))
		}),
		holding("owners as written", "Edges/X26_however_it_is_written", func(e *indextest.Entry, p index.AnyOf, right bool) bool {
			return right && (p.Fields[0] != index.OwnerKey || slices.Contains(p.Values, index.Fold(e.Text(index.Owner))))
		}),
		holding("owners by key or writing", "Edges/X26_a_key_that_is_written", func(e *indextest.Entry, p index.AnyOf, right bool) bool {
			return right || p.Fields[0] == index.OwnerKey && slices.Contains(p.Values, index.Fold(e.Text(index.Owner)))
		}),
		holding("owners in any order of words", "Edges/X26_the_order_of_words", func(e *indextest.Entry, p index.AnyOf, right bool) bool {
			words := func(key string) []string { return slices.Sorted(slices.Values(strings.Fields(key))) }
			return right || p.Fields[0] == index.OwnerKey && slices.Equal(words(p.Values[0]), words(index.OwnerKeyOf(e.Text(index.Owner))))
		}),
		holding("holders by case", "Edges/X31_any_case", func(e *indextest.Entry, p index.AnyOf, right bool) bool {
			return right && (p.Fields[0] != index.FilingHolder || !strings.Contains(e.Text(index.FilingHolder), "SAMPLE"))
		}),
		holding("holders by a part", "Edges/X31_no_part_of_a_name", func(e *indextest.Entry, p index.AnyOf, right bool) bool {
			return right || p.Fields[0] == index.FilingHolder && strings.HasPrefix(index.Fold(e.Text(index.FilingHolder)), p.Values[0])
		}),
		excluding("no holder is excluded", "Edges/X31_excluded_in_any_case", func(e *indextest.Entry, p index.AnyOf, right bool) bool {
			return right && (p.Fields[0] != index.FilingHolder || e.Has(p.Fields[0]))
		}),
		excluding("one excluded", "Edges/X11_counties_several", func(e *indextest.Entry, p index.AnyOf, right bool) bool {
			return right || e.Holds(index.Not{Predicate: index.AnyOf{Fields: p.Fields, Values: p.Values[:min(1, len(p.Values))]}})
		}),
		holding("ids in 32 bits", "Edges/X10_some_are_no_filing", func(e *indextest.Entry, p index.IDs, right bool) bool {
			return right || slices.ContainsFunc(p.IDs, func(id int64) bool { return int32(id) == int32(e.ID) })
		}),
		holding("ten ids", "Edges/X10_a_hundred", func(e *indextest.Entry, p index.IDs, _ bool) bool {
			return slices.Contains(p.IDs[:min(10, len(p.IDs))], e.ID)
		}),
		holding("ends outside", "Edges/P10_amounts_inclusive", func(e *indextest.Entry, p index.Range, right bool) bool {
			v, _ := e.Value(p.Field)
			return right && (p.Max == nil || v < *p.Max)
		}),
		holding("missing is 0", "Edges/P10_amounts_zero", func(e *indextest.Entry, p index.Range, right bool) bool {
			v, ok := e.Value(p.Field)
			return right || !ok && v >= *p.Min
		}),
		holding("negative zero is less", "Edges/P10_amounts_negative_zero_above",
			func(e *indextest.Entry, p index.Range, right bool) bool {
				v, _ := e.Value(p.Field)
				return right && (v != 0 || p.Max == nil || !math.Signbit(*p.Max))
			}),
		holding("a float32", "Edges/P10_acres_to_the_last_bit", func(e *indextest.Entry, p index.Range, right bool) bool {
			v, ok := e.Value(p.Field)
			return right || ok && p.Max != nil && p.Min != nil && v >= *p.Min && float32(v) <= float32(*p.Max)
		}),
		holding("last day outside", "Edges/P9_both_ends_inside", func(e *indextest.Entry, p index.Days, right bool) bool {
			return right && (p.Last == "" || e.Text(index.FilingDate) < p.Last)
		}),
		holding("milliseconds", "Edges/A3_both_ends_inside", func(e *indextest.Entry, p index.Times, right bool) bool {
			t := e.CreatedAt.UnixMilli()
			return right || e.Has(index.CreatedAt) && t >= p.First.UnixMilli() && t <= p.Last.UnixMilli()
		}),
		holding("0 is nothing", "Edges/P12_true", func(e *indextest.Entry, p index.Present, right bool) bool {
			v, ok := e.Number(index.Bedrooms)
			return right && (p.Field != index.PropertyData || !ok || v != 0)
		}),
		holding("box edges outside", "Edges/P15_edges_edges_are_inside", func(e *indextest.Entry, p index.Box, right bool) bool {
			v, _ := e.Number(index.Latitude)
			return right && v < p.North
		}),
		holding("quantised points", "Edges/P15_edges_edges_are_inside", func(e *indextest.Entry, p index.Box, right bool) bool {
			const step = 360.0 / (1 << 32)
			return right || e.Inside(index.Box{North: p.North + step, South: p.South - step, East: p.East + step, West: p.West - step})
		}),
		holding("180 is -180", "Edges/P15_antimeridian_180_is_not_-180", func(e *indextest.Entry, p index.Box, right bool) bool {
			v, ok := e.Number(index.Longitude)
			return right || ok && p.East == 180 && v == -180
		}),
		holding("nothing crosses", "Edges/P15_antimeridian_west_>_east", func(e *indextest.Entry, p index.Box, right bool) bool {
			return right && p.West <= p.East
		}),
		holding("a circle's rim outside", "Edges/X34_circle_a_millimetre",
			func(e *indextest.Entry, p index.Circle, right bool) bool {
				return right && e.Holds(index.Circle{Center: p.Center, Radius: p.Radius - .01})
			}),
		holding("another sphere", "Edges/X34_circle_the_sphere,_outside",
			func(e *indextest.Entry, p index.Circle, right bool) bool {
				return right || e.Holds(index.Circle{Center: p.Center, Radius: p.Radius * (6_371_008.8 / 6_371_000)})
			}),
		holding("a square for a circle", "Edges/X34_circle_no_square",
			func(e *indextest.Entry, p index.Circle, right bool) bool {
				return right || e.Inside(p.Bounds())
			}),
		holding("circles end at 180", "Edges/X34_circle_across_the_antimeridian",
			func(e *indextest.Entry, p index.Circle, right bool) bool {
				v, _ := e.Number(index.Longitude)
				return right && v*p.Center.Longitude > 0
			}),
		holding("an outline outside", "Edges/X34_polygon_edges_and_corners", func(e *indextest.Entry, p index.Polygon, right bool) bool {
			lat, _ := e.Number(index.Latitude)
			return right && lat < p.Bounds().North
		}),
		holding("a box for a polygon", "Edges/X34_polygon_a_diagonal", func(e *indextest.Entry, p index.Polygon, right bool) bool {
			return right || e.Inside(p.Bounds())
		}),
		holding("twice around is inside", "Edges/X34_polygon_twice_around", func(e *indextest.Entry, p index.Polygon, right bool) bool {
			half := len(p.Corners) / 2
			return right || half > 3 && (e.Holds(index.Polygon{Corners: p.Corners[:half]}) || e.Holds(index.Polygon{Corners: p.Corners[half:]}))
		}),
		holding("the line of floats", "Edges/X34_polygon_the_line", func(e *indextest.Entry, p index.Polygon, right bool) bool {
			lon, _ := e.Number(index.Longitude)
			return right && lon != .3
		}),
		holding("across values", "Edges/P16_never_across_two_values", func(e *indextest.Entry, p index.Contains, right bool) bool {
			return right || strings.Contains(joined(e, ""), p.Text)
		}),
		holding("county not searched", "Edges/P16_county_only", func(e *indextest.Entry, p index.Contains, right bool) bool {
			return right && !strings.Contains(e.Searched[3], p.Text)
		}),
		holding("padding can be found", "Edges/P16_control_U+0001_after", func(e *indextest.Entry, p index.Contains, right bool) bool {
			return right || strings.Contains(joined(e, "\x01\x01"), p.Text)
		}),
		holding("trigrams in any order", "Edges/P16_all_its_pieces", func(e *indextest.Entry, p index.Contains, right bool) bool {
			return right || allTrigrams(e.Searched[0], p.Text)
		}),
		holding("short terms start a word", "Edges/P16_short_two_at_the_end", func(e *indextest.Entry, p index.Contains, right bool) bool {
			return right && (len(p.Text) > 2 || strings.Contains(joined(e, " "), " "+p.Text))
		}),
		holding("full case folding", "Edges/P16_characters_Σ_is_never_ς", func(e *indextest.Entry, p index.Contains, right bool) bool {
			return right || strings.Contains(strings.ToUpper(joined(e, "\n")), strings.ToUpper(p.Text))
		}),
		holding("percent is a pattern", "Edges/P16_characters_percent_is_no_pattern", func(e *indextest.Entry, p index.Contains, right bool) bool {
			before, after, ok := strings.Cut(p.Text, "%")
			return right || ok && strings.Contains(e.Searched[0], before) && strings.Contains(e.Searched[0], after)
		}),
		holding("256 characters indexed", "Edges/P16_long_in_the_middle", func(e *indextest.Entry, p index.Contains, right bool) bool {
			return right && strings.Index(joined(e, ""), p.Text) < 256
		}),
	}
}

func allTrigrams(text, term string) bool {
	for i := range len(term) - 2 {
		if !strings.Contains(text, term[i:i+3]) {
			return false
		}
	}
	return len(term) > 2
}

func wrongPages() []wrong {
	return []wrong{
		reading("ties by id ascending", "Edges/P17/filingDate_desc", func(r *selecting) {
			r.order = func(s index.Sort, a, b *index.Filing) int {
				return cmp.Or(indextest.CompareBy(s, a, b), indextest.CompareBy(index.DefaultSort, a, b), cmp.Compare(a.ID, b.ID))
			}
		}),
		reading("ties not by date", "Edges/P17/filingAmount_desc", func(r *selecting) {
			r.order = func(s index.Sort, a, b *index.Filing) int {
				return cmp.Or(indextest.CompareBy(s, a, b), cmp.Compare(b.ID, a.ID))
			}
		}),
		reading("missing first", "Edges/P17/owner_asc", func(r *selecting) {
			r.order = func(s index.Sort, a, b *index.Filing) int {
				if s.Ascending && a.Has(s.Field) != b.Has(s.Field) {
					return -indextest.Compare(s, a, b)
				}
				return indextest.Compare(s, a, b)
			}
		}),
		reading("owners in UTF-16", "Edges/P17/owner_desc", func(r *selecting) {
			units := func(f *index.Filing) []uint16 { return utf16.Encode([]rune(index.Fold(f.Text(index.Owner)))) }
			r.order = func(s index.Sort, a, b *index.Filing) int {
				if s.Field != index.Owner || s.Ascending || !a.Has(s.Field) || !b.Has(s.Field) {
					return indextest.Compare(s, a, b)
				}
				return cmp.Or(slices.Compare(units(b), units(a)), indextest.Compare(s, a, b))
			}
		}),
		reading("the total of a page is the page's", "Random/pages_and_totals", func(r *selecting) {
			r.total = func(_, rows []*index.Filing) (int64, bool) { return int64(len(rows)), true }
		}),
		reading("a page is never counted", "Random/pages_and_totals", func(r *selecting) {
			r.total = func([]*index.Filing, []*index.Filing) (int64, bool) { return 0, false }
		}),
		reading("page one short", "Random/pages_and_totals", func(r *selecting) {
			r.page = func(selected []*index.Filing, q index.Query) []*index.Filing {
				q.Limit = max(1, q.Limit-1)
				return pageOf(selected, q)
			}
		}),
		reading("a row after a position is its own", "Crawl/P2_P17_pages_of_7/X3_by_positions", func(r *selecting) {
			r.next = func(_ []*index.Filing, _ index.Sort, last int) int { return max(last, 1) }
		}),
		reading("ties after a position are lost", "Crawl/P2_P17_pages_of_7/X3_by_positions", func(r *selecting) {
			r.next = func(selected []*index.Filing, s index.Sort, last int) int {
				next := last + 1
				for next < len(selected) && indextest.CompareBy(s, selected[last], selected[next]) == 0 {
					next++
				}
				return next
			}
		}),
		reading("pages of any number of bytes", "Crawl/P2_P17_pages_of_7/X8_of_so_many_bytes", func(r *selecting) {
			r.within = func(_ int, records []index.Record) []index.Record { return records }
		}),
		reading("keys are left out", "Random/X55_keys", func(r *selecting) {
			r.keyed = func(f *index.Filing) index.Record { return index.AppendRecord(nil, f) }
		}),
		reading("a record more than there is room for", "Crawl/X8_long_filings", func(r *selecting) {
			r.within = func(bytes int, records []index.Record) []index.Record {
				return records[:min(len(records), len(indextest.Within(bytes, records))+1)]
			}
		}),
		reading("no record without room for it", "Crawl/X8_long_filings", func(r *selecting) {
			r.within = func(bytes int, records []index.Record) []index.Record {
				if len(records) > 0 && len(records[0]) > bytes {
					return nil
				}
				return indextest.Within(bytes, records)
			}
		}),
		{"what there is no room for is after no position", "Crawl/P2_P17_pages_of_7/X8_of_so_many_bytes", func(m *memory) generation.Store {
			m.Memory.Read = func(o *indextest.Oracle) index.Reader { return skipping{newSelecting(o)} }
			return m
		}},
		reading("filings without the value are after no position", "Crawl/P2_P17_pages_of_7/X3_by_positions", func(r *selecting) {
			r.next = func(selected []*index.Filing, s index.Sort, last int) int {
				if i := slices.IndexFunc(selected, func(f *index.Filing) bool { return !f.Has(s.Field) }); i == last+1 {
					return len(selected)
				}
				return last + 1
			}
		}),
		reading("ids alone of the next page", "Random/pages_and_totals", func(r *selecting) {
			r.page = func(selected []*index.Filing, q index.Query) []*index.Filing {
				if q.IDsOnly {
					q.Offset++
				}
				return pageOf(selected, q)
			}
		}),
		reading("offsets overlap", "Crawl/P2_P17_pages_of_7", func(r *selecting) {
			r.page = func(selected []*index.Filing, q index.Query) []*index.Filing {
				if q.Offset > 500 {
					q.Offset--
				}
				return pageOf(selected, q)
			}
		}),
		reading("nothing past 10,000", "Crawl/P2_P17_pages_of_100_over_ties", func(r *selecting) {
			r.page = func(selected []*index.Filing, q index.Query) []*index.Filing {
				return pageOf(selected[:min(10_000, len(selected))], q)
			}
		}),
	}
}

// counting is a reader that counts wrong.
type counting struct {
	index.Reader
	stats    func(*index.Stats)
	counties func([]index.CountyStats) []index.CountyStats
	groups   func([]index.Group) []index.Group
}

func (r counting) Stats(ctx context.Context) (index.Stats, error) {
	s, err := r.Reader.Stats(ctx)
	if r.stats != nil {
		r.stats(&s)
	}
	return s, err
}

func (r counting) Counties(ctx context.Context) ([]index.CountyStats, error) {
	all, err := r.Reader.Counties(ctx)
	if r.counties != nil {
		all = r.counties(all)
	}
	return all, err
}

func (r counting) Groups(ctx context.Context, w index.Filter, q index.GroupQuery) (index.Groups, error) {
	all, err := r.Reader.Groups(ctx, w, q)
	if r.groups != nil && q.Sort == index.SortByKey {
		all.List = r.groups(all.List)
	}
	return all, err
}

func wrongStats() []wrong {
	stats := func(name, caught string, f counting) wrong {
		return wrong{name, caught, func(m *memory) generation.Store {
			m.Memory.Read = func(o *indextest.Oracle) index.Reader {
				f := f
				f.Reader = newSelecting(o)
				return &f
			}
			return m
		}}
	}
	return []wrong{
		stats("a cent lost", "Aggregates/by_hand/A1_A2_A4", counting{stats: func(s *index.Stats) { s.SumCents-- }}),
		stats("the last one was added later", "Aggregates/by_hand/A1_A2_A4", counting{stats: func(s *index.Stats) { s.LastAdded = s.LastAdded.Add(time.Microsecond) }}),
		stats("one added too few", "Aggregates/by_hand/A1_A2_A4", counting{stats: func(s *index.Stats) { s.Added-- }}),
		stats("both count twice", "Aggregates/by_hand/A1_A2_A4", counting{stats: func(s *index.Stats) { s.TrustsOrEstates = s.Trusts + s.Estates }}),
		stats("1,000 counties at most", "Aggregates/many_values", counting{counties: func(all []index.CountyStats) []index.CountyStats { return all[:min(1_000, len(all))] }}),
		stats("counties by bytes", "Aggregates/by_hand/A4_A5", counting{counties: func(all []index.CountyStats) []index.CountyStats {
			return slices.SortedFunc(slices.Values(all), func(a, b index.CountyStats) int { return cmp.Compare(a.County, b.County) })
		}}),
		stats("a coordinate is enough", "Aggregates/by_hand/A4_A5_X13", counting{counties: func(all []index.CountyStats) []index.CountyStats {
			return changed(all, func(c *index.CountyStats) { c.WithCoordinates++ })
		}}),
		stats("the last one is the first", "Aggregates/by_hand/A4_A5_X13", counting{counties: func(all []index.CountyStats) []index.CountyStats {
			return changed(all, func(c *index.CountyStats) { c.FirstFilingDate = c.LastFilingDate })
		}}),
		stats("added to the second", "Aggregates/by_hand/A4_A5_X13", counting{counties: func(all []index.CountyStats) []index.CountyStats {
			return changed(all, func(c *index.CountyStats) { c.LastAdded = c.LastAdded.Truncate(time.Second) })
		}}),
		stats("1,000 months at most", "Aggregates/many_values", counting{groups: func(all []index.Group) []index.Group { return all[:min(1_000, len(all))] }}),
		stats("unsorted", "Aggregates/by_hand/A7", counting{groups: func(all []index.Group) []index.Group {
			slices.Reverse(all)
			return all
		}}),
	}
}

// changed returns all with a change to one that has everything.
func changed(all []index.CountyStats, change func(*index.CountyStats)) []index.CountyStats {
	i := slices.IndexFunc(all, func(c index.CountyStats) bool { return c.WithCoordinates > 0 })
	if i >= 0 {
		change(&all[i])
	}
	return all
}

// fetching is a reader that returns filings by their ids in a wrong way; change gets the ids, and what is right.
type fetching struct {
	*selecting
	change func(ids []int64, right []index.Record) []index.Record
}

func (r fetching) Filings(ctx context.Context, ids []int64) ([]index.Record, error) {
	right, err := r.selecting.Filings(ctx, ids)
	return r.change(ids, right), err
}

// skipping is a reader whose pages that end early have the position after the page that they would else be.
type skipping struct{ *selecting }

func (r skipping) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	page, err := r.selecting.Rows(ctx, q)
	if q.Bytes = 0; err == nil {
		whole, _ := r.selecting.Rows(ctx, q)
		page.End = whole.End
	}
	return page, err
}

func wrongFilings() []wrong {
	fetches := func(name string, change func(ids []int64, right []index.Record) []index.Record) wrong {
		return wrong{name, "Edges/P18_one_filing", func(m *memory) generation.Store {
			m.Memory.Read = func(o *indextest.Oracle) index.Reader { return &fetching{newSelecting(o), change} }
			return m
		}}
	}
	return []wrong{
		fetches("by id in the order of storage", func(_ []int64, right []index.Record) []index.Record {
			return slices.SortedStableFunc(slices.Values(right), func(a, b index.Record) int { return bytes.Compare(a, b) })
		}),
		fetches("by id without the missing", func(_ []int64, right []index.Record) []index.Record {
			return slices.DeleteFunc(right, func(r index.Record) bool { return r == nil })
		}),
		fetches("by id once each", func(ids []int64, right []index.Record) []index.Record {
			for i, id := range ids {
				if slices.Contains(ids[:i], id) {
					right[i] = nil
				}
			}
			return right
		}),
		fetches("by id the first one for the missing", func(_ []int64, right []index.Record) []index.Record {
			for i, r := range right {
				if r == nil {
					right[i] = right[0]
				}
			}
			return right
		}),
	}
}

// owning is a reader that says something wrong of owners, or of words near others.
type owning struct {
	*selecting
	ask     func(*index.OwnerQuery)
	owners  func(*index.Owners)
	nearest func([]string) []string
}

func (r owning) Owners(ctx context.Context, q index.OwnerQuery) (index.Owners, error) {
	if r.ask != nil {
		r.ask(&q)
	}
	page, err := r.selecting.Owners(ctx, q)
	page.List = slices.Clone(page.List)
	if r.owners != nil {
		r.owners(&page)
	}
	return page, err
}

func (r owning) Nearest(ctx context.Context, words []string) ([][]string, error) {
	all, err := r.selecting.Nearest(ctx, words)
	for i := range all {
		if r.nearest != nil {
			all[i] = r.nearest(all[i])
		}
	}
	return all, err
}

func wrongOwners() []wrong {
	owns := func(name, caught string, o owning) wrong {
		return wrong{name, "Owners/by_hand/" + caught, func(m *memory) generation.Store {
			m.Memory.Read = func(oracle *indextest.Oracle) index.Reader {
				o := o
				o.selecting = newSelecting(oracle)
				return &o
			}
			return m
		}}
	}
	each := func(change func(*index.Portfolio)) func(*index.Owners) {
		return func(page *index.Owners) {
			for i := range page.List {
				change(&page.List[i])
			}
		}
	}
	return []wrong{
		owns("ties are turned round", "X27_fewest_filings", owning{owners: func(page *index.Owners) {
			if len(page.List) > 1 && page.List[0].Filings == page.List[1].Filings {
				page.List[0], page.List[1] = page.List[1], page.List[0]
			}
		}}),
		owns("a county that is not listed", "X27_a_county_past", owning{ask: func(q *index.OwnerQuery) {
			if strings.Contains(q.Where.String(), "c20") {
				q.MinFilings = 1000
			}
		}}),
		owns("all counties", "X27_most_filings", owning{owners: each(func(p *index.Portfolio) {
			p.Counties = append(slices.Clip(p.Counties), index.CountyFilings{County: "C19, ZZ", Filings: 1})
		})}),
		owns("a cent", "X27_a_state", owning{owners: each(func(p *index.Portfolio) { p.SumCents++ })}),
		owns("one writing", "X27_most_filings", owning{owners: each(func(p *index.Portfolio) { p.Writings = 1 })}),
		owns("the total of the page", "X27_a_page", owning{owners: func(page *index.Owners) { page.Total = int64(len(page.List)) }}),
		owns("the first token alone", "X27_a_form", owning{ask: func(q *index.OwnerQuery) { q.Tokens = nil }}),
		owns("more than is asked for", "X27_not_fewer", owning{ask: func(q *index.OwnerQuery) { q.MinFilings = 0 }}),
		owns("no word is near", "X29_a_letter_less", owning{nearest: func([]string) []string { return nil }}),
		owns("some word is always near", "X29_four_letters", owning{nearest: func(near []string) []string {
			if near == nil {
				return []string{"homes"}
			}
			return near
		}}),
	}
}
