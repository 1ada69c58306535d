package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"filings/cmd/filings/check"
	"filings/cmd/filings/settings"
	"filings/index"
	"filings/index/generation"
	"filings/index/serving"
	"filings/service/access"
	"filings/service/handlers"
	"filings/service/params"
	"filings/service/tokens"
)

const (
	defaultLife = time.Hour
	maxLife     = 366 * 24 * time.Hour
	maxLinkLife = 400 * 24 * time.Hour
)

func (p *program) tokensCommand() *cobra.Command {
	group := commandGroup("tokens", "Makes tokens that web pages and links use instead of a key", help("tokens"),
		"  filings tokens create --user alice@example.com --expires-in 720h origin=https://maps.example.com "+
			"county='Orange, FL' endpoints=tiles,one", "create")
	var f keyFlags
	var life time.Duration
	create := &cobra.Command{
		Use:     "create --user U [--expires-in 1h] [origin=ORIGIN] [NAME=VALUE ...]",
		Short:   "Makes a token with an account's key and prints it, the only time that it is shown",
		Long:    help("tokens"),
		Example: group.Example,
		Args:    cobra.ArbitraryArgs,
	}
	userFlag(create, &f)
	create.Flags().DurationVar(&life, "expires-in", defaultLife,
		"how long the token is valid, up to 8784h, which is 366 days, and without origin 9600h, which is 400")
	create.RunE = p.withSettings(func(ctx context.Context, s settings.Settings, args []string) (err error) {
		if len(s.TokenSecrets) == 0 {
			return usageError{errors.New("FILINGS_TOKEN_SECRETS is not set: it must be what `filings serve` has")}
		}
		store, err := openKeys(s, nil, nil)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, store.Close()) }()
		account, err := store.Show(ctx, f.user)
		if err == nil && account.Hash == "" {
			err = access.ErrRevoked
		}
		if err != nil {
			return check.Explain(s, explainAccount(ctx, store, f.user, err))
		}
		q, err := readToken(s, args, account.Tier)
		if err != nil {
			return usageError{err}
		}
		longest := maxLife
		if q.Token.Origins == nil {
			longest = maxLinkLife
		}
		if life < time.Minute || life > longest {
			return usageError{fmt.Errorf("--expires-in %s: must be from 1m to %gh, which is %g days",
				life, longest.Hours(), longest.Hours()/24)}
		}
		if err := matched(ctx, s, q); err != nil {
			return err
		}
		q.Caller = params.Caller{User: account.User, Tier: string(account.Tier), KeyHash: account.Hash}
		q.Token.Seconds = int64(life / time.Second)
		token, err := handlers.MakeToken(tokens.Secrets(s.TokenSecrets), q)
		return p.printKey(token.Token, err)
	})
	group.AddCommand(create)
	return group
}

// matched fails unless filings of the live generation have the values that a token's filter names (rule X63).
func matched(ctx context.Context, s settings.Settings, q params.Request) error {
	if len(q.Required) == 0 {
		return nil
	}
	return onEngine(s, slog.New(slog.DiscardHandler), func(store generation.Store) error {
		engine, err := serving.New(store, serving.Config{})
		if err != nil {
			return err
		}
		r, err := engine.Live(ctx)
		if err != nil {
			return err
		}
		unmatched, err := handlers.Match(ctx, r, q.Required)
		if len(unmatched) > 0 {
			return usageError{errors.New(unmatched[0].String())}
		}
		return err
	})
}

// readToken reads arguments as GET /v1/tokens does its parameters, for an account of a tier.
func readToken(s settings.Settings, args []string, tier access.Tier) (q params.Request, err error) {
	pairs := make([]string, len(args))
	for i, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok || name == "expires_in" {
			return q, fmt.Errorf(
				"%q: must be NAME=VALUE, a parameter of GET /v1/tokens, but --expires-in for expires_in", arg)
		}
		pairs[i] = url.QueryEscape(name) + "=" + url.QueryEscape(value)
	}
	table := params.New(s.LegacyHasDataName, s.ActiveForeclosureStatuses)
	raw, err := table.Split(&params.Endpoint{Takes: params.Tokens}, strings.Join(pairs, "&"))
	if err != nil {
		return q, err
	}
	tiers := params.Tiers{Fields: index.Free, Filters: index.Enterprise, Scope: &params.Scope{}}
	if tier == access.Pro || tier == access.Enterprise {
		tiers.Fields = index.Pro
	}
	if s.FiltersByTier {
		tiers.Filters = tiers.Fields
	}
	return table.Read(raw, nil, tiers, time.Now())
}
