package servers

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Portal is a server with one dataset, which speaks as Socrata does at /resource/abcd-1234.json, and as ArcGIS at /rest/FeatureServer/0. It
// has moods: a dataset that changes, short pages, responses that break off, refusals.
type Portal struct {
	Random   *rand.Rand // nil: no moods
	Changing bool       // before some of the requests, rows come, change and go
	Most     int        // rows of a page
	Loses    bool       // never sends the third row, whose number it counts
	Doubles  bool       // sends that one twice
	Token    string     // that each request has to have; "" for none

	mu     sync.Mutex
	clock  int64
	next   int64
	rows   []portalRow
	states map[string]bool // texts of all states that there were
	failed int             // responses in a row: one that fails ten times is down, and no bad network
}

type portalRow struct {
	number, changed int64
	object          map[string]any
}

// Put adds rows.
func (p *Portal) Put(objects ...map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, object := range objects {
		p.next, p.clock = p.next+1, p.clock+1
		p.rows = append(p.rows, portalRow{p.next, p.clock, object})
	}
	p.note()
}

// Was reports whether the dataset ever had exactly rows with these values of a member `n`.
func (p *Portal) Was(n []string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	n = slices.Clone(n)
	slices.Sort(n)
	return p.states[strings.Join(n, " ")]
}

// note notes a state.
func (p *Portal) note() {
	if p.Random == nil {
		return
	}
	var all []string
	for _, row := range p.rows {
		all = append(all, fmt.Sprint(row.object["n"]))
	}
	slices.Sort(all)
	if p.states == nil {
		p.states = map[string]bool{}
	}
	p.states[strings.Join(all, " ")] = true
}

// change changes the dataset in a random way.
func (p *Portal) change() {
	p.clock++
	switch at := p.Random.IntN(len(p.rows) + 1); p.Random.IntN(3) {
	case 0:
		p.next++
		p.rows = append(p.rows, portalRow{p.next, p.clock, map[string]any{"n": fmt.Sprint(p.clock)}})
	case 1:
		if at < len(p.rows) {
			p.rows = slices.Delete(p.rows, at, at+1)
		}
	default:
		if at < len(p.rows) {
			p.rows[at].changed, p.rows[at].object = p.clock, map[string]any{"n": fmt.Sprint(p.clock)}
		}
	}
	p.note()
}

// ServeHTTP implements http.Handler.
func (p *Portal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Token != "" && r.Header.Get("X-App-Token") != p.Token && r.Header.Get("X-Esri-Authorization") != "Bearer "+p.Token {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	arcgis := strings.Contains(r.URL.Path, "FeatureServer")
	mood := 100
	if p.Random != nil && p.failed < 9 {
		mood = p.Random.IntN(14)
	}
	if p.failed++; mood >= 5 {
		p.failed = 0
	}
	if p.Changing && p.Random.IntN(25) == 0 {
		for range 1 + p.Random.IntN(2) {
			p.change()
		}
	}
	switch {
	case mood == 0:
		w.WriteHeader([]int{http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusBadGateway}[p.Random.IntN(3)])
		return
	case mood == 1 && arcgis:
		fmt.Fprint(w, `{"error":{"code":429,"message":"hunter2","details":[]}}`)
		return
	case mood == 1:
		w.WriteHeader(http.StatusAccepted)
		return
	}
	_ = r.ParseForm() // a faulty part is then missing
	answer := p.socrata
	if arcgis {
		answer = p.arcgis
	}
	text, _ := json.Marshal(answer(r.URL.Path, r.Form)) // of texts and numbers
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	if mood < 5 { // it breaks off
		text = text[:p.Random.IntN(len(text))]
	}
	_, _ = w.Write(text)
	if mood == 2 {
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

// short returns how many of so many rows a page has.
func (p *Portal) short(rows, most int) int {
	if p.Most > 0 {
		most = min(most, p.Most)
	}
	if rows = min(rows, most); p.Random != nil && rows > 1 {
		rows = 1 + p.Random.IntN(rows)
	}
	return rows
}

// sent returns the part of rows that is sent.
func (p *Portal) sent(rows []portalRow) []portalRow {
	third := func(row portalRow) bool { return row.number == 3 }
	switch at := slices.IndexFunc(rows, third); {
	case at >= 0 && p.Loses:
		return slices.DeleteFunc(slices.Clone(rows), third)
	case at >= 0 && p.Doubles:
		return slices.Insert(slices.Clone(rows), at, rows[at])
	}
	return rows
}

// key is a key of Socrata, whose order is that of the numbers and not of the texts.
func key(number int64) string {
	return fmt.Sprintf("row-%.4x.%d", sha256.Sum256([]byte(strconv.FormatInt(number, 10))), number)
}

var behind = regexp.MustCompile(`:id > 'row-\w+\.(\d+)'`)

func (p *Portal) socrata(_ string, form url.Values) any {
	if strings.Contains(form.Get("$select"), "count(") {
		latest := int64(0)
		for _, row := range p.rows {
			latest = max(latest, row.changed)
		}
		answer := map[string]string{"n": strconv.Itoa(len(p.rows))}
		if len(p.rows) > 0 {
			answer["latest"] = fmt.Sprintf("2026-11-25T00:00:00.%09dZ", latest)
		}
		return []any{answer}
	}
	number := int64(0)
	if m := behind.FindStringSubmatch(form.Get("$where")); m != nil {
		number, _ = strconv.ParseInt(m[1], 10, 64)
	}
	from := slices.IndexFunc(p.rows, func(row portalRow) bool { return row.number > number })
	if from < 0 {
		from = len(p.rows)
	}
	most, _ := strconv.Atoi(form.Get("$limit"))
	page := []any{}
	for _, row := range p.sent(p.rows[from:][:p.short(len(p.rows)-from, most)]) {
		object := map[string]any{":id": key(row.number)}
		for name, value := range row.object {
			object[name] = value
		}
		page = append(page, object)
	}
	return page
}

func (p *Portal) arcgis(path string, form url.Values) any {
	edited := map[string]any{"lastEditDate": p.clock}
	switch {
	case !strings.HasSuffix(path, "/query"):
		return map[string]any{"name": "liens", "objectIdField": "FID", "maxRecordCount": max(p.Most, 1), "geometryType": "esriGeometryPoint", "editingInfo": edited}
	case form.Get("returnCountOnly") == "true":
		return map[string]any{"count": len(p.rows)}
	case form.Get("returnIdsOnly") == "true":
		var ids []int64
		for _, row := range p.rows {
			ids = append(ids, row.number)
		}
		return map[string]any{"objectIdFieldName": "FID", "objectIds": ids}
	}
	var found []any
	for id := range strings.SplitSeq(form.Get("objectIds"), ",") {
		number, _ := strconv.ParseInt(id, 10, 64)
		at := slices.IndexFunc(p.rows, func(row portalRow) bool { return row.number == number })
		if at < 0 {
			continue
		}
		for _, row := range p.sent(p.rows[at : at+1]) {
			object := map[string]any{"FID": number}
			for name, value := range row.object {
				object[name] = value
			}
			found = append(found, map[string]any{"attributes": object, "geometry": map[string]any{"x": -81.5, "y": 28.5}})
		}
	}
	n := p.short(len(found), len(found))
	return map[string]any{"objectIdFieldName": "FID", "features": found[:n], "exceededTransferLimit": n < len(found)}
}
