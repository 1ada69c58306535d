package settings

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// contract is the table of settings of the program's contract: other people's scripts rely on it.
var contract = map[string]string{
	"FILINGS_ELASTICSEARCH_URL": "", "FILINGS_ELASTICSEARCH_USERNAME": "", "FILINGS_ELASTICSEARCH_PASSWORD": "",
	"FILINGS_ELASTICSEARCH_API_KEY": "", "FILINGS_ELASTICSEARCH_CA_FILE": "",
	"FILINGS_INDEX": "filings", "FILINGS_INDEX_SHARDS": "1", "FILINGS_INDEX_REPLICAS": "1",
	"FILINGS_REDIS_URL": "", "FILINGS_S3_ENDPOINT": "", "FILINGS_SOCRATA_TOKENS": "", "FILINGS_SOURCE_TIMEOUT": "1h", "FILINGS_TEMPORARY": "8GiB", "FILINGS_ARCGIS_TOKENS": "", "FILINGS_DATA_DIR": "filings-data",
	"FILINGS_LISTEN": ":8443", "FILINGS_REDIRECT_LISTEN": ":8080", "FILINGS_OPERATIONS_LISTEN": "127.0.0.1:9090", "FILINGS_OPERATIONS_TOKEN": "",
	"FILINGS_TLS_CERT_FILE": "", "FILINGS_TLS_KEY_FILE": "", "FILINGS_TRUSTED_PROXIES": "", "FILINGS_CORS_ORIGINS": "", "FILINGS_PUBLIC_URL": "", "FILINGS_TOKEN_SECRETS": "", "FILINGS_TOKEN_SHARE": "0.8",
	"FILINGS_FREE_LIFETIME_QUOTA": "100", "FILINGS_STARTER_DAILY_QUOTA": "1000", "FILINGS_PRO_DAILY_QUOTA": "10000",
	"FILINGS_ENTERPRISE_DAILY_QUOTA": "100000", "FILINGS_FREE_BURST": "5", "FILINGS_STARTER_BURST": "10",
	"FILINGS_PRO_BURST": "25", "FILINGS_ENTERPRISE_BURST": "100",
	"FILINGS_ACTIVE_FORECLOSURE_STATUSES": "active,pre-foreclosure,lis pendens,notice of default,notice of sale,auction",
	"FILINGS_TILES_URL":                   "", "FILINGS_TILES_ATTRIBUTION": "", "FILINGS_FILTERS_BY_TIER": "false", "FILINGS_START_TIMEOUT": "30s",
	"FILINGS_LEGACY_HAS_DATA_NAME": "has_data", "FILINGS_REQUEST_TIMEOUT": "5s", "FILINGS_EXPORTS": "4", "FILINGS_ENGINE_CALLS": "0", "FILINGS_EXPORT_TIMEOUT": "15m", "FILINGS_CSV_ESCAPE": "off", "FILINGS_SERVER_TIMING": "off", "FILINGS_MCP": "off", "FILINGS_MCP_RESULT": "24000", "FILINGS_KEEP_GENERATIONS": "2", "FILINGS_KEEP_CHANGES": "30",
	"FILINGS_CACHE_SIZE": "256MiB", "FILINGS_LOG_LEVEL": "info", "FILINGS_LOG_FORMAT": "auto",
}

func TestSettingsContract(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, row := range Rows() {
		got[row.Variable] = row.Default
		if row.Meaning == "" {
			t.Errorf("%s has no meaning", row.Variable)
		}
	}
	if n := strings.Count(meanings, "\n"); n != len(got) {
		t.Errorf("meanings.txt has %d lines, for %d settings", n, len(got))
	}
	if diff := cmp.Diff(contract, got); diff != "" {
		t.Errorf("settings (-want +got)\n%s", diff)
	}
}

// Every variable of the table is the one that envconfig reads.
func TestSettingsAreRead(t *testing.T) {
	for variable, value := range map[string]string{
		"FILINGS_ELASTICSEARCH_URL": "http://a:9200, https://b:9200", "FILINGS_ELASTICSEARCH_USERNAME": "u",
		"FILINGS_ELASTICSEARCH_PASSWORD": "p", "FILINGS_ELASTICSEARCH_API_KEY": "k", "FILINGS_ELASTICSEARCH_CA_FILE": "ca",
		"FILINGS_INDEX": "other", "FILINGS_INDEX_SHARDS": "3", "FILINGS_INDEX_REPLICAS": "0",
		"FILINGS_REDIS_URL": "rediss://r:6379/1", "FILINGS_S3_ENDPOINT": "http://s3:9000", "AWS_REGION": "eu-west-1", "AWS_ACCESS_KEY_ID": "id",
		"AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "session", "FILINGS_SOCRATA_TOKENS": "data.example.gov=t", "FILINGS_SOURCE_TIMEOUT": "2h", "FILINGS_TEMPORARY": "1GiB", "FILINGS_ARCGIS_TOKENS": "gis.example.gov=t", "FILINGS_DATA_DIR": "d", "FILINGS_LISTEN": ":1", "FILINGS_REDIRECT_LISTEN": "off",
		"FILINGS_OPERATIONS_LISTEN": "127.0.0.2:9090", "FILINGS_OPERATIONS_TOKEN": strings.Repeat("t", 32), "FILINGS_TLS_CERT_FILE": "c", "FILINGS_TLS_KEY_FILE": "k",
		"FILINGS_TRUSTED_PROXIES": "10.0.0.0/8", "FILINGS_CORS_ORIGINS": "*", "FILINGS_PUBLIC_URL": "https://p/f", "FILINGS_TOKEN_SECRETS": "s,t", "FILINGS_TOKEN_SHARE": "0.25", "FILINGS_FREE_LIFETIME_QUOTA": "11",
		"FILINGS_STARTER_DAILY_QUOTA": "12", "FILINGS_PRO_DAILY_QUOTA": "13", "FILINGS_ENTERPRISE_DAILY_QUOTA": "14",
		"FILINGS_FREE_BURST": "15", "FILINGS_STARTER_BURST": "16", "FILINGS_PRO_BURST": "17", "FILINGS_ENTERPRISE_BURST": "18",
		"FILINGS_ACTIVE_FORECLOSURE_STATUSES": "one, ,two", "FILINGS_LEGACY_HAS_DATA_NAME": "has", "FILINGS_REQUEST_TIMEOUT": "1s",
		"FILINGS_EXPORTS": "5", "FILINGS_ENGINE_CALLS": "26", "FILINGS_EXPORT_TIMEOUT": "1m", "FILINGS_CSV_ESCAPE": "on", "FILINGS_SERVER_TIMING": "on", "FILINGS_MCP": "on", "FILINGS_MCP_RESULT": "10000",
		"FILINGS_START_TIMEOUT": "2s", "FILINGS_FILTERS_BY_TIER": "true", "FILINGS_TILES_URL": "https://t", "FILINGS_TILES_ATTRIBUTION": "© T",
		"FILINGS_KEEP_GENERATIONS": "0", "FILINGS_KEEP_CHANGES": "0", "FILINGS_CACHE_SIZE": "1GiB", "FILINGS_LOG_LEVEL": "warn", "FILINGS_LOG_FORMAT": "json",
	} {
		t.Setenv(variable, value)
	}
	got, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	want := Settings{
		ElasticsearchURL: []string{"http://a:9200", "https://b:9200"}, ElasticsearchUsername: "u", ElasticsearchPassword: "p",
		ElasticsearchAPIKey: "k", ElasticsearchCAFile: "ca", Index: "other", IndexShards: 3, IndexReplicas: 0,
		RedisURL: "rediss://r:6379/1", S3Endpoint: "http://s3:9000", AWS: AWS{"eu-west-1", "id", "secret", "session"},
		SocrataTokens: List{"data.example.gov=t"}, SourceTimeout: 2 * time.Hour, Temporary: 1 << 30, ArcgisTokens: List{"gis.example.gov=t"}, DataDir: "d", Listen: ":1", RedirectListen: "off", OperationsListen: "127.0.0.2:9090",
		OperationsToken: strings.Repeat("t", 32),
		TLSCertFile:     "c", TLSKeyFile: "k", TrustedProxies: Networks{netip.MustParsePrefix("10.0.0.0/8")}, CORSOrigins: []string{"*"}, PublicURL: "https://p/f", TokenSecrets: []string{"s", "t"}, TokenShare: 0.25,
		FreeLifetimeQuota: 11, StarterDailyQuota: 12, ProDailyQuota: 13, EnterpriseDailyQuota: 14,
		FreeBurst: 15, StarterBurst: 16, ProBurst: 17, EnterpriseBurst: 18, ActiveForeclosureStatuses: []string{"one", "two"},
		TilesURL: "https://t", TilesAttribution: "© T", FiltersByTier: true, LegacyHasDataName: "has",
		RequestTimeout: time.Second, Exports: 5, EngineCalls: 26, ExportTimeout: time.Minute, CSVEscape: true, ServerTiming: true, MCP: true, MCPResult: 10_000, StartTimeout: 2 * time.Second, KeepGenerations: 0, CacheSize: 1 << 30, LogLevel: 4, LogFormat: "json",
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })); diff != "" {
		t.Errorf("settings (-want +got)\n%s", diff)
	}
}

func TestByteSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]ByteSize{"0": 0, "17": 17, "1KiB": 1 << 10, "256MiB": 256 << 20, "2 GiB": 2 << 30} {
		var got ByteSize
		if err := got.Decode(text); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "MiB", "1MB", "-1", "+1", "1.5GiB", "99999999999GiB"} {
		if err := new(ByteSize).Decode(text); err == nil {
			t.Errorf("%q is accepted as a size", text)
		}
	}
}

// TestDecimals: a number is what it says in decimal digits, or refused.
func TestDecimals(t *testing.T) {
	for name, texts := range map[string][]string{
		"FILINGS_PRO_DAILY_QUOTA": {"01000", "0x3e8", "0b1", "0o17", "1_000", "+5", "1e3", "1000.0", " 5", "", "-"},
		"FILINGS_PRO_BURST":       {"010", "00"}, "FILINGS_INDEX_SHARDS": {"0x1"}, "FILINGS_EXPORTS": {"1_0"}, "FILINGS_MCP_RESULT": {"024000"},
		"FILINGS_KEEP_CHANGES": {"-01"}, "FILINGS_TOKEN_SHARE": {"0x1p-2", "NaN", "Inf", "1e-1", "00.5", ".5", "0_0.5"},
	} {
		for _, text := range texts {
			t.Run(name+"="+text, func(t *testing.T) {
				t.Setenv(name, text)
				if _, err := Read(); err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("%s=%q: must be a", name, text)) {
					t.Error(err)
				}
			})
		}
	}
	t.Setenv("FILINGS_TOKEN_SHARE", "0")
	t.Setenv("FILINGS_KEEP_CHANGES", "-1") // which Check refuses
	t.Setenv("FILINGS_REQUEST_TIMEOUT", "010s")
	t.Setenv("FILINGS_CACHE_SIZE", "010MiB")
	if s, err := Read(); err != nil || s.KeepChanges != -1 || s.RequestTimeout != 10*time.Second || s.CacheSize != 10<<20 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestSwitches(t *testing.T) {
	t.Setenv("FILINGS_MCP", "yes")
	if _, err := Read(); err == nil || err.Error() != `FILINGS_MCP="yes": must be on or off` {
		t.Error(err)
	}
}

// A list of separators alone is refused: FILINGS_ELASTICSEARCH_URL would mean the embedded engine, and FILINGS_ACTIVE_FORECLOSURE_STATUSES its default.
func TestListsWithoutItems(t *testing.T) {
	for name, form := range map[string]string{
		"FILINGS_ELASTICSEARCH_URL": "a list separated by commas, or empty", "FILINGS_ACTIVE_FORECLOSURE_STATUSES": "a list separated by commas, or empty",
		"FILINGS_TRUSTED_PROXIES": "networks such as 10.0.0.0/8, separated by commas",
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, " , ")
			if _, err := Read(); err == nil || err.Error() != name+`=" , ": must be `+form {
				t.Error(err)
			}
			t.Setenv(name, "")
			if _, err := Read(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCheckOrigins(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"*": true, "null": true, "https://a.example.com": true, "HTTPS://A.example.com:8443": true, "http://[::1]:3000": true, "app://localhost": true,
		"a.example.com": false, "https://a.example.com/": false, "https://a.example.com/map": false, "https://*.example.com": false,
		"https://a.example.com:443": false, "http://a.example.com:80": false, "HTTPS://a.example.com:443": false, "https://a.example.com:80": true,
		"http://a.example.com:443": true, "https://a.example.com:99999": false, "https://a.example.com:0": false, "https://a.example.com:08443": false,
		"https://a.example.com:": false, "https://[::1]:443": false, "https://a.example.com:65535": true,
		"https://u@a.example.com": false, "https://": false, "https://a.example.com?": false, "https://a.example.com#": false,
	} {
		err := Settings{CORSOrigins: List{text}}.Check()
		if got := !strings.Contains(err.Error(), "FILINGS_CORS_ORIGINS"); got != want { // the other settings are wrong, too
			t.Errorf("%s: %v", text, err)
		}
	}
}

// An address without a port is any free port, and without a host as well the operations of the service for the whole network.
func TestCheckListeners(t *testing.T) {
	t.Parallel()
	for text, wrong := range map[string]bool{"": true, ":": true, "127.0.0.1:": true, "127.0.0.1:0": false, ":9090": false, ":http": false, Off: false} {
		err := Settings{RedirectListen: text, OperationsListen: text}.Check()
		for _, line := range []string{
			fmt.Sprintf("FILINGS_REDIRECT_LISTEN=%q: must be an address such as :8080, or off", text),
			fmt.Sprintf("FILINGS_OPERATIONS_LISTEN=%q: must be an address such as 127.0.0.1:9090, or off", text),
		} {
			if strings.Contains(err.Error(), line) != wrong { // the other settings are wrong, too
				t.Errorf("%q: %v", text, err)
			}
		}
	}
}

// TestCheckPublicURL: the public address is one that paths can be appended to.
func TestCheckPublicURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"https://example.com": true, "https://example.com/filings": true, "https://example.com:8443/a/b": true, "https://[::1]:1/f": true,
		"https://example.com/a%20b": true, "https://example.com/": false, "https://example.com/filings/": false, "http://example.com": false,
		"https://example.com?a=b": false, "https://example.com/f?": false, "https://example.com/f#": false, "https://u:p@example.com": false,
		"https://": false, "https://:8443": false, "https://example.com:": false, "https://example.com:port": false, "example.com/filings": false, "/filings": false,
		"https://example.com/{z}": false, "https://example.com/a b": false, " https://example.com": false, "https://example.com/\"": false,
	} {
		err := Settings{PublicURL: text}.Check()
		if got := !strings.Contains(err.Error(), `FILINGS_PUBLIC_URL="…": must be an https:// address`); got != want { // the other settings are wrong, too
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestCheckTiles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"https://tiles.example.com/{z}/{x}/{y}.png": true, "https://t:8443/{z}/{y}/{x}?key=k": true, "https://127.0.0.1:1/a?z={z}&x={x}&y={y}": true,
		"http://t/{z}/{x}/{y}": false, "https://t/{z}/{x}": false, "https://t/{z}/{x}/{y}/{y}": false, "https://{s}.t/{z}/{x}/{y}": false,
		"https://t/{z}/{x}/{y}{r}.png": false, "https://u:p@t/{z}/{x}/{y}": false, "https:///{z}/{x}/{y}": false, "https://{z}/{x}/{y}": false,
		"https://t;script-src/{z}/{x}/{y}": false, "https://t *.u/{z}/{x}/{y}": false, "//t/{z}/{x}/{y}": false, "t": false,
	} {
		if got := isTiles(text); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
	for _, s := range []Settings{{TilesURL: "https://t/{z}/{x}/{y}"}, {TilesAttribution: "© T"}} {
		if err := s.Check(); !strings.Contains(err.Error(), "FILINGS_TILES_URL and FILINGS_TILES_ATTRIBUTION go together") {
			t.Error(err)
		}
	}
}
