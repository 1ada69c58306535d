// Package settings is the environment of the program, read and checked: the variables that begin
// with FILINGS_. It refuses a variable that it does not know, so that a misspelled one is an error
// and no silent default. It imports nothing of ours: the program turns settings into the
// configuration of engine, key store and service.
//
// One struct is the table of settings. envconfig fills it, and makes from its tags the table that
// `filings help settings` and the documents show.
package settings

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/kelseyhightower/envconfig"
)

// Settings are read from environment variables: FILINGS_ and the words of the field's name. Fields
// carry no envconfig tag, since that would make an unprefixed variable count too.
type Settings struct {
	ElasticsearchURL      List   `split_words:"true" desc:"Comma-separated addresses of Elasticsearch. Leave empty for the embedded engine"`
	ElasticsearchUsername string `split_words:"true" desc:"Name to log in to Elasticsearch with"`
	ElasticsearchPassword string `split_words:"true" desc:"Password to log in to Elasticsearch with"`
	ElasticsearchAPIKey   string `split_words:"true" desc:"API key for Elasticsearch, instead of name and password"`
	ElasticsearchCAFile   string `split_words:"true" desc:"PEM file of the authority that signed Elasticsearch's certificate"`
	Index                 string `split_words:"true" default:"filings" desc:"Alias, and first part of the names of generations"`
	IndexShards           int    `split_words:"true" default:"1" desc:"Shards of a generation"`
	IndexReplicas         int    `split_words:"true" default:"1" desc:"Replicas of a promoted generation"`
	RedisURL              string `split_words:"true" desc:"redis:// or rediss:// address of the key store. Leave empty for the embedded store"`
	S3Endpoint            string `split_words:"true" desc:"http:// or https:// address of a server that speaks S3, for s3://. Leave empty for Amazon's. Loads also read AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN"`
	DataDir               string `split_words:"true" default:"filings-data" desc:"Folder of the embedded engine and store and of the self-signed certificate"`

	Listen           string        `split_words:"true" default:":8443" desc:"Address of the API, TLS"`
	RedirectListen   string        `split_words:"true" default:":8080" desc:"Address of the plain listener that redirects to HTTPS, or off"`
	OperationsListen string        `split_words:"true" default:"127.0.0.1:9090" desc:"Address of /livez, /readyz and /metrics, or off"`
	OperationsToken  string        `split_words:"true" desc:"Token that /accounts on that listener requires, 32 characters or more. Leave empty to turn /accounts off"`
	TLSCertFile      string        `split_words:"true" desc:"PEM file of the certificate. Leave empty for a self-signed one in the data folder"`
	TLSKeyFile       string        `split_words:"true" desc:"PEM file of the certificate's key"`
	TrustedProxies   Networks      `split_words:"true" desc:"CIDRs of trusted proxies. The plain listener serves their requests that came by HTTPS (X-Forwarded-Proto), and the access log has the clients that they name (X-Forwarded-For)"`
	TokenSecrets     List          `split_words:"true" desc:"One or two comma-separated secrets that sign tokens, each 32 bytes or more. The first signs, and both verify. Leave empty to turn tokens off"`
	TokenShare       float64       `split_words:"true" default:"0.8" desc:"Largest share of an account's day, and of its burst, that tokens may use, from 0 to 1"`
	CORSOrigins      List          `split_words:"true" desc:"Comma-separated origins that browsers may call from, or *"`
	RequestTimeout   time.Duration `split_words:"true" default:"5s" desc:"Time limit of one API request, all of it"`
	Exports          int           `split_words:"true" default:"4" desc:"Exports that one process sends at a time"`
	ExportTimeout    time.Duration `split_words:"true" default:"15m" desc:"Time limit of one export, all of it"`
	CSVEscape        Switch        `split_words:"true" default:"off" desc:"on: every CSV export has a ' before each text that a spreadsheet would read as a formula. off: only if the client sends Prefer: escape-formulas"`
	ServerTiming     Switch        `split_words:"true" default:"off" desc:"on: responses to known callers have Server-Timing: the time of key store and engine, and whether the cache had the response"`
	MCP              Switch        `split_words:"true" default:"off" desc:"on: assistants call the API as tools at /mcp (Model Context Protocol)"`
	MCPResult        int           `split_words:"true" default:"24000" desc:"Most bytes in a result of such a tool"`
	StartTimeout     time.Duration `split_words:"true" default:"30s" desc:"How long serve tries to reach Elasticsearch and Redis at its start; 0s tries once"`
	CacheSize        ByteSize      `split_words:"true" default:"256MiB" desc:"Memory for all caches together: totals, aggregations and pages, and the engine's caches of its generations. 0 turns the caches of totals, aggregations and pages off"`

	FreeLifetimeQuota    int64 `split_words:"true" default:"100" desc:"Requests of a free account, for life"`
	StarterDailyQuota    int64 `split_words:"true" default:"1000" desc:"Requests of a starter account a UTC day"`
	ProDailyQuota        int64 `split_words:"true" default:"10000" desc:"Requests of a pro account a UTC day"`
	EnterpriseDailyQuota int64 `split_words:"true" default:"100000" desc:"Requests of an enterprise account a UTC day"`
	FreeBurst            int64 `split_words:"true" default:"5" desc:"Requests of a free account a second"`
	StarterBurst         int64 `split_words:"true" default:"10" desc:"Requests of a starter account a second"`
	ProBurst             int64 `split_words:"true" default:"25" desc:"Requests of a pro account a second"`
	EnterpriseBurst      int64 `split_words:"true" default:"100" desc:"Requests of an enterprise account a second"`

	FiltersByTier             bool          `split_words:"true" default:"false" desc:"true: filters by fields above the tier of the account return 400"`
	ActiveForeclosureStatuses List          `split_words:"true" default:"active,pre-foreclosure,lis pendens,notice of default,notice of sale,auction" desc:"Statuses that foreclosure_filter=active selects"`
	TilesURL                  string        `split_words:"true" desc:"Base map of /explore: https:// address of its tiles, with {z}, {x} and {y}. Leave empty for a map that loads nothing from other hosts"`
	TilesAttribution          string        `split_words:"true" desc:"Credit of the base map, shown on it; addresses in it become links"`
	LegacyHasDataName         string        `split_words:"true" default:"has_data" desc:"Legacy name of the parameter has_property_data"`
	SocrataTokens             List          `split_words:"true" desc:"Application tokens that loads send to socrata:// as X-App-Token, by host: HOST=TOKEN, separated by commas"`
	ArcgisTokens              List          `split_words:"true" desc:"Tokens that loads send to arcgis+https://, by host: HOST=TOKEN, separated by commas"`
	SourceTimeout             time.Duration `split_words:"true" default:"1h" desc:"How long a source of a load waits for its server in all, including the pauses that the server demands"`
	Temporary                 ByteSize      `split_words:"true" default:"8GiB" desc:"Most bytes that the sources of a load have at once in the folder for temporary files (TMPDIR)"`
	KeepGenerations           int           `split_words:"true" default:"2" desc:"Generations kept in addition to the live one"`
	KeepChanges               int           `split_words:"true" default:"30" desc:"Generations whose changes are kept, including deleted ones; 0 keeps none"`

	LogLevel  slog.Level `split_words:"true" default:"info" desc:"debug, info, warn or error"`
	LogFormat string     `split_words:"true" default:"auto" desc:"text, json, or auto: text on a terminal, json otherwise"`

	AWS AWS `ignored:"true"`
}

// AWS has what the usual variables say who reads and writes objects of S3.
type AWS struct{ Region, AccessKeyID, SecretAccessKey, SessionToken string }

const prefix = "filings"

// Off is the address of a listener that is turned off.
const Off = "off"

// Read reads the settings from the environment. Its error names the variable and what it must be.
// It leaves it to Check whether the values make sense.
func Read() (Settings, error) {
	var s Settings
	if err := envconfig.CheckDisallowed(prefix, &s); err != nil {
		name := strings.TrimPrefix(err.Error(), "unknown environment variable ")
		return s, fmt.Errorf("there is no setting %s%s: see `filings help settings`", name, suggestion(name))
	}
	if err := decimals(); err != nil {
		return s, err
	}
	err := envconfig.Process(prefix, &s)
	s.AWS = AWS{os.Getenv("AWS_REGION"), os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"),
		os.Getenv("AWS_SESSION_TOKEN")}
	var parse *envconfig.ParseError
	if errors.As(err, &parse) {
		return s, fmt.Errorf("%s=%q: must be %s", parse.KeyName, parse.Value, form(parse.TypeName))
	}
	return s, err
}

var (
	integer = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	float   = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)
)

// decimals fails on a number that is not written as people write it.
func decimals() error {
	for _, row := range Rows() {
		if text, set := os.LookupEnv(row.Variable); set {
			if must := Decimal(row.kind, text); must != "" {
				return fmt.Errorf("%s=%q: must be %s", row.Variable, text, must)
			}
		}
	}
	return nil
}

// Decimal returns what a number of a kind must be, if it is not written as people write it: the
// libraries behind settings and flags take 010 for 8, and 0x10, 1_000 and NaN for numbers.
func Decimal(kind, text string) (must string) {
	switch kind {
	case "Integer", "int":
		if !integer.MatchString(text) {
			return "an integer, in decimal digits without a 0 before them"
		}
	case "uint64":
		if strings.HasPrefix(text, "-") || !integer.MatchString(text) {
			return "an integer, 0 or more, in decimal digits without a 0 before them"
		}
	case "Float", "float64":
		if !float.MatchString(text) {
			return "a number such as 0.8"
		}
	}
	return ""
}

// form says what a value of a setting's type looks like.
func form(typeName string) string {
	switch typeName {
	case "time.Duration":
		return "a duration such as 5s or 1m30s"
	case "float64":
		return "a number such as 0.8"
	case "bool":
		return "true or false"
	case "slog.Level":
		return "debug, info, warn or error"
	case "settings.Switch":
		return "on or off"
	case "settings.List":
		return "a list separated by commas, or empty"
	case "settings.Networks":
		return "networks such as 10.0.0.0/8, separated by commas"
	case "settings.ByteSize":
		return "a size such as 256MiB or 1GiB"
	}
	return "an integer" // the other types take any text
}
