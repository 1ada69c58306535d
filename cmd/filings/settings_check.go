package main

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"filings/service/access"
	"filings/service/accounts"
)

var indexName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,99}$`)

// check reports everything that is wrong with the settings, a line each. Values that may hold a password are not shown.
func (s *settings) check() error {
	for _, list := range []*[]string{&s.ElasticsearchURL, &s.TrustedProxies, &s.CORSOrigins, &s.ActiveForeclosureStatuses} {
		*list = trimmed(*list)
	}
	var errs []error
	must := func(ok bool, name, value, want string) {
		if !ok {
			errs = append(errs, fmt.Errorf("FILINGS_%s=%q: %s", name, value, want))
		}
	}
	for _, address := range s.ElasticsearchURL {
		must(isURL(address, "http", "https"), "ELASTICSEARCH_URL", "…", "http:// or https:// addresses are wanted, separated by commas")
	}
	must(s.RedisURL == "" || isURL(s.RedisURL, "redis", "rediss"), "REDIS_URL", "…", "a redis:// or rediss:// address is wanted")
	must(indexName.MatchString(s.Index), "INDEX", s.Index, "up to 100 lower-case letters, digits, - and _ are wanted")
	must(s.DataDir != "", "DATA_DIR", s.DataDir, "the path of a folder is wanted")
	must(s.Listen != "" && s.Listen != off, "LISTEN", s.Listen, "an address such as :8443 is wanted")
	must(s.OperationsToken == "" || accounts.ValidToken(s.OperationsToken), "OPERATIONS_TOKEN", "…", accounts.TokenForm+" are wanted")
	must(s.OperationsToken == "" || s.OperationsListen != off, "OPERATIONS_TOKEN", "…", "FILINGS_OPERATIONS_LISTEN is off: an address is wanted")
	must((s.TLSCertFile == "") == (s.TLSKeyFile == ""), "TLS_KEY_FILE", s.TLSKeyFile, "FILINGS_TLS_CERT_FILE and FILINGS_TLS_KEY_FILE go together")
	must(s.RequestTimeout > 0, "REQUEST_TIMEOUT", s.RequestTimeout.String(), "a duration above 0 is wanted")
	must(s.LegacyHasDataName != "", "LEGACY_HAS_DATA_NAME", "", "the name of a parameter is wanted")
	must(slices.Contains([]string{"auto", "text", "json"}, s.LogFormat), "LOG_FORMAT", s.LogFormat, "text, json or auto is wanted")
	for _, number := range []struct {
		name     string
		v, least int64
	}{
		{"INDEX_SHARDS", int64(s.IndexShards), 1}, {"INDEX_REPLICAS", int64(s.IndexReplicas), 0},
		{"KEEP_GENERATIONS", int64(s.KeepGenerations), 0},
		{"FREE_LIFETIME_QUOTA", s.FreeLifetimeQuota, 0}, {"STARTER_DAILY_QUOTA", s.StarterDailyQuota, 0},
		{"PRO_DAILY_QUOTA", s.ProDailyQuota, 0}, {"ENTERPRISE_DAILY_QUOTA", s.EnterpriseDailyQuota, 0},
		{"FREE_BURST", s.FreeBurst, 1}, {"STARTER_BURST", s.StarterBurst, 1},
		{"PRO_BURST", s.ProBurst, 1}, {"ENTERPRISE_BURST", s.EnterpriseBurst, 1},
	} {
		must(number.v >= number.least, number.name, strconv.FormatInt(number.v, 10), fmt.Sprintf("%d or more is wanted", number.least))
	}
	_, err := s.proxies()
	return errors.Join(append(errs, err)...)
}

func (s *settings) proxies() ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, text := range s.TrustedProxies {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("FILINGS_TRUSTED_PROXIES=%q: networks such as 10.0.0.0/8 are wanted, separated by commas", text)
		}
		all = append(all, p)
	}
	return all, nil
}

func (s *settings) limits() access.Limits {
	return access.Limits{
		access.Free:       {Quota: s.FreeLifetimeQuota, Burst: s.FreeBurst},
		access.Starter:    {Quota: s.StarterDailyQuota, Burst: s.StarterBurst},
		access.Pro:        {Quota: s.ProDailyQuota, Burst: s.ProBurst},
		access.Enterprise: {Quota: s.EnterpriseDailyQuota, Burst: s.EnterpriseBurst},
	}
}

func isURL(text string, schemes ...string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && slices.Contains(schemes, u.Scheme)
}

// trimmed drops blanks around items, and empty items.
func trimmed(list []string) []string {
	var kept []string
	for _, item := range list {
		if item = strings.TrimSpace(item); item != "" {
			kept = append(kept, item)
		}
	}
	return kept
}
