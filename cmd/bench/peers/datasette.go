package peers

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// datasetteVersion is that of the Datasette which is installed from PyPI where none is.
const datasetteVersion = "0.65.5"

// findDatasette returns the Datasette of the PATH, else that of a virtual environment in the user's cache, which the first
// call makes.
func findDatasette(ctx context.Context) (string, error) {
	if found, err := exec.LookPath("datasette"); err == nil {
		return found, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "filings-tools", "datasette-"+datasetteVersion)
	program := filepath.Join(folder, "bin", "datasette")
	if exec.CommandContext(ctx, program, "--version").Run() == nil {
		return program, nil
	}
	for _, args := range [][]string{
		{"python3", "-m", "venv", "--clear", folder},
		{filepath.Join(folder, "bin", "pip"), "install", "--quiet", "--disable-pip-version-check", "datasette==" + datasetteVersion},
	} {
		if output, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput(); err != nil {
			lines := strings.Split(strings.TrimSpace(string(output)), "\n")
			return "", fmt.Errorf("%w: %s", err, lines[len(lines)-1])
		}
	}
	return program, nil
}

// startDatasette serves the database as Datasette's manual recommends for data that does not change, without the facets
// that it would suggest with every answer.
func startDatasette(ctx context.Context, program, database string) (*Peer, error) {
	cmd := exec.CommandContext(ctx, program, "serve", "-i", database, "--host", "127.0.0.1", "--port", "0",
		"--setting", "suggest_facets", "off", "--setting", "sql_time_limit_ms", "60000")
	log, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), "running on "); ok {
			go func() { _, _ = io.Copy(io.Discard, log) }()
			address, _, _ = strings.Cut(address, " ")
			p := New("Datasette", address, "", nil, func() error {
				err := cmd.Process.Kill()
				_ = cmd.Wait() // that it was killed
				return err
			})
			p.path, p.read = datasettePath, readDatasette
			p.client.MaxIdleConnDuration = 2 * time.Second // it closes connections after five
			return p, nil
		}
	}
	return nil, errors.Join(errors.New("it is not known where Datasette listens: it has ended"), cmd.Wait())
}

// datasettePath is how Datasette is asked: by its API of tables, but for offsets, which it has in SQL alone.
func datasettePath(path string) string {
	at, _ := url.Parse(path) // made by questions
	values := at.Query()
	if id, ok := strings.CutPrefix(at.Path, "/v1/filings/"); ok && id != "search" {
		return "/peer/filings/" + id + ".json?_shape=objects&_col=filing"
	}
	if offset := values.Get("offset"); offset != "" {
		return "/peer.json?_shape=objects&sql=" + url.QueryEscape("select filing from filings order by place limit 20 offset "+offset)
	}
	query := url.Values{"_shape": {"objects"}, "_col": {"filing"}, "_sort": {"place"}, "_size": {"20"}, "_nofacet": {"1"}}
	for from, to := range map[string]string{
		"q": "_search", "county": "county__exact", "min_amount": "amount__gte",
		"bounds_north": "lat__lte", "bounds_south": "lat__gte", "bounds_east": "lon__lte", "bounds_west": "lon__gte",
	} {
		if value := values.Get(from); value != "" {
			query.Set(to, value)
		}
	}
	return "/peer/filings.json?" + query.Encode()
}

// readDatasette reads its answers. Those of SQL have no total: it is that of all.
func readDatasette(body []byte) (a answer, err error) {
	var response struct {
		Total *int `json:"filtered_table_rows_count"`
		Rows  []struct{ Filing string }
	}
	if err := json.Unmarshal(body, &response); err != nil {
		return a, err
	}
	if a.total = -1; response.Total != nil {
		a.total = *response.Total
	}
	for _, row := range response.Rows {
		var filing struct{ ID int64 }
		if err := json.Unmarshal([]byte(row.Filing), &filing); err != nil {
			return a, err
		}
		a.ids = append(a.ids, filing.ID)
	}
	return a, nil
}
