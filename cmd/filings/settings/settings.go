// Package settings is the environment of the program, read and checked: the variables that begin
// with FILINGS_. It refuses a variable that it does not know, so that a misspelled one is an error
// and no silent default. Of ours it imports index alone, for the distance of misspelled names: the
// program turns settings into the configuration of engine, key store and service.
//
// One struct is the table of settings. envconfig fills it, and makes from its tags, with the texts in
// meanings.txt, the table that `filings help settings` and the documents show.
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
	ElasticsearchURL      List   `split_words:"true"`
	ElasticsearchUsername string `split_words:"true"`
	ElasticsearchPassword string `split_words:"true"`
	ElasticsearchAPIKey   string `split_words:"true"`
	ElasticsearchCAFile   string `split_words:"true"`
	Index                 string `split_words:"true" default:"filings"`
	IndexShards           int    `split_words:"true" default:"1"`
	IndexReplicas         int    `split_words:"true" default:"1"`
	RedisURL              string `split_words:"true"`
	S3Endpoint            string `split_words:"true"`
	DataDir               string `split_words:"true" default:"filings-data"`

	Listen           string        `split_words:"true" default:":8443"`
	RedirectListen   string        `split_words:"true" default:":8080"`
	OperationsListen string        `split_words:"true" default:"127.0.0.1:9090"`
	OperationsToken  string        `split_words:"true"`
	TLSCertFile      string        `split_words:"true"`
	TLSKeyFile       string        `split_words:"true"`
	TrustedProxies   Networks      `split_words:"true"`
	PublicURL        string        `split_words:"true"`
	TokenSecrets     List          `split_words:"true"`
	TokenShare       float64       `split_words:"true" default:"0.8"`
	CORSOrigins      List          `split_words:"true"`
	RequestTimeout   time.Duration `split_words:"true" default:"5s"`
	Exports          int           `split_words:"true" default:"4"`
	ExportTimeout    time.Duration `split_words:"true" default:"15m"`
	CSVEscape        Switch        `split_words:"true" default:"off"`
	ServerTiming     Switch        `split_words:"true" default:"off"`
	MCP              Switch        `split_words:"true" default:"off"`
	MCPResult        int           `split_words:"true" default:"24000"`
	EngineCalls      int           `split_words:"true" default:"0"`
	StartTimeout     time.Duration `split_words:"true" default:"30s"`
	CacheSize        ByteSize      `split_words:"true" default:"256MiB"`

	FreeLifetimeQuota    int64 `split_words:"true" default:"100"`
	StarterDailyQuota    int64 `split_words:"true" default:"1000"`
	ProDailyQuota        int64 `split_words:"true" default:"10000"`
	EnterpriseDailyQuota int64 `split_words:"true" default:"100000"`
	FreeBurst            int64 `split_words:"true" default:"5"`
	StarterBurst         int64 `split_words:"true" default:"10"`
	ProBurst             int64 `split_words:"true" default:"25"`
	EnterpriseBurst      int64 `split_words:"true" default:"100"`

	FiltersByTier             bool          `split_words:"true" default:"false"`
	ActiveForeclosureStatuses List          `split_words:"true" default:"active,pre-foreclosure,lis pendens,notice of default,notice of sale,auction"`
	TilesURL                  string        `split_words:"true"`
	TilesAttribution          string        `split_words:"true"`
	LegacyHasDataName         string        `split_words:"true" default:"has_data"`
	SocrataTokens             List          `split_words:"true"`
	ArcgisTokens              List          `split_words:"true"`
	SourceTimeout             time.Duration `split_words:"true" default:"1h"`
	Temporary                 ByteSize      `split_words:"true" default:"8GiB"`
	KeepGenerations           int           `split_words:"true" default:"2"`
	KeepChanges               int           `split_words:"true" default:"30"`

	LogLevel  slog.Level `split_words:"true" default:"info"`
	LogFormat string     `split_words:"true" default:"auto"`

	AWS AWS `ignored:"true"`
}

// AWS has the values of the usual variables for requests to S3.
type AWS struct{ Region, AccessKeyID, SecretAccessKey, SessionToken string }

const prefix = "filings"

// Off is the address of a listener that is turned off.
const Off = "off"

// Read reads the settings from the environment. Its error names the variable and the right value.
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

// Decimal returns the right form of a number of a kind, if it is not written as people write it:
// the libraries behind settings and flags take 010 for 8, and 0x10, 1_000 and NaN for numbers.
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

// form names the form of a setting's type.
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
