package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"filings/cmd/filings/check"
	"filings/cmd/filings/settings"
	"filings/service/access"
)

// keysCommand has the commands on accounts below it, one row each.
func (p *program) keysCommand() *cobra.Command {
	keys := commandGroup("keys", "Manages accounts and their API keys",
		"Manages accounts and their API keys. An account has one key. A revoked key fails on the very next "+
			"request.\nA key that `rotate --overlap` replaced is good until then; `show` says when it was last used.",
		"  filings keys create --user alice@example.com --tier pro\n  filings keys list",
		"create, rotate, revoke, show, list or tier")
	keys.AddCommand(
		p.accountCommand("create --user U --tier T [--name N]",
			"Creates an account's key and prints it, the only time that it is shown",
			"  filings keys create --user alice@example.com --tier pro --name laptop",
			func(ctx context.Context, store access.Store, f keyFlags) error {
				return p.printKey(store.Create(ctx, f.user, f.tier, f.name))
			}, userFlag, tierFlag, nameFlag),
		p.accountCommand("rotate --user U [--overlap 24h]",
			"Replaces an account's key, at once or after an overlap, and prints the new one",
			"  filings keys rotate --user alice@example.com\n"+
				"  filings keys rotate --user alice@example.com --overlap 24h",
			func(ctx context.Context, store access.Store, f keyFlags) error {
				return p.printKey(store.Rotate(ctx, f.user, f.overlap))
			}, userFlag, overlapFlag),
		p.accountCommand("revoke --user U", "Ends an account's keys at once",
			"  filings keys revoke --user alice@example.com",
			func(ctx context.Context, store access.Store, f keyFlags) error {
				return store.Revoke(ctx, f.user)
			}, userFlag),
		p.accountCommand("tier --user U --tier T", "Moves an account to another tier; its usage stays",
			"  filings keys tier --user alice@example.com --tier enterprise",
			func(ctx context.Context, store access.Store, f keyFlags) error {
				return store.SetTier(ctx, f.user, f.tier)
			}, userFlag, tierFlag),
		p.accountCommand("show --user U",
			"Shows an account: tier, key prefix and state, name, creation time, used and remaining quota",
			"  filings keys show --user alice@example.com\n"+
				"  filings keys show --user alice@example.com --json | jq .remaining",
			p.showAccount, userFlag, jsonFlag("one JSON object")),
		p.accountCommand("list", "Lists all accounts",
			"  filings keys list\n  filings keys list --json | jq -r '.[] | select(.remaining == 0) | .user'",
			p.listAccounts, jsonFlag("an array of objects as `keys show --json` prints")),
	)
	return keys
}

// keyFlags are the values of the flags of a command on accounts, as far as it has them.
type keyFlags struct {
	user, name string
	tier       access.Tier
	asJSON     bool
	overlap    time.Duration
}

// accountCommand returns a command on accounts: do gets the key store, which is open meanwhile.
func (p *program) accountCommand(use, short, example string, do func(context.Context, access.Store, keyFlags) error,
	flags ...func(*cobra.Command, *keyFlags)) *cobra.Command {
	var f keyFlags
	cmd := &cobra.Command{Use: use, Short: short, Example: example, Args: noArguments}
	for _, flag := range flags {
		flag(cmd, &f)
	}
	cmd.RunE = p.withSettings(func(ctx context.Context, s settings.Settings, _ []string) (err error) {
		if cmd.Flag("tier") != nil && !slices.Contains(access.Tiers, f.tier) {
			return usageError{fmt.Errorf("--tier %q: must be one of %s", f.tier, strings.Join(tierNames(), ", "))}
		}
		store, err := openKeys(s, nil, nil)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, store.Close()) }()
		return check.Explain(s, explainAccount(ctx, store, f.user, do(ctx, store, f)))
	})
	return cmd
}

// lost returns access.ErrEmptied if the store has lost all accounts. That there is no such account
// would lead to creating it, and with the first one all other keys are unknown.
func lost(ctx context.Context, store access.Store) error {
	if err := store.Ping(ctx); errors.Is(err, access.ErrEmptied) {
		return err
	}
	return nil
}

// explainAccount names the account that err is about, and the next step.
func explainAccount(ctx context.Context, store access.Store, user string, err error) error {
	var invalid access.InvalidError
	if errors.Is(err, access.ErrNoAccount) {
		err = cmp.Or(lost(ctx, store), err)
	}
	switch word := quote(user); {
	case errors.Is(err, access.ErrHasKey):
		return fmt.Errorf("account %q has an active key: `filings keys rotate --user %s` replaces it", user, word)
	case errors.Is(err, access.ErrRevoked):
		return fmt.Errorf("account %q has no active key: `filings keys create --user %s --tier T` makes one", user,
			word)
	case errors.Is(err, access.ErrNoAccount):
		return fmt.Errorf("no such account: %q; `filings keys list` shows all, `filings keys create` makes one", user)
	case errors.As(err, &invalid):
		return usageError{fmt.Errorf("--%w", invalid)} // it begins with the name of the flag
	}
	return err
}

// The errors of these functions of cobra's are those of flags that do not exist.

func userFlag(cmd *cobra.Command, f *keyFlags) {
	cmd.Flags().StringVar(&f.user, "user", "", "the account's user id (required)")
	_ = cmd.MarkFlagRequired("user")
}

func tierFlag(cmd *cobra.Command, f *keyFlags) {
	cmd.Flags().StringVar((*string)(&f.tier), "tier", "", "free, starter, pro or enterprise (required)")
	_ = cmd.MarkFlagRequired("tier")
	_ = cmd.RegisterFlagCompletionFunc("tier",
		cobra.FixedCompletions(tierNames(), cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder))
}

func overlapFlag(cmd *cobra.Command, f *keyFlags) {
	cmd.Flags().DurationVar(&f.overlap, "overlap", 0,
		"how long the replaced key stays good, from 1m to 720h; older ones until they end (default: all end at once)")
}

func nameFlag(cmd *cobra.Command, f *keyFlags) {
	cmd.Flags().StringVar(&f.name, "name", "", "name of the key, for display")
}

func jsonFlag(help string) func(*cobra.Command, *keyFlags) {
	return func(cmd *cobra.Command, f *keyFlags) { cmd.Flags().BoolVar(&f.asJSON, "json", false, help) }
}

// printKey prints a new key alone, so that a script can keep it in a variable.
func (p *program) printKey(key string, err error) error {
	if err == nil {
		_, err = fmt.Fprintln(p.output, key)
	}
	return err
}

func (p *program) showAccount(ctx context.Context, store access.Store, f keyFlags) error {
	account, err := store.Show(ctx, f.user)
	if err == nil && f.asJSON {
		return json.NewEncoder(p.output).Encode(account)
	}
	return p.writeAccounts([]access.Account{account}, err)
}

func (p *program) listAccounts(ctx context.Context, store access.Store, f keyFlags) error {
	accounts, err := store.List(ctx)
	if err == nil && len(accounts) == 0 {
		err = lost(ctx, store)
	}
	if err == nil && f.asJSON {
		// [] where there are none, never null
		return json.NewEncoder(p.output).Encode(append([]access.Account{}, accounts...))
	}
	return p.writeAccounts(accounts, err)
}

// writeAccounts prints a table of accounts, unless err is why there are none.
func (p *program) writeAccounts(accounts []access.Account, err error) error {
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(p.output, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "USER\tTIER\tPREFIX\tSTATE\tNAME\tCREATED\tQUOTA\tUSED\tREMAINING")
	for _, a := range accounts {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\n", a.User, a.Tier, a.Prefix, a.State, a.Name,
			a.CreatedAt.UTC().Format(time.DateTime), a.Quota, a.Used, a.Remaining)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, a := range accounts {
		for _, k := range a.Older {
			used := "not used since it was replaced"
			if k.LastUsedAt != nil {
				used = "last used " + k.LastUsedAt.Format(time.DateTime)
			}
			fmt.Fprintf(p.output, "%s: an older key, created %s, is good until %s, %s\n", a.User,
				k.CreatedAt.Format(time.DateTime), k.Ends.Format(time.DateTime), used)
		}
	}
	return nil
}

// tierNames are the names of all tiers, the lowest first.
func tierNames() []string {
	names := make([]string, len(access.Tiers))
	for i, t := range access.Tiers {
		names[i] = string(t)
	}
	return names
}
