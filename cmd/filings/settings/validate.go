package settings

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var indexName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,99}$`)

// Check reports everything that is wrong with the settings, a line each. Values that may hold a
// password are not shown.
func (s Settings) Check() error {
	var errs []error
	check := func(ok bool, name, value, must string) {
		if !ok {
			errs = append(errs, fmt.Errorf("FILINGS_%s=%q: %s", name, value, must))
		}
	}
	for _, address := range s.ElasticsearchURL {
		check(isURL(address, "http", "https"), "ELASTICSEARCH_URL", "…",
			"must be http:// or https:// addresses, separated by commas")
	}
	check(s.RedisURL == "" || isURL(s.RedisURL, "redis", "rediss"), "REDIS_URL", "…",
		"must be a redis:// or rediss:// address")
	check(s.S3Endpoint == "" || isURL(s.S3Endpoint, "http", "https"), "S3_ENDPOINT", "…",
		"must be an http:// or https:// address")
	for name, items := range map[string]List{"ARCGIS_TOKENS": s.ArcgisTokens, "SOCRATA_TOKENS": s.SocrataTokens} {
		for _, item := range items {
			host, token, _ := strings.Cut(item, "=")
			check(host != "" && token != "" && !strings.ContainsAny(host, ":/@"), name, "…",
				"must be HOST=TOKEN, separated by commas, such as gis.example.gov=…")
		}
	}
	check(indexName.MatchString(s.Index), "INDEX", s.Index, "must be up to 100 lower-case letters, digits, - and _")
	check(s.DataDir != "", "DATA_DIR", s.DataDir, "must be the path of a folder")
	// else any free port, of all interfaces where it is empty
	ported := func(a string) bool { return a != "" && !strings.HasSuffix(a, ":") }
	check(ported(s.Listen) && s.Listen != Off, "LISTEN", s.Listen, "must be an address such as :8443")
	check(ported(s.RedirectListen), "REDIRECT_LISTEN", s.RedirectListen, "must be an address such as :8080, or off")
	check(ported(s.OperationsListen), "OPERATIONS_LISTEN", s.OperationsListen,
		"must be an address such as 127.0.0.1:9090, or off")
	apart := func(a, b string) bool { return a != b || !ported(a) || a == Off || strings.HasSuffix(a, ":0") }
	check(apart(s.RedirectListen, s.Listen), "REDIRECT_LISTEN", s.RedirectListen,
		"must be another address than FILINGS_LISTEN, or off")
	check(apart(s.OperationsListen, s.Listen) && apart(s.OperationsListen, s.RedirectListen),
		"OPERATIONS_LISTEN", s.OperationsListen,
		"must be another address than FILINGS_LISTEN and FILINGS_REDIRECT_LISTEN, or off")
	check(s.OperationsToken == "" || s.OperationsListen != Off, "OPERATIONS_TOKEN", "…",
		"FILINGS_OPERATIONS_LISTEN is off: it must be an address")
	check(s.TokenShare >= 0 && s.TokenShare <= 1, "TOKEN_SHARE", strconv.FormatFloat(s.TokenShare, 'g', -1, 64),
		"must be a number from 0 to 1")
	check((s.TLSCertFile == "") == (s.TLSKeyFile == ""), "TLS_KEY_FILE", s.TLSKeyFile,
		"FILINGS_TLS_CERT_FILE and FILINGS_TLS_KEY_FILE go together")
	check(!bool(s.MCP) || s.MCPResult >= 10_000, "MCP_RESULT", strconv.Itoa(s.MCPResult),
		"must be 10000 or more: room for a row and its cursor")
	check(s.PublicURL == "" || isPublic(s.PublicURL), "PUBLIC_URL", "…",
		"must be an https:// address without a slash at the end or a query, such as https://example.com/filings")
	for _, origin := range s.CORSOrigins {
		check(isOrigin(origin), "CORS_ORIGINS", origin, "must be origins as browsers send them, such as "+
			"https://app.example.com: no path, no slash at the end, no port that is the usual one; or *")
	}
	check(s.RequestTimeout > 0, "REQUEST_TIMEOUT", s.RequestTimeout.String(), "must be a duration above 0")
	check(s.ExportTimeout > 0, "EXPORT_TIMEOUT", s.ExportTimeout.String(), "must be a duration above 0")
	check(s.SourceTimeout > 0, "SOURCE_TIMEOUT", s.SourceTimeout.String(), "must be a duration above 0")
	check(s.Temporary > 0, "TEMPORARY", strconv.FormatInt(int64(s.Temporary), 10), "must be a size above 0")
	check(s.StartTimeout >= 0, "START_TIMEOUT", s.StartTimeout.String(), "must be a duration, 0s or more")
	tiles := s.TilesURL == "" || isTiles(s.TilesURL)
	check(tiles, "TILES_URL", "…",
		"must be an https:// address with {z}, {x} and {y}, such as https://tiles.example.com/{z}/{x}/{y}.png")
	check(!tiles || (s.TilesURL == "") == (s.TilesAttribution == ""), "TILES_ATTRIBUTION", s.TilesAttribution,
		"FILINGS_TILES_URL and FILINGS_TILES_ATTRIBUTION go together: a map names its makers")
	check(s.LegacyHasDataName != "", "LEGACY_HAS_DATA_NAME", "", "must be the name of a parameter")
	check(slices.Contains([]string{"auto", "text", "json"}, s.LogFormat), "LOG_FORMAT", s.LogFormat,
		"must be text, json or auto")
	for _, number := range []struct {
		name     string
		v, least int64
	}{
		{"INDEX_SHARDS", int64(s.IndexShards), 1}, {"INDEX_REPLICAS", int64(s.IndexReplicas), 0},
		{"KEEP_GENERATIONS", int64(s.KeepGenerations), 0}, {"KEEP_CHANGES", int64(s.KeepChanges), 0},
		{"EXPORTS", int64(s.Exports), 1}, {"ENGINE_CALLS", int64(s.EngineCalls), 0},
		{"FREE_LIFETIME_QUOTA", s.FreeLifetimeQuota, 0}, {"STARTER_DAILY_QUOTA", s.StarterDailyQuota, 0},
		{"PRO_DAILY_QUOTA", s.ProDailyQuota, 0}, {"ENTERPRISE_DAILY_QUOTA", s.EnterpriseDailyQuota, 0},
	} {
		check(number.v >= number.least, number.name, strconv.FormatInt(number.v, 10),
			fmt.Sprintf("must be %d or more", number.least))
	}
	const mostBurst = 1_000_000_000 // the limit of package access
	for i, burst := range []int64{s.FreeBurst, s.StarterBurst, s.ProBurst, s.EnterpriseBurst} {
		name := []string{"FREE_BURST", "STARTER_BURST", "PRO_BURST", "ENTERPRISE_BURST"}[i]
		check(burst >= 1 && burst <= mostBurst, name, strconv.FormatInt(burst, 10),
			fmt.Sprintf("must be 1 to %d", mostBurst))
	}
	return errors.Join(errs...)
}

// tilesHost has no character that would mean something in a Content-Security-Policy.
var tilesHost = regexp.MustCompile(`^[A-Za-z0-9.-]+(:[0-9]{1,5})?$`)

// isTiles reports whether text is the address of a base map's tiles: with {z}, {x} and {y} once
// each, and no other braces. All have one host, since the page allows images of that alone.
func isTiles(text string) bool {
	for _, place := range []string{"{z}", "{x}", "{y}"} {
		if strings.Count(text, place) != 1 {
			return false
		}
	}
	plain := strings.NewReplacer("{z}", "0", "{x}", "0", "{y}", "0").Replace(text)
	u, err := url.Parse(plain)
	return err == nil && u.Scheme == "https" && u.User == nil && tilesHost.MatchString(u.Host) &&
		strings.HasPrefix(text, "https://"+u.Host+"/") && !strings.ContainsAny(plain, "{}")
}

// isPublic reports whether text is an address that paths can be appended to.
func isPublic(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "https" && u.Hostname() != "" && !strings.HasSuffix(text, "/") &&
		!strings.HasSuffix(u.Host, ":") && text == "https://"+u.Host+u.EscapedPath()
}

// isOrigin reports whether text can be equal to a browser's Origin of a page; or is "*", for all.
func isOrigin(text string) bool {
	u, err := url.Parse(text)
	return text == "*" || text == "null" ||
		err == nil && u.Host != "" && !strings.HasSuffix(u.Host, ":") && sentPort(u.Scheme, u.Port()) &&
			!strings.Contains(u.Host, "*") && strings.EqualFold(text, u.Scheme+"://"+u.Host)
}

// sentPort reports whether browsers send a port in the origin of a page: not that of the scheme,
// and none that there is not.
func sentPort(scheme, port string) bool {
	number, err := strconv.ParseUint(port, 10, 16)
	if port == "" {
		return true
	}
	return err == nil && number > 0 && port[0] != '0' && defaultPorts[strings.ToLower(scheme)] != port
}

var defaultPorts = map[string]string{"https": "443", "http": "80"}

func isURL(text string, schemes ...string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && slices.Contains(schemes, u.Scheme)
}
