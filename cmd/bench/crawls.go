package main

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	crawlLimit, largestCrawl = 100, 1000 // filings a page: as many as by offsets, and as many as there may be
	// segment is how many filings are read by cursor before others are read by offsets: other work
	// of the machine hits both.
	segment = 3000
	// offsetsEach is how many segments by cursor there are for one by offsets.
	offsetsEach = 2
)

// depths are how far into a crawl its pages are looked at, in percent.
var depths = []int{25, 50, 75, 99}

// crawl is everything, read page by page by cursor, and some of it by offsets too.
type crawl struct {
	path            string
	limit           int
	ids             []int64
	pages           []time.Duration
	cursors         []string      // after each page
	cursor, offsets time.Duration // for the segments that were read both ways
	rows            int           // of these
}

// measureCrawls reads everything from both engines.
func (b *bench) measureCrawls(ctx context.Context) error {
	fmt.Print("\n| everything, in pages of 100 | filings/s by offsets | by cursor | by cursor in pages of 1,000 | a page by cursor, ms: the first one, median | at 25, 50, 75 and 99 %, times that |\n|---|---|---|---|---|---|\n")
	for _, e := range []struct {
		name        string
		environment []string
	}{
		{"Elasticsearch", b.onElasticsearch(b.elasticsearch)},
		{"embedded", []string{"FILINGS_DATA_DIR=" + filepath.Join(b.dir, "crawls")}},
	} {
		if err := b.measureCrawlsOf(ctx, e.name, e.environment); err != nil {
			return firstError(err, b.deleteIndices(ctx))
		}
	}
	return b.deleteIndices(ctx)
}

// measureCrawlsOf reads everything in every order, and fails unless each filing comes once. A
// search finds the filings with the term; every county has a comma.
func (b *bench) measureCrawlsOf(ctx context.Context, engine string, environment []string) (err error) {
	if _, err := b.load(ctx, b.data, environment...); err != nil {
		return err
	}
	s, err := b.serve(ctx, "crawls", environment...)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, s.stop()) }()
	for _, o := range orders() {
		path := "/v1/filings/search?q=" + url.QueryEscape(", ") + "&" + o.query()
		total, err := s.total(ctx, path+"&limit=1")
		if err != nil {
			return err
		}
		c, large := crawl{path: path, limit: crawlLimit}, crawl{path: path, limit: largestCrawl}
		if err := firstError(c.read(ctx, s, total), large.read(ctx, s, total)); err != nil {
			return fmt.Errorf("%s, %s: %w", engine, o, err)
		}
		first, deep, err := c.alone(ctx, s)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", engine, o, err)
		}
		took := time.Duration(0)
		for _, page := range large.pages {
			took += page
		}
		fmt.Printf("| %s, %s | %.0f | %.0f | %.0f | %s | %s |\n", engine, strings.ToLower(o.String()),
			float64(c.rows)/c.offsets.Seconds(), float64(c.rows)/c.cursor.Seconds(), float64(total)/took.Seconds(), ms(first), strings.Join(deep, ", "))
	}
	return nil
}

// read reads so many filings.
func (c *crawl) read(ctx context.Context, s *served, total int) error {
	next := c.path + "&cursor=*&limit=" + strconv.Itoa(c.limit)
	for n := 0; next != ""; n++ {
		from := len(c.ids)
		for len(c.ids) < from+segment && next != "" {
			body, err := c.page(ctx, s, next)
			if err != nil {
				return err
			}
			cursor := cursorIn(body)
			c.cursors = append(c.cursors, cursor)
			if next = ""; cursor != "" {
				next = "/v1/filings/search?cursor=" + cursor
			}
		}
		if n%offsetsEach == 0 && c.limit == crawlLimit {
			if err := c.again(ctx, s, from); err != nil {
				return err
			}
		}
	}
	sorted := slices.Sorted(slices.Values(c.ids))
	if n := len(slices.Compact(sorted)); n != total || n != len(c.ids) {
		return fmt.Errorf("%d different filings in %d rows, want %d", n, len(c.ids), total)
	}
	return nil
}

// page reads the next page by cursor.
func (c *crawl) page(ctx context.Context, s *served, path string) (body []byte, err error) {
	began := time.Now()
	if body, err = s.get(ctx, path); err == nil {
		c.ids, err = appendIDs(c.ids, body)
	}
	c.pages = append(c.pages, time.Since(began))
	return body, err
}

// again reads by offsets the rows that were read by cursor from that one on.
func (c *crawl) again(ctx context.Context, s *served, from int) error {
	ids, began := make([]int64, 0, segment), time.Now()
	for offset := from; offset < len(c.ids); offset += crawlLimit {
		body, err := s.get(ctx, fmt.Sprintf("%s&limit=%d&offset=%d", c.path, crawlLimit, offset))
		if err == nil {
			ids, err = appendIDs(ids, body)
		}
		if err != nil {
			return err
		}
	}
	c.offsets += time.Since(began)
	if !slices.Equal(ids, c.ids[from:]) {
		return fmt.Errorf("the %d filings by offsets from %d on are not those by cursor", len(ids), from)
	}
	for _, took := range c.pages[from/crawlLimit:] {
		c.cursor += took
	}
	c.rows += len(ids)
	return nil
}

// alone compares pages deep in the crawl with the first one, in turns. Each time they have another limit, so that no cache has
// them; the total is cached.
func (c *crawl) alone(ctx context.Context, s *served) (first time.Duration, deep []string, err error) {
	took := make([][]time.Duration, 1+len(depths))
	for limit := crawlLimit - 1; limit >= crawlLimit/2; limit-- {
		for i := range took {
			path := c.path + "&cursor=*"
			if i > 0 {
				path = "/v1/filings/search?cursor=" + c.cursors[min(len(c.cursors)*depths[i-1]/100, len(c.cursors)-2)]
			}
			began := time.Now()
			if _, err := s.get(ctx, path+"&limit="+strconv.Itoa(limit)); err != nil {
				return 0, nil, err
			}
			took[i] = append(took[i], time.Since(began))
		}
	}
	first = quantile(took[0], .5)
	for _, t := range took[1:] {
		deep = append(deep, fmt.Sprintf("%.2f", float64(quantile(t, .5))/float64(first)))
	}
	return first, deep, nil
}

// appendIDs appends the ids of the filings in a response. A client that decoded them would be
// measured instead.
func appendIDs(ids []int64, body []byte) ([]int64, error) {
	for rest := body; ; {
		_, after, found := bytes.Cut(rest, []byte(`{"id":`))
		if !found {
			return ids, nil
		}
		n := bytes.IndexByte(after, ',')
		id, err := strconv.ParseInt(string(after[:max(0, n)]), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("the response has no ids: %w", err)
		}
		ids, rest = append(ids, id), after[n:]
	}
}

// cursorIn returns the cursor of the next page, "" on the last one.
func cursorIn(body []byte) string {
	_, after, _ := bytes.Cut(body, []byte(`"next_cursor":"`))
	cursor, _, _ := bytes.Cut(after, []byte(`"`))
	return string(cursor)
}

var generationID = regexp.MustCompile(`\d{8}-\d{6}\.\d{6}`)

// crawlChanges reads all filings, and the changes between two loads, which are all filings with an
// owner.
func (b *bench) crawlChanges(ctx context.Context, engine string, changed [2]loaded, environment []string) (row string, err error) {
	before, after := changed[0], changed[1]
	s, err := b.serve(ctx, "changes", append(environment, "FILINGS_CACHE_SIZE=0")...)
	if err != nil {
		return "", err
	}
	defer func() { err = firstError(err, s.stop()) }()
	id := func(l loaded) string { return generationID.FindString(l.generation) }
	paths := [2]string{"/v1/filings?cursor=*&limit=1000", "/v1/filings/changes?limit=1000&since=" + id(before) + "&until=" + id(after)}
	var crawls [2]crawl
	var rates [2]float64
	for i, path := range paths {
		c, began := &crawls[i], time.Now()
		c.path = path
		endpoint, _, _ := strings.Cut(path, "?")
		for next := path; next != ""; {
			body, err := c.page(ctx, s, next)
			if err != nil {
				return "", err
			}
			if next = cursorIn(body); next != "" {
				next = endpoint + "?cursor=" + next
			}
		}
		rates[i] = float64(len(c.ids)) / time.Since(began).Seconds()
	}
	if n := len(crawls[1].ids); int64(len(crawls[0].ids)) != before.filings || !strings.Contains(after.changes, fmt.Sprintf(`"changed":%d,`, n)) {
		return "", fmt.Errorf("%d of %d filings, and %d changes of %s", len(crawls[0].ids), before.filings, n, after.changes)
	}
	all, changes, pages := rates[0], rates[1], crawls[1].pages
	return fmt.Sprintf("| %s | %.0f | %.0f | %.2f | %s, %s |\n", engine, all, changes, changes/all, ms(quantile(pages, .5)), ms(quantile(pages, .99))), nil
}
