package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// mapping finds parts of texts by trigrams, as Elasticsearch's manual has it; a forced merge after the load, since the data
// does not change.
const mapping = `{
  "settings": {
    "number_of_shards": 1, "number_of_replicas": 0, "refresh_interval": -1, "max_result_window": 100000000,
    "analysis": {
      "tokenizer": {"trigrams": {"type": "ngram", "min_gram": 3, "max_gram": 3}},
      "analyzer": {"parts": {"type": "custom", "tokenizer": "trigrams", "filter": ["lowercase"]}}
    }
  },
  "mappings": {"dynamic": false, "properties": {
    "id": {"type": "long"},
    "county": {"type": "keyword", "copy_to": "texts"},
    "owner": {"type": "keyword", "copy_to": "texts"},
    "propertyAddress": {"type": "keyword", "copy_to": "texts"},
    "caseNumber": {"type": "keyword", "copy_to": "texts"},
    "filingAmount": {"type": "double"},
    "filingDate": {"type": "date"},
    "location": {"type": "geo_point"},
    "texts": {"type": "text", "analyzer": "parts"}
  }}
}`

type elasticsearch struct {
	url, index string
	client     *http.Client
}

func newElasticsearch(url, index string) *elasticsearch {
	return &elasticsearch{url, index, &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}}
}

// do sends a request and reads the response into into, unless that is nil.
func (e *elasticsearch) do(ctx context.Context, method, path string, body []byte, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, e.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := e.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s", method, path, res.Status)
	}
	if into == nil {
		into = new(json.RawMessage)
	}
	return json.NewDecoder(res.Body).Decode(into)
}

func (e *elasticsearch) load(ctx context.Context, file string) error {
	if err := e.do(ctx, http.MethodPut, "/"+e.index, []byte(mapping), nil); err != nil {
		return err
	}
	var bulk bytes.Buffer
	send := func() error {
		var result struct{ Errors bool }
		err := e.do(ctx, http.MethodPost, "/"+e.index+"/_bulk", bulk.Bytes(), &result)
		if err == nil && result.Errors {
			err = fmt.Errorf("a filing was refused")
		}
		bulk.Reset()
		return err
	}
	err := eachFiling(file, func(f filing) error {
		fmt.Fprintf(&bulk, "{\"index\":{\"_id\":\"%d\"}}\n", f.ID)
		if f.Latitude != nil && f.Longitude != nil {
			fmt.Fprintf(&bulk, `{"location":[%v,%v],%s`, *f.Longitude, *f.Latitude, f.text[1:])
		} else {
			bulk.Write(f.text)
		}
		bulk.WriteByte('\n')
		if bulk.Len() < 5<<20 {
			return nil
		}
		return send()
	})
	if err == nil && bulk.Len() > 0 {
		err = send()
	}
	if err != nil {
		return err
	}
	if err := e.do(ctx, http.MethodPost, "/"+e.index+"/_refresh", nil, nil); err != nil {
		return err
	}
	return e.do(ctx, http.MethodPost, "/"+e.index+"/_forcemerge?max_num_segments=1", nil, nil)
}

func (e *elasticsearch) page(ctx context.Context, q question) (p page, err error) {
	var filters []any
	add := func(kind string, body map[string]any) { filters = append(filters, map[string]any{kind: body}) }
	if q.term != "" {
		add("match_phrase", map[string]any{"texts": q.term})
	}
	if q.county != "" {
		add("term", map[string]any{"county": q.county})
	}
	if q.minAmount != nil {
		add("range", map[string]any{"filingAmount": map[string]any{"gte": *q.minAmount}})
	}
	if q.box != nil {
		add("geo_bounding_box", map[string]any{"location": map[string]any{
			"top": q.box.north, "bottom": q.box.south, "right": q.box.east, "left": q.box.west,
		}})
	}
	body, err := json.Marshal(map[string]any{
		"from": q.offset, "size": q.limit, "track_total_hits": true,
		"query": map[string]any{"bool": map[string]any{"filter": filters}},
		"sort":  []any{map[string]any{"filingDate": "desc"}, map[string]any{"id": "desc"}},
	})
	if err != nil {
		return p, err
	}
	var result struct {
		Hits struct {
			Total struct{ Value int }
			Hits  []struct {
				Source json.RawMessage `json:"_source"`
			}
		}
	}
	err = e.do(ctx, http.MethodPost, "/"+e.index+"/_search?filter_path=hits.total,hits.hits._source", body, &result)
	p.total = result.Hits.Total.Value
	for _, hit := range result.Hits.Hits {
		p.filings = append(p.filings, hit.Source)
	}
	return p, err
}

func (e *elasticsearch) one(ctx context.Context, id int64) (json.RawMessage, error) {
	var text json.RawMessage
	err := e.do(ctx, http.MethodGet, fmt.Sprintf("/%s/_source/%d", e.index, id), nil, &text)
	if err != nil && strings.HasSuffix(err.Error(), "404 Not Found") {
		return nil, nil
	}
	return text, err
}

func (e *elasticsearch) end(ctx context.Context) error {
	return e.do(ctx, http.MethodDelete, "/"+e.index, nil, nil)
}
