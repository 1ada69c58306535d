// Package check checks everything that a service needs, as `filings check` shows it: data folder,
// certificate, engine, key store and ports. It reaches the servers as the service would and changes
// nothing on them but a counter of its own in the key store, and no finding shows a secret. How
// engine and key store are opened is the program's to say.
//
// A finding is one line. Each part adds its own, in the order in which a service needs the parts.
package check

import (
	"context"
	"time"
)

// Run checks everything. Engine, key store and ports have the time of one request each.
func Run(ctx context.Context, cfg Config) []Finding {
	c := &checkup{Config: cfg, now: time.Now}
	c.folder()
	c.certificate()
	for _, look := range []func(context.Context){c.engine, c.keyStore, c.ports} {
		timed, cancel := context.WithTimeout(ctx, cfg.Settings.RequestTimeout)
		look(timed)
		cancel()
	}
	return c.found
}
