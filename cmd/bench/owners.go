package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"filings/cmd/testservers/servers"
)

// personal is a name of two long words, as many people have.
var personal = regexp.MustCompile(`^[A-Za-z]{4,} [A-Za-z]{6,}$`)

// ownersIn returns all owners in a file, and different ones of them with names of two words, in an order that does not depend on how
// common they are.
func ownersIn(data string) (all, people []string, err error) {
	known := map[string]bool{}
	err = eachLine(data, func(line []byte) error {
		var f struct{ Owner string }
		if err := json.Unmarshal(line, &f); err != nil || f.Owner == "" {
			return err
		}
		if all = append(all, f.Owner); personal.MatchString(f.Owner) && !known[f.Owner] {
			known[f.Owner] = true
			people = append(people, f.Owner)
		}
		return nil
	})
	slices.Sort(people)
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same in each run
	random.Shuffle(len(people), func(i, j int) { people[i], people[j] = people[j], people[i] })
	if len(people) < 200 {
		err = errors.Join(err, errors.New("owners are measured with filings of 200 people or more"))
	}
	return all, people, err
}

// typing returns the requests while somebody types a name, its last word first: nothing for the
// first letter alone.
func typing(name string) (typed []string) {
	first, last, _ := strings.Cut(strings.ToLower(name), " ")
	whole := last + " " + first
	for end := 2; end <= len(last)+4; end++ {
		if whole[end-1] != ' ' {
			typed = append(typed, whole[:end])
		}
	}
	return typed
}

// misspelled returns a name whose last word lacks a letter in its middle.
func misspelled(name string) string {
	end := len(name) - 3
	return name[:end] + name[end+1:]
}

// typed requests owners as somebody types them, of each name in turn, and returns how long the very first response took, and all others.
func (s *served) typed(ctx context.Context, people []string) (first time.Duration, took []time.Duration, err error) {
	for _, name := range people {
		for _, q := range typing(name) {
			one, err := s.timed(ctx, "/v1/owners?limit=10&q="+url.QueryEscape(q))
			if err != nil {
				return 0, nil, err
			}
			took = append(took, one)
		}
	}
	return took[0], took[1:], nil
}

// corrected searches for names as they are and misspelled, and returns how much longer each search took where it had to be corrected. It
// counts the last ones, measuredNames at the most: the very first one reads the words, and within the first hundreds the JVM compiles.
func (s *served) corrected(ctx context.Context, people []string) (more []time.Duration, err error) {
	people = people[:min(len(people), warmingNames+measuredNames)]
	for _, name := range people {
		var took [2]time.Duration
		for i, path := range []string{"/v1/filings/search?limit=20&q=" + url.QueryEscape(name), "/v1/filings/search?limit=20&typos=auto&q=" + url.QueryEscape(misspelled(name))} {
			if took[i], err = s.timed(ctx, path); err != nil {
				return nil, err
			}
		}
		more = append(more, took[1]-took[0])
	}
	return more[max(len(more)/2, len(more)-measuredNames):], nil
}

func (s *served) timed(ctx context.Context, path string) (time.Duration, error) {
	began := time.Now()
	_, err := s.get(ctx, path)
	return time.Since(began), err
}

const (
	typedNames    = 100 // names that are typed
	warmingNames  = 1000
	measuredNames = 400 // names of others that are searched for
)

// measureOwners measures completion and corrected searches of both engines, and completion of PostgreSQL with an index of trigrams.
func (b *bench) measureOwners(ctx context.Context) (err error) {
	all, people, err := ownersIn(b.data)
	if err != nil {
		return err
	}
	fmt.Print("\n| | owners as typed: ms, the first time | median and p99 | misspelled searches: ms more than right ones, median and p99 | groups of all owners, ms, the first time |\n|---|---|---|---|---|\n")
	err = b.onBoth(ctx, "owners", func(engine string, s *served) error { return measureOwnersOf(ctx, engine, s, people) })
	if err != nil {
		return err
	}
	return completeByTrigrams(ctx, all, people)
}

// onBoth measures the data in each engine in turn.
func (b *bench) onBoth(ctx context.Context, what string, measure func(engine string, s *served) error) error {
	for _, engine := range []struct {
		name        string
		environment []string
	}{
		{"Elasticsearch", b.onElasticsearch(b.elasticsearch)},
		{"embedded", []string{"FILINGS_DATA_DIR=" + filepath.Join(b.dir, what+"-embedded")}},
	} {
		err := b.onOne(ctx, what+"-"+strings.ToLower(engine.name), engine.environment, func(s *served) error { return measure(engine.name, s) })
		if err != nil {
			return err
		}
	}
	return b.deleteIndices(ctx)
}

func (b *bench) onOne(ctx context.Context, folder string, environment []string, measure func(*served) error) (err error) {
	if _, err := b.load(ctx, b.data, environment...); err != nil {
		return err
	}
	s, err := b.serve(ctx, folder, environment...)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, s.stop()) }()
	if _, err := s.get(ctx, "/v1/stats"); err != nil { // the connection, and the reading of any first request
		return err
	}
	return measure(s)
}

func measureOwnersOf(ctx context.Context, engine string, s *served, people []string) error {
	first, took, err := s.typed(ctx, people[:typedNames])
	if err != nil {
		return err
	}
	more, err := s.corrected(ctx, people[typedNames:])
	if err != nil {
		return err
	}
	groups, err := s.timed(ctx, "/v1/filings/groups?by=owner&limit=10")
	fmt.Printf("| %s | %s | %s, %s | %s, %s | %s |\n", engine, ms(first), ms(quantile(took, .5)), ms(quantile(took, .99)),
		ms(quantile(more, .5)), ms(quantile(more, .99)), ms(groups))
	return err
}

// completeByTrigrams measures the time of PostgreSQL for the same names: owners that have the typed
// text, with how many filings they have, the most first. There is no HTTP before it, and no key.
func completeByTrigrams(ctx context.Context, all, people []string) (err error) {
	address := os.Getenv(servers.PostgresVariable)
	if address == "" {
		return nil
	}
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, conn.Close(ctx)) }()
	const schema = "bench_owners"
	drop := func() error {
		_, err := conn.Exec(ctx, "DROP SCHEMA IF EXISTS "+schema+" CASCADE")
		return err
	}
	defer func() { err = firstError(err, drop()) }()
	for _, statement := range []string{
		"CREATE EXTENSION IF NOT EXISTS pg_trgm", "CREATE SCHEMA " + schema, "CREATE TABLE " + schema + ".filings (owner text)",
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{schema, "filings"}, []string{"owner"},
		pgx.CopyFromSlice(len(all), func(i int) ([]any, error) { return []any{all[i]}, nil })); err != nil {
		return err
	}
	for _, statement := range []string{"CREATE INDEX ON " + schema + ".filings USING gin (owner gin_trgm_ops)", "ANALYZE " + schema + ".filings"} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	var took []time.Duration
	for _, name := range people[:typedNames] {
		for _, typed := range typing(name) {
			last, first, _ := strings.Cut(typed, " ")
			began := time.Now()
			rows, err := conn.Query(ctx, "SELECT owner, count(*) FROM "+schema+".filings WHERE owner ILIKE '%' || $1::text || '%' AND owner ILIKE '%' || $2::text || '%' GROUP BY owner ORDER BY 2 DESC, 1 LIMIT 10", last, first)
			if err != nil {
				return err
			}
			for rows.Next() {
				_ = rows.RawValues()
			}
			if err := rows.Err(); err != nil {
				return err
			}
			took = append(took, time.Since(began))
		}
	}
	fmt.Printf("| PostgreSQL, pg_trgm | %s | %s, %s | | |\n", ms(took[0]), ms(quantile(took[1:], .5)), ms(quantile(took[1:], .99)))
	return nil
}
