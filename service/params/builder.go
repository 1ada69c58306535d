package params

import (
	"math"
	"slices"
	"strings"
	"time"

	"filings/index"
)

// builder builds a Request from values, row by row.
type builder struct {
	request Request
	now     time.Time
	active  []string // folded foreclosure statuses that count as active

	where      []index.Predicate
	equal      []index.AnyOf
	ranges     []bounds
	days       index.Days
	start, end string       // date_start and date_end
	edges      edges        // of a box
	center     *index.Point // of a circle
	radius     *float64
	corners    []index.Corner
	zoom       int    // of a map
	groupOrder string // sort_order of groups and owners
}

// edges are the edges of a box in the order of their operators: north, south, east, west. nil: not given.
type edges [4]*value

// bounds is a range of a number, with the names of the parameters that gave its ends.
type bounds struct {
	index.Between
	minName, maxName string
	min, max         index.Decimal
}

// finerTiles is how much finer than the tiles of the client's map cells are: 64 of its pixels wide instead of 256, so
// that the markers of two cells, each at its centroid, mostly do not cover each other.
const finerTiles = 2

// finerCells is how much finer than a vector tile its cells are (rule X35): clients draw one of them 512 pixels wide.
const finerCells = 3

// Read reads the values of raw and of the path, and builds the Request. The first invalid one in the order of the table is
// the error. segment returns the segment of the path for a parameter, as it was sent. tiers are the caller's.
func (t *Table) Read(raw Raw, segment func(name string) string, tiers Tiers, now time.Time) (Request, error) {
	if err := t.refuse(raw); err != nil {
		return Request{}, err
	}
	raw, at, err := t.crawl(raw, now.UTC().Truncate(24*time.Hour))
	if err != nil {
		return Request{}, err
	}
	b := &builder{now: now.UTC(), active: t.active}
	if at != nil {
		b.now = at.Day
	}
	b.request = Request{Query: index.Query{Sort: index.DefaultSort, Limit: DefaultLimit}, Now: now}
	if raw.on.row().shown {
		tiers.Filters = tiers.Fields
	}
	for i := range t.rows {
		p := &t.rows[i]
		if p.On&raw.on == 0 {
			continue
		}
		if at != nil {
			p = p.byCursor()
		}
		text, name, err := raw.text(i, p)
		if p.InPath {
			text = segment(p.Name)
		}
		if err == nil && text == "" && p.required&raw.on != 0 {
			err = invalid(p.Name, "must be given: %s", p.Form())
			if raw.given(i) {
				err = invalid(p.Name, "must be %s", p.Form())
			}
		}
		if err != nil {
			return Request{}, err
		}
		if text == "" && raw.given(i) && raw.on.row().exact {
			return Request{}, invalid(name, "must not be empty: leave it out, or give %s", p.Form())
		}
		if text == "" && !p.InPath {
			if text = p.Default; text == "" {
				continue
			}
		}
		v, some, ok := p.read(text)
		if !ok {
			return Request{}, p.invalid(name, text, v)
		}
		if !some {
			if p.required&raw.on != 0 || raw.on.row().exact {
				return Request{}, p.invalid(name, text, v)
			}
			continue
		}
		if err := p.above(name, v, tiers); err != nil {
			return Request{}, err
		}
		b.apply(p, name, v)
	}
	if err := t.missing(raw.on, b.edges); err != nil {
		return Request{}, err
	}
	if err := b.finish(raw.on); err != nil {
		return Request{}, err
	}
	if b.request.Cursor = at; at != nil && at.After != "" {
		b.request.Query.After, b.request.Generation, b.request.Moves = at.After, at.Generation, false
	}
	if tiers.Scope != nil {
		if err := b.request.within(raw.on, tiers.Scope); err != nil {
			return Request{}, err
		}
	}
	switch raw.on {
	case TileSets:
		b.request.Filters = t.filters(raw)
	case Export:
		b.request.Required = excluded(b.request.named)
	case Tokens:
		b.request.Required, b.request.Token.Excludes = b.request.named, len(excluded(b.request.named)) > 0
		if err := t.token(&b.request, raw); err != nil {
			return Request{}, err
		}
	}
	b.request.Text = b.request.canonical(raw.on)
	if tiers.Scope != nil {
		b.request.Text += tiers.Scope.text()
	}
	return b.request, nil
}

// byCursor is p as a page by cursor takes it.
func (p *Parameter) byCursor() *Parameter {
	if p.MaxByCursor == nil {
		return p
	}
	by := *p
	by.Max = p.MaxByCursor
	return &by
}

// refuse is the error of a parameter that has a value where the endpoint must not have it. Ignored, as an unknown one is, it
// would not select what the client wants.
func (t *Table) refuse(raw Raw) error {
	for i := range t.rows {
		p := &t.rows[i]
		if p.refused&raw.on == 0 {
			continue
		}
		if text, name, err := raw.text(i, p); err != nil {
			return err
		} else if text != "" {
			return invalid(name, "must not be given here: it selects other filings on each day, whether they change or not; give date_start")
		}
	}
	return nil
}

// missing is the error of an endpoint that needs all edges of a box, or all or none, and has not all of them. It names those that
// are missing.
func (t *Table) missing(on Endpoints, box edges) error {
	if box == (edges{}) && !on.row().boxed {
		return nil
	}
	var names []string
	for i := range t.rows {
		if p := &t.rows[i]; p.edge() && (on.row().boxed || on.row().exact) && box[p.op-opNorth] == nil {
			names = append(names, p.Name)
		}
	}
	if names == nil {
		return nil
	}
	return invalid(strings.Join(names, ", "), "must be given: a box has four bounds")
}

// apply applies the value v of p, which was sent under name.
func (b *builder) apply(p *Parameter, name string, v value) {
	q := &b.request.Query
	if field, ok := p.names(); ok {
		named := Named{name, field, v.texts, p.op == opExclude}
		if v.text != "" {
			named.Values = []string{v.text}
		}
		b.request.named = append(b.request.named, named)
	}
	switch p.op {
	case opEqual:
		b.anyOf(p.fields, append(v.texts, v.text))
	case opExclude:
		b.where = append(b.where, index.Not{Predicate: index.AnyOf{Fields: p.fields, Values: foldAll(v.texts)}})
	case opIDs:
		b.where = append(b.where, index.IDs{IDs: v.ids})
	case opInCounty:
		b.request.County = v.text
		b.where = append(b.where, index.InCounty(v.text))
	case opContains:
		b.where = append(b.where, index.Contains{Text: index.SearchText(v.text)})
	case opAtLeast:
		r := b.between(p.fields[0])
		r.Min, r.minName, r.min = &v.number, name, v.decimal
	case opAtMost:
		r := b.between(p.fields[0])
		r.Max, r.maxName, r.max = &v.number, name, v.decimal
	case opPresent:
		if v.is {
			b.where = append(b.where, index.Present{Field: p.fields[0]})
		}
	case opForeclosure:
		b.foreclosure(p.fields[0], v.text)
	case opLastDays, opInMonth, opFrom, opTo:
		b.recorded(p.op, v)
	case opNorth, opSouth, opEast, opWest:
		b.edges[p.op-opNorth] = &v
	case opNear:
		b.center = &index.Point{Latitude: v.corners[0].Latitude.Nearest, Longitude: v.corners[0].Longitude.Nearest}
	case opRadius:
		b.radius = &v.number
	case opPolygon:
		b.corners = v.corners
	case opSortBy:
		q.Sort.By = sorts[slices.Index(p.Choices, v.text)].field
	case opSortGroups:
		b.request.Groups.Sort = index.GroupSort(slices.Index(p.Choices, v.text))
	case opOrderGroups:
		b.groupOrder = v.text
	case opFirstGroups:
		b.request.Groups.Limit = int(min(v.integer, int64(*p.Max)))
	case opNameStart:
		b.request.Owners.Tokens = v.texts
	case opTypos:
		b.request.Typos = true
	case opSortOwners:
		b.request.Owners.Sort = index.OwnerSort(slices.Index(p.Choices, v.text))
	case opMinFilings:
		b.request.Owners.MinFilings = v.integer
	case opSortOrder:
		q.Sort.Ascending = v.text == "ASC"
	case opLimit:
		q.Limit = int(min(v.integer, int64(*p.Max)))
	case opOffset:
		q.Offset = int(v.integer)
	case opState:
		b.request.State = v.text
	case opZoom:
		b.zoom = int(v.integer)
	case opColumn:
		b.request.Tile.Column = int(min(v.integer, math.MaxInt32))
	case opRow:
		b.request.Tile.Row = int(min(v.integer, math.MaxInt32))
	case opBy:
		for _, name := range v.texts {
			b.request.Groups.By = append(b.request.Groups.By, index.Dimension(slices.Index(p.Choices, name)))
		}
	case opID:
		b.request.ID = v.integer
	case opFormat:
		b.request.Format = v.text
	case opAfter:
		b.request.After = v.integer
	case opGeneration:
		b.request.Generation = v.text
	case opSince:
		b.request.Since = v.text
	case opOrigins:
		b.request.Token.Origins = v.texts
	case opExpiresIn:
		b.request.Token.Seconds = v.integer
	case opEndpoints:
		b.request.Token.Endpoints = v.texts
	case opVisitorBurst:
		b.request.Token.Burst = v.integer
	case opFields:
		b.request.Fields = index.SetOf(returned(v.texts)...)
		q.IDsOnly = b.request.Fields == index.SetOf()
	}
}

// returned are the fields of these names.
func returned(names []string) []index.Field {
	fields := make([]index.Field, len(names))
	for i, name := range names {
		fields[i], _ = index.ByName(name) // one of fieldNames, all of which are loaded
	}
	return fields
}

func foldAll(values []string) []string {
	folded := make([]string, len(values))
	for i, v := range values {
		folded[i] = index.Fold(v)
	}
	return folded
}

// anyOf adds values to the ones that the same fields may equal: filing_type and filing_types together are any of all.
func (b *builder) anyOf(fields []index.Field, values []string) {
	i := slices.IndexFunc(b.equal, func(e index.AnyOf) bool { return slices.Equal(e.Fields, fields) })
	if i < 0 {
		i = len(b.equal)
		b.equal = append(b.equal, index.AnyOf{Fields: fields})
	}
	for _, v := range values {
		if v != "" {
			b.equal[i].Values = append(b.equal[i].Values, index.Fold(v))
		}
	}
}

func (b *builder) between(field index.Field) *bounds {
	i := slices.IndexFunc(b.ranges, func(r bounds) bool { return r.Field == field })
	if i < 0 {
		i = len(b.ranges)
		b.ranges = append(b.ranges, bounds{Between: index.Between{Field: field}})
	}
	return &b.ranges[i]
}

func (b *builder) foreclosure(field index.Field, choice string) {
	switch choice {
	case "show":
		b.where = append(b.where, index.Present{Field: field})
	case "hide":
		b.where = append(b.where, index.Not{Predicate: index.Present{Field: field}})
	case "active":
		b.where = append(b.where, index.AnyOf{Fields: []index.Field{field}, Values: b.active})
	}
}

// recorded narrows the days of recording to the later start and the earlier end (rule P9). Days as text compare like days.
func (b *builder) recorded(op operator, v value) {
	var from, to string
	switch op {
	case opLastDays:
		b.request.Moves = true
		from = b.now.AddDate(0, 0, -int(v.integer)).Format(time.DateOnly)
	case opInMonth:
		from, to = v.day.Format(time.DateOnly), v.day.AddDate(0, 1, -1).Format(time.DateOnly)
	case opFrom:
		from = v.day.Format(time.DateOnly)
		b.start = from
	case opTo:
		to = v.day.Format(time.DateOnly)
		b.end = to
	}
	b.days.From = max(b.days.From, from)
	if b.days.To == "" || to != "" && to < b.days.To {
		b.days.To = to
	}
}

// finish checks what concerns several parameters, and completes the Request.
func (b *builder) finish(on Endpoints) error {
	for _, e := range b.equal {
		b.where = append(b.where, e)
	}
	for _, r := range b.ranges {
		if r.Min != nil && r.Max != nil && r.min.Cmp(r.max) > 0 {
			return invalid(r.minName, "must not be above %s", r.maxName)
		}
		b.where = append(b.where, r.Between)
	}
	if b.start != "" && b.end != "" && b.start > b.end {
		return invalid("date_start", "must not be after date_end")
	}
	if b.days != (index.Days{}) {
		b.where = append(b.where, b.days)
	}
	if err := b.box(on); err != nil {
		return err
	}
	if err := b.regions(); err != nil {
		return err
	}
	if on == Tiles {
		tile := &b.request.Tile
		tile.Zoom = b.zoom
		for i, number := range []int{tile.Column, tile.Row} {
			if number >= 1<<b.zoom {
				return invalid([]string{"x", "y"}[i], "must be below %d: at zoom %d the world is so many tiles wide", 1<<b.zoom, b.zoom)
			}
		}
		b.request.Grid = index.NewGrid(index.TileBox(tile.Column, tile.Row, b.zoom), b.zoom+finerCells)
	}
	b.request.Groups.Ascending = b.groupOrder == "ASC" || b.groupOrder == "" && b.request.Groups.Sort == index.SortByKey
	b.request.Owners.Ascending = b.groupOrder == "ASC" || b.groupOrder == "" && b.request.Owners.Sort == index.OwnersByName
	b.request.Query.Where = index.Where(b.where...)
	return b.resumes()
}

// box adds a box, if there is one.
func (b *builder) box(on Endpoints) error {
	if slices.Contains(b.edges[:], nil) {
		return nil
	}
	north, south, east, west := b.edges[0], b.edges[1], b.edges[2], b.edges[3]
	if south.decimal.Cmp(north.decimal) > 0 {
		return invalid("bounds_south", "must not be above bounds_north")
	}
	box := index.Box{North: north.number, South: south.number, East: east.number, West: west.number}
	// Between two edges there may be no number that a filing has.
	if box.South > box.North || box.West > box.East && west.decimal.Cmp(east.decimal) <= 0 {
		box.North, box.South, box.East, box.West = north.decimal.Nearest, south.decimal.Nearest, east.decimal.Nearest, west.decimal.Nearest
		b.where = append(b.where, index.IDs{IDs: []int64{}})
	}
	b.where = append(b.where, box)
	if on.row().boxed {
		b.request.Grid = index.NewGrid(box, b.zoom+finerTiles)
	}
	return nil
}

// regions adds a circle and a polygon.
func (b *builder) regions() error {
	switch {
	case b.center != nil && b.radius != nil:
		b.where = append(b.where, index.Near{Center: *b.center, Radius: *b.radius})
	case b.center != nil:
		return invalid("near", "needs radius: how many metres from it filings may be")
	case b.radius != nil:
		return invalid("radius", "needs near: the center of the circle, as LAT,LON")
	}
	if b.corners == nil {
		return nil
	}
	polygon, err := index.NewPolygon(b.corners)
	if err != nil {
		return invalid("polygon", "%v", err)
	}
	b.where = append(b.where, polygon)
	return nil
}

// resumes checks that what after continues is known: rows of another generation would be other ones.
func (b *builder) resumes() error {
	switch q := &b.request; {
	case q.After == 0:
		return nil
	case q.Format == "parquet":
		return invalid("after", "cannot be used with format=parquet, whose files are only read whole: take the export from the beginning")
	case q.Generation == "":
		return invalid("after", "needs generation: the header X-Generation of the export that broke off")
	}
	return nil
}
