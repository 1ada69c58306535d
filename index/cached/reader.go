package cached

import (
	"context"
	"slices"
	"strconv"

	"filings/index"
)

// reader answers from one generation, from memory where it can.
type reader struct {
	inner  index.Reader
	engine *Engine
}

func (r *reader) Generation() string { return r.inner.Generation() }

func (r *reader) Rows(ctx context.Context, q index.Query) ([]index.Record, error) {
	if moves(q.Where) {
		return r.inner.Rows(ctx, q)
	}
	return ask(ctx, r, "rows "+q.String(), sizeOfRows, func(ctx context.Context) ([]index.Record, error) {
		rows, err := r.inner.Rows(ctx, q)
		return compact(rows), err
	})
}

func (r *reader) Count(ctx context.Context, w index.Filter) (int64, error) {
	if moves(w) {
		return r.inner.Count(ctx, w)
	}
	return ask(ctx, r, countOf(w), func(int64) int { return 8 }, func(ctx context.Context) (int64, error) {
		return r.inner.Count(ctx, w)
	})
}

// Counted implements index.Remembers.
func (r *reader) Counted(w index.Filter) (total int64, known bool) {
	if moves(w) {
		return 0, false
	}
	return remembered[int64](r.engine, r.key(countOf(w)))
}

func (r *reader) Filing(ctx context.Context, id int64) (index.Record, error) {
	size := func(v index.Record) int { return cap(v) }
	return ask(ctx, r, "filing "+strconv.FormatInt(id, 10), size, func(ctx context.Context) (index.Record, error) {
		v, err := r.inner.Filing(ctx, id)
		return slices.Clone(v), err
	})
}

func (r *reader) Stats(ctx context.Context) (index.Stats, error) {
	return ask(ctx, r, "stats", func(index.Stats) int { return 72 }, r.inner.Stats)
}

func (r *reader) Counties(ctx context.Context) ([]index.CountyStats, error) {
	return ask(ctx, r, "counties", sizeOfCounties, r.inner.Counties)
}

func (r *reader) Distinct(ctx context.Context, w index.Filter, f index.Field) ([]string, error) {
	if moves(w) {
		return r.inner.Distinct(ctx, w, f)
	}
	return ask(ctx, r, "distinct "+f.String()+" "+w.String(), sizeOfTexts, func(ctx context.Context) ([]string, error) {
		return r.inner.Distinct(ctx, w, f)
	})
}

func (r *reader) Cells(ctx context.Context, w index.Filter, g index.Grid) ([]index.Cell, error) {
	if moves(w) {
		return r.inner.Cells(ctx, w, g)
	}
	return ask(ctx, r, g.Question(w), sizeOfCells, func(ctx context.Context) ([]index.Cell, error) {
		return r.inner.Cells(ctx, w, g)
	})
}

// moves reports whether w depends on the clock: its text is another one at each request, and would only push out what
// is asked for again.
func moves(w index.Filter) bool {
	return slices.ContainsFunc(w, func(p index.Predicate) bool { _, ok := p.(index.Times); return ok })
}

// ask returns the remembered answer to question, or else that of f, which runs once for all who ask it now.
func ask[T any](ctx context.Context, r *reader, question string, size func(T) int, f func(context.Context) (T, error)) (T, error) {
	e, key := r.engine, r.key(question)
	if known, ok := remembered[T](e, key); ok {
		return known, nil
	}
	value, joined, err := e.flights.do(ctx, key, func(ctx context.Context) (any, error) {
		if a, ok := e.answers.GetIfPresent(key); ok { // answered since the look above
			return a.value, nil
		}
		v, err := f(ctx)
		if err != nil {
			return nil, err
		}
		e.answers.Set(key, answer{v, size(v)})
		return v, nil
	})
	if joined {
		e.hits.Add(1)
	} else {
		e.misses.Add(1)
	}
	if err != nil {
		return *new(T), err
	}
	return value.(T), nil
}

func (r *reader) key(question string) string { return r.inner.Generation() + " " + question }

// countOf is the question that Count asks.
func countOf(w index.Filter) string { return "count " + w.String() }

func remembered[T any](e *Engine, key string) (known T, ok bool) {
	a, ok := e.answers.GetIfPresent(key)
	if !ok {
		return known, false
	}
	e.hits.Add(1)
	return a.value.(T), true
}

// compact copies rows into one buffer of their own.
func compact(rows []index.Record) []index.Record {
	total := 0
	for _, r := range rows {
		total += len(r)
	}
	buffer, own := make([]byte, 0, total), make([]index.Record, len(rows))
	for i, r := range rows {
		start := len(buffer)
		buffer = append(buffer, r...)
		own[i] = buffer[start:len(buffer):len(buffer)]
	}
	return own
}

const sliceBytes, textBytes = 24, 16 // headers of a slice and of a string

func sizeOfRows(rows []index.Record) int {
	n := 0
	for _, r := range rows {
		n += len(r) + sliceBytes
	}
	return n
}

func sizeOfTexts(texts []string) int {
	n := 0
	for _, s := range texts {
		n += len(s) + textBytes
	}
	return n
}

func sizeOfCounties(counties []index.CountyStats) int {
	n := 0
	for _, c := range counties {
		n += len(c.County) + textBytes + 5*8
	}
	return n
}

func sizeOfCells(cells []index.Cell) int { return cap(cells) * 10 * 8 }
