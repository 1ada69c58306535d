package reindexer

import (
	"fmt"
	"net/url"
	"strings"
)

// schemeOf returns the scheme of a source that is an address, in lower case, or "".
func schemeOf(source string) string {
	scheme, _, found := strings.Cut(source, "://")
	if !found || strings.ContainsAny(scheme, `/\ `) {
		return ""
	}
	return strings.ToLower(scheme)
}

func isDatabase(source string) bool {
	scheme := schemeOf(source)
	return scheme == "postgres" || scheme == "postgresql"
}

// remoteInputs makes the input of an address. No error repeats an address as it was given: it may have a password in
// it, or in its parameters, or, where it cannot be parsed, anywhere.
func remoteInputs(cfg Config, source string) ([]input, error) {
	scheme := schemeOf(source)
	switch scheme {
	case "http", "https", "postgres", "postgresql":
	default:
		return nil, fmt.Errorf("%w: sources at addresses are http://, https:// and postgres://, not %s://", ErrUsage,
			abbreviate(scheme))
	}
	u, err := url.Parse(source)
	if err != nil || strings.Contains(u.EscapedPath()+"?"+u.RawQuery+"#"+u.EscapedFragment(), "@") {
		return nil, fmt.Errorf("%w: an address %s:// is not well-formed; in a user or password write the characters "+
			"/ ? # @ : %% as %%2F %%3F %%23 %%40 %%3A %%25, and any @ elsewhere as %%40", ErrUsage, scheme)
	}
	if isDatabase(source) {
		in, err := databaseInput(u.Scheme+source[len(u.Scheme):], shownAddress(u), cfg.Query)
		return []input{in}, err
	}
	if u.Hostname() == "" {
		return nil, fmt.Errorf("%w: an address %s:// names no host", ErrUsage, scheme)
	}
	return []input{newWeb().input(u, cfg.Format)}, nil
}

// shownAddress returns u without its secrets: the user and password, and the parameters, which may be a signature.
func shownAddress(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}
