package source

import (
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

// arcgisRows is how many rows are asked for at once, unless the layer gives fewer.
const arcgisRows = 2_000

var arcgisPath = regexp.MustCompile(`/(FeatureServer|MapServer)/\d+$`)

// layer is a layer or table of ArcGIS.
type layer struct {
	portal
	address *url.URL
	where   string

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
	where, err := filterOf(u, "where")
	if err != nil {
		return Source{}, err
	}
	l := layer{where: where, portal: portal{c: c, user: u.User, header: http.Header{}, read: new(atomic.Int64)}}
	if where == "" {
		l.where = "1=1"
	}
	l.address = &url.URL{Scheme: strings.TrimPrefix(u.Scheme, "arcgis+"), Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	if token != "" {
		if l.address.Scheme == "http" && !isLoopback(u.Hostname()) {
			return Source{}, fmt.Errorf("%w: the token of %s is not sent over http://, where others could read it: write "+
				"arcgis+https://", ErrUsage, u.Hostname())
		}
		l.header.Set("X-Esri-Authorization", "Bearer "+token)
	}
	s := Source{Name: web.Public(u), unit: "row", format: "arcgis"}
	s.state = func(ctx context.Context) (string, error) {
		l := l
		state, _, err := l.state(ctx)
		return state, err
	}
	s.open = func(ctx context.Context, read *atomic.Int64) (*Reader, error) {
		l := l
		l.read = read
		state, rows, err := l.state(ctx)
		if err != nil {
			return nil, err
		}
		r := openPaged(ctx, func(ctx context.Context, emit func([]byte) error) error { return l.rows(ctx, rows, emit) })
		r.before, r.now = state, s.state
		return r, nil
	}
	return s, nil
}

// ask sends a request with these parameters and calls take with each member of its response, which
// take reads, unless it is not handled.
func (l *layer) ask(ctx context.Context, failed *int, path string, post bool, next func() url.Values,
	take func(in *jsontext.Decoder, name string) (handled bool, err error)) error {
	return l.portal.ask(ctx, failed, func() request {
		u, values := *l.address.JoinPath(path), next()
		if values == nil {
			return request{}
		}
		values.Set("f", "json")
		if post {
			return request{address: &u, form: values}
		}
		u.RawQuery = values.Encode()
		return request{address: &u}
	}, func(in *jsontext.Decoder) error {
		return members(in, func(name string) error {
			if name == "error" {
				return refusedBy(in)
			}
			handled, err := take(in, name)
			if err == nil && !handled {
				err = in.SkipValue()
			}
			return err
		})
	})
}

// refusedBy says why a server refuses a request in a response with the status 200: by its code
// alone, whose texts may repeat anything.
func refusedBy(in *jsontext.Decoder) error {
	fault, err := in.ReadValue()
	if err != nil {
		return err
	}
	code, _ := strconv.Atoi(string(member(fault, "code"))) // 0 is none of them
	err = fmt.Errorf("the server responds with error %d", code)
	switch {
	case code == http.StatusTooManyRequests || code >= 500:
		return fmt.Errorf("%w, %w", err, errTransient)
	case code == 498 || code == 499:
		return fmt.Errorf("%w: it wants a token, which FILINGS_ARCGIS_TOKENS has by host", err)
	}
	return err
}

// state reads what the layer is, how many rows it has and when it was edited last. A change of its
// rows changes that.
func (l *layer) state(ctx context.Context) (state string, rows int64, err error) {
	edited := ""
	none := func() url.Values { return url.Values{} }
	err = l.ask(ctx, new(int), "", false, none, func(in *jsontext.Decoder, name string) (bool, error) {
		value, err := in.ReadValue()
		if err != nil {
			return true, err
		}
		switch name {
		case "objectIdField":
			l.key, _ = strconv.Unquote(string(value))
		case "maxRecordCount":
			l.most, _ = strconv.Atoi(string(value))
		case "geometryType":
			l.points = string(value) == `"esriGeometryPoint"`
		case "editingInfo":
			if at := member(value, "lastEditDate"); at.Kind() == '0' {
				edited = fmt.Sprintf("%s %s", at, member(value, "dataLastEditDate"))
			}
		}
		return true, nil
	})
	if err == nil && edited == "" {
		err = errors.New("the layer does not say when it was edited last (editingInfo.lastEditDate), so that a change " +
			"while it is read could not be seen: " +
			"export it to a file, and load that")
	}
	if err != nil {
		return "", 0, err
	}
	rows = -1
	err = l.query(ctx, "returnCountOnly", func(in *jsontext.Decoder, name string) (bool, error) {
		if name != "count" {
			return false, nil
		}
		value, err := in.ReadValue()
		if err == nil {
			rows, err = strconv.ParseInt(string(value), 10, 64)
		}
		return true, err
	})
	if err == nil && rows < 0 {
		err = errors.New("the server does not say how many rows there are")
	}
	return fmt.Sprintf("%d rows, edited %s", rows, edited), rows, err
}

// query asks for one thing about all rows.
func (l *layer) query(ctx context.Context, what string, take func(*jsontext.Decoder, string) (bool, error)) error {
	values := func() url.Values { return url.Values{"where": {l.where}, what: {"true"}} }
	return l.ask(ctx, new(int), "query", false, values, take)
}

// ids returns the ids of all rows.
func (l *layer) ids(ctx context.Context) (ids []int64, err error) {
	err = l.query(ctx, "returnIdsOnly", func(in *jsontext.Decoder, name string) (bool, error) {
		if name == "objectIdFieldName" {
			value, err := in.ReadValue()
			l.key, _ = strconv.Unquote(string(value))
			return true, err
		}
		if name != "objectIds" || in.PeekKind() != '[' { // null for none
			return false, nil
		}
		ids = ids[:0]
		return true, elements(in, func() error {
			value, err := in.ReadValue()
			if err != nil {
				return err
			}
			id, err := strconv.ParseInt(string(value), 10, 64)
			ids = append(ids, id)
			return err
		})
	})
	slices.Sort(ids)
	return ids, err
}

// rows is a rowsOf. Ids come first and whole, whatever a response may have of rows; then each id
// has to bring its row, once.
func (l *layer) rows(ctx context.Context, rows int64, emit func([]byte) error) error {
	ids, err := l.ids(ctx)
	if err != nil {
		return err
	}
	read, some := int64(0), len(slices.Compact(ids)) == len(ids) && int64(len(ids)) == rows
	for batch := range slices.Chunk(ids, max(1, min(l.most, arcgisRows))) {
		wanted := make(map[int64]bool, len(batch))
		for _, id := range batch {
			wanted[id] = true
		}
		for failed := 0; some && len(wanted) > 0; {
			asked := len(wanted)
			if err := l.batch(ctx, &failed, batch, wanted, emit); err != nil {
				return err
			}
			some = len(wanted) < asked
		}
		if !some {
			break
		}
		read += int64(len(batch))
	}
	return checkRows(read, rows)
}

// batch asks for the rows that are wanted, and takes those that come from wanted.
func (l *layer) batch(
	ctx context.Context, failed *int, batch []int64, wanted map[int64]bool, emit func([]byte) error,
) error {
	var row []byte
	next := func() url.Values {
		var ids []byte
		for _, id := range batch {
			if wanted[id] {
				ids = append(strconv.AppendInt(ids, id, 10), ',')
			}
		}
		if ids == nil {
			return nil
		}
		return url.Values{
			"objectIds": {string(ids[:len(ids)-1])}, "outFields": {"*"}, "outSR": {"4326"},
			"returnGeometry": {strconv.FormatBool(l.points)},
		}
	}
	return l.ask(ctx, failed, "query", true, next, func(in *jsontext.Decoder, name string) (bool, error) {
		if name != "features" || in.PeekKind() != '[' {
			return false, nil
		}
		return true, elements(in, func() error {
			point := ""
			row = row[:0]
			err := members(in, func(name string) error {
				value, err := in.ReadValue()
				switch name {
				case "attributes":
					row = append(row, value...)
				case "geometry":
					point = pointOf(value)
				}
				return err
			})
			if err != nil {
				return err
			}
			id, invalid := strconv.ParseInt(string(member(row, l.key)), 10, 64)
			if invalid != nil || !wanted[id] {
				return errors.New("the server responds with a row that was not asked for, or twice")
			}
			delete(wanted, id)
			*failed = 0
			if end := len(row) - 1; point != "" {
				row = append(row[:end], `,"geometry":{"type":"Point","coordinates":[`+point+`]}}`...)
			}
			return emit(row)
		})
	})
}

// pointOf returns the coordinates of a point, "" if it has none: longitude and latitude, as the
// server was asked for.
func pointOf(geometry jsontext.Value) string {
	x, y := member(geometry, "x"), member(geometry, "y")
	if x.Kind() != '0' || y.Kind() != '0' {
		return ""
	}
	return string(x) + "," + string(y)
}
