package source

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"filings/index/sorter"
	"filings/reindexer/web"
)

// Find returns the sources that inputs mean. It fails on the first that is not there or whose
// format is not known, before anything is read.
func Find(ctx context.Context, inputs []Input, o Options) (sources []Source, err error) {
	inputs = slices.Clone(inputs)
	if err := o.check(inputs); err != nil {
		return nil, err
	}
	space := sorter.NewSpace(o.Temporary)
	for i, input := range inputs {
		var found []Source
		switch scheme := schemeOf(input.Name); {
		case input.Name == stdinName:
			found = []Source{stdinSource(o.Stdin, input.Form)}
		case scheme == "" && IsAddress(input.Name):
			err = errNoAddress
		case scheme == "":
			found, err = localSources(input.Name, input.Form, o.Log)
		case scheme == "s3":
			found, err = objectSources(ctx, input, o)
		default:
			found = make([]Source, 1)
			found[0], err = remoteSource(scheme, input, o)
		}
		if err != nil {
			return nil, err
		}
		zone, _ := input.Form.Zone() // check has seen it
		for k := range found {
			found[k].Input, found[k].space, found[k].Zone = i, space, zone
		}
		sources = append(sources, found...)
	}
	return sources, unused(inputs, sources)
}

// check refuses inputs that make no sense, and writes each of their options in one way.
func (o Options) check(inputs []Input) error {
	for i := range inputs {
		if err := inputs[i].Form.check(); err != nil {
			return err
		}
		twice := func(earlier Input) bool { return earlier.Name == stdinName }
		if inputs[i].Name == stdinName && slices.ContainsFunc(inputs[:i], twice) {
			return fmt.Errorf("%w: standard input is named twice", ErrUsage)
		}
	}
	query := slices.ContainsFunc(inputs, func(input Input) bool { return isDatabase(schemeOf(input.Name)) })
	switch {
	case len(inputs) == 0:
		return fmt.Errorf("%w: name at least one source: a file, a folder, an address, or - for standard input", ErrUsage)
	case o.Query == "" && query:
		return fmt.Errorf("%w: an address of PostgreSQL needs --query, which says what to read there", ErrUsage)
	case o.Query != "" && !query:
		return fmt.Errorf("%w: --query is for a source postgres://…, and there is none", ErrUsage)
	}
	return nil
}

// schemeOf returns the scheme of a source that is an address, in lower case, or "".
func schemeOf(name string) string {
	scheme, _, found := strings.Cut(name, "://")
	if !found || strings.ContainsAny(scheme, `/\ `) {
		return ""
	}
	return strings.ToLower(scheme)
}

// addressStart is how addresses begin, with two slashes, one or none; addressPart is a password, or
// a parameter, within a name that is no address.
var (
	addressStart = regexp.MustCompile(`^(?i)(https?|ftps?|s3|socrata|arcgis(\+https?)?|postgres(ql)?)[:/]/?`)
	addressPart  = regexp.MustCompile(`:.*@|\?.*=`)
)

// IsAddress reports whether a name that has no scheme is an address with a mistake, and no file. A
// name that exists is a file.
func IsAddress(name string) bool {
	if _, err := os.Lstat(name); err == nil {
		return false
	}
	return addressStart.MatchString(name) || addressPart.MatchString(name)
}

// errNoAddress does not repeat a name, in which a password may stand.
var errNoAddress = fmt.Errorf("%w: a source is written as an address, and is none, nor is there such a file. "+
	"Addresses are "+
	"http://…, https://…, s3://…, socrata://…, arcgis+https://… and postgres://…", ErrUsage)

func isDatabase(scheme string) bool { return scheme == "postgres" || scheme == "postgresql" }

// schemes are those of the sources of remoteSource, besides that of databases.
var schemes = []string{"http", "https", "socrata", "arcgis+https", "arcgis+http"}

// remoteSource returns the source at an address. No error repeats an address as it was written: it
// may have a password in it, or in its parameters, or, where it cannot be parsed, anywhere.
func remoteSource(scheme string, input Input, o Options) (Source, error) {
	address := input.Name
	if !slices.Contains(schemes, scheme) && !isDatabase(scheme) {
		return Source{}, fmt.Errorf("%w: sources at addresses are %s://, s3:// and postgres://, not %.200s://", ErrUsage,
			strings.Join(schemes, "://, "), scheme)
	}
	u, err := url.Parse(address)
	if err != nil || strings.Contains(u.EscapedPath()+"?"+u.RawQuery+"#"+u.EscapedFragment(), "@") {
		return Source{}, fmt.Errorf("%w: an address %s:// is not well-formed; in a user or password write the characters "+
			"/ ? # @ : %% as %%2F %%3F %%23 %%40 %%3A %%25, and any @ elsewhere as %%40", ErrUsage, scheme)
	}
	if isDatabase(scheme) {
		return postgresSource(u.Scheme+address[len(u.Scheme):], web.Public(u), o)
	}
	if u.Hostname() == "" {
		return Source{}, fmt.Errorf("%w: an address %s:// names no host", ErrUsage, scheme)
	}
	client := web.New(o.Log, web.Public(u))
	client.Timeout = o.Servers.Timeout
	switch scheme {
	case "socrata":
		return socrataSource(client, u, o.Servers.SocrataTokens[strings.ToLower(u.Hostname())])
	case "arcgis+https", "arcgis+http":
		return arcgisSource(client, u, o.Servers.ArcGISTokens[strings.ToLower(u.Hostname())])
	}
	return webSource(client, u, input.Form), nil
}
