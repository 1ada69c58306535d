// Command filings loads public county filing records into a search index and serves them as a JSON API.
//
// This package owns what a process is: commands, settings from the environment, listeners and certificates, logging and
// exit codes. It wires engine, key store, loader and service together, and holds no rule of theirs.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the first signal asks to finish; a second one ends the program at once, as it would any other
	code := run(ctx, os.Args[1:], environment, streams{os.Stdin, os.Stdout, os.Stderr})
	os.Exit(code)
}
