package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"filings/reindexer/web"
)

var arcgisPath = regexp.MustCompile(`/(FeatureServer|MapServer)/\d+$`)

// layer is a layer or table of ArcGIS.
type layer struct {
	portal
	edited int64  // in milliseconds of Unix time; 0: not known
	key    string // name of the field with the ids
	points bool   // its rows are points
	most   int    // rows of a response
}

// arcgisSource returns the rows of the layer at arcgis+https://…/FeatureServer/0. They are its
// attributes, and of points the point as `geometry`, in the form of GeoJSON and in degrees.
func arcgisSource(c *web.Client, u *url.URL, token string) (Source, error) {
	if !arcgisPath.MatchString(u.Path) {
		return Source{}, fmt.Errorf("%w: the address of a layer is arcgis+https://HOST/…/FeatureServer/0, with the "+
			"number of the layer", ErrUsage)
	}
	filter, err := filterOf(u, "where")
	if err != nil {
		return Source{}, err
	}
	l := layer{portal: portal{c: c, header: http.Header{}, filter: filter}}
	if filter == "" {
		l.filter = "1=1"
	}
	l.address = &url.URL{Scheme: strings.TrimPrefix(u.Scheme, "arcgis+"), User: u.User, Host: u.Host,
		Path: u.Path, RawPath: u.RawPath}
	if token != "" {
		if l.address.Scheme == "http" && !isLoopback(u.Hostname()) {
			return Source{}, fmt.Errorf("%w: the token of %s is not sent over http://, where others could read it: write "+
				"arcgis+https://", ErrUsage, u.Hostname())
		}
		l.header.Set("X-Esri-Authorization", "Bearer "+token)
	}
	return pagedSource(u, "arcgis", func(read *atomic.Int64) dataset {
		l := l
		l.read = read
		return &l
	}), nil
}

// arcgisResponse is a server's response to any of the requests.
type arcgisResponse struct {
	Error jsontext.Value `json:"error"`

	ObjectIDField  string `json:"objectIdField"`
	MaxRecordCount int    `json:"maxRecordCount"`
	GeometryType   string `json:"geometryType"`
	EditingInfo    struct {
		LastEditDate     jsontext.Value `json:"lastEditDate"`
		DataLastEditDate jsontext.Value `json:"dataLastEditDate"`
	} `json:"editingInfo"`

	Count             *int64  `json:"count"`
	ObjectIDFieldName string  `json:"objectIdFieldName"`
	ObjectIDs         []int64 `json:"objectIds"`

	Features []struct {
		Attributes jsontext.Value `json:"attributes"`
		Geometry   struct {
			X jsontext.Value `json:"x"`
			Y jsontext.Value `json:"y"`
		} `json:"geometry"`
	} `json:"features"`
}

// refused says why a server refuses a request in a response with the status 200: by its code alone,
// whose texts may repeat anything.
func (r *arcgisResponse) refused() error {
	if r.Error == nil {
		return nil
	}
	code, _ := strconv.Atoi(string(member(r.Error, "code"))) // 0 is none of them
	err := fmt.Errorf("the server responds with error %d", code)
	switch {
	case code == http.StatusTooManyRequests || code >= 500:
		return fmt.Errorf("%w, %w", err, web.ErrTransient)
	case code == 498 || code == 499:
		return fmt.Errorf("%w: it wants a token, which FILINGS_ARCGIS_TOKENS has by host", err)
	}
	return err
}

// request requests a path below the layer.
func (l *layer) request(ctx context.Context, method, path string, values url.Values) (arcgisResponse, error) {
	values.Set("f", "json")
	return responseOf(ctx, l.portal, method, l.address.JoinPath(path), values, (*arcgisResponse).refused)
}

// query requests one thing about all rows.
func (l *layer) query(ctx context.Context, flag string) (arcgisResponse, error) {
	return l.request(ctx, http.MethodGet, "query", url.Values{"where": {l.filter}, flag: {"true"}})
}

// state implements dataset: how many rows there are, and when the layer was edited last. A change
// of its rows changes that. It learns how the layer is to be read.
func (l *layer) state(ctx context.Context) (state string, rows int64, err error) {
	description, err := l.request(ctx, http.MethodGet, "", url.Values{})
	if err != nil {
		return "", 0, err
	}
	edited := description.EditingInfo
	if edited.LastEditDate.Kind() != '0' {
		return "", 0, errors.New("the layer does not say when it was edited last (editingInfo.lastEditDate), so that a " +
			"change while it is read could not be seen: export it to a file, and load that")
	}
	l.key, l.most = description.ObjectIDField, description.MaxRecordCount
	l.points = description.GeometryType == "esriGeometryPoint"
	counted, err := l.query(ctx, "returnCountOnly")
	if err == nil && (counted.Count == nil || *counted.Count < 0) {
		err = errors.New("the server does not say how many rows there are")
	}
	if err != nil {
		return "", 0, err
	}
	rows = *counted.Count
	for _, date := range []jsontext.Value{edited.DataLastEditDate, edited.LastEditDate} {
		if ms, err := strconv.ParseInt(string(date), 10, 64); err == nil && l.edited == 0 {
			l.edited = ms
		}
	}
	return fmt.Sprintf("%d rows, edited %s %s", rows, edited.LastEditDate, edited.DataLastEditDate), rows, nil
}

// updated implements dataset.
func (l *layer) updated() int64 { return max(0, l.edited/1000) }

// pages implements dataset. Ids come first and whole, with any limit of rows; then each id has to
// bring its row, once.
func (l *layer) pages(ctx context.Context, emit func([]jsontext.Value) error) error {
	response, err := l.query(ctx, "returnIdsOnly")
	if err != nil {
		return err
	}
	l.key = cmp.Or(response.ObjectIDFieldName, l.key)
	slices.Sort(response.ObjectIDs)
	for ids := range slices.Chunk(slices.Compact(response.ObjectIDs), max(1, min(l.most, pageRows))) {
		for len(ids) > 0 {
			page, left, err := l.page(ctx, ids)
			switch {
			case err != nil:
				return err
			case len(page) == 0:
				return fmt.Errorf("%w (%d rows are gone)", ErrChanged, len(ids))
			}
			if err := emit(page); err != nil {
				return err
			}
			ids = left
		}
	}
	return nil
}

// page requests the rows with these ids, and returns those that come and the ids of the others.
func (l *layer) page(ctx context.Context, ids []int64) (page []jsontext.Value, left []int64, err error) {
	var list []byte
	wanted := make(map[int64]bool, len(ids))
	for _, id := range ids {
		list, wanted[id] = append(strconv.AppendInt(list, id, 10), ','), true
	}
	got, err := l.request(ctx, http.MethodPost, "query", url.Values{
		"objectIds": {string(list[:len(list)-1])}, "outFields": {"*"}, "outSR": {"4326"},
		"returnGeometry": {strconv.FormatBool(l.points)},
	})
	for _, feature := range got.Features {
		row, point := feature.Attributes, feature.Geometry
		id, invalid := strconv.ParseInt(string(member(row, l.key)), 10, 64)
		if invalid != nil || !wanted[id] {
			return nil, nil, errors.New("the server responds with a row that was not requested, or twice")
		}
		delete(wanted, id)
		if point.X.Kind() == '0' && point.Y.Kind() == '0' { // longitude and latitude, as requested
			geometry := `,"geometry":{"type":"Point","coordinates":[` + string(point.X) + "," + string(point.Y) + "]}}"
			row = append(row[:len(row)-1], geometry...)
		}
		page = append(page, row)
	}
	return page, slices.DeleteFunc(ids, func(id int64) bool { return !wanted[id] }), err
}
