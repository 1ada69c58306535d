package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"filings/service/access"
)

func (p *program) keysCommand() *cobra.Command {
	keys := &cobra.Command{
		Use:     "keys",
		Short:   "Manages accounts and their API keys",
		Long:    "Manages accounts and their API keys. An account has one key. A revoked key fails on the very next request.",
		Example: "  filings keys create --user alice@example.com --tier pro\n  filings keys list",
		Args:    noSuchCommand,
		RunE: func(*cobra.Command, []string) error {
			return usageError{errors.New("create, rotate, revoke, show, list or tier is wanted: see `filings help keys`")}
		},
	}
	keys.AddCommand(p.keysCreate(), p.keysRotate(), p.keysRevoke(), p.keysTier(), p.keysShow(), p.keysList())
	return keys
}

func (p *program) keysCreate() *cobra.Command {
	var user, tier, name string
	cmd := &cobra.Command{
		Use:     "create --user U --tier T [--name N]",
		Short:   "Creates an account's key and prints it, the only time that it is shown",
		Example: "  filings keys create --user alice@example.com --tier pro --name laptop",
		Args:    cobra.NoArgs,
	}
	userFlag(cmd, &user)
	tierFlag(cmd, &tier)
	cmd.Flags().StringVar(&name, "name", "", "name of the key, for display")
	cmd.RunE = p.withAccess(func(ctx context.Context, store access.Store) error {
		t, err := parseTier(tier)
		if err != nil {
			return err
		}
		key, err := store.Create(ctx, user, t, name)
		return p.printKey(key, err)
	})
	return cmd
}

func (p *program) keysRotate() *cobra.Command {
	var user string
	cmd := &cobra.Command{
		Use:     "rotate --user U",
		Short:   "Replaces an account's key in one step and prints the new one",
		Example: "  filings keys rotate --user alice@example.com",
		Args:    cobra.NoArgs,
	}
	userFlag(cmd, &user)
	cmd.RunE = p.withAccess(func(ctx context.Context, store access.Store) error {
		key, err := store.Rotate(ctx, user)
		return p.printKey(key, err)
	})
	return cmd
}

// printKey prints a new key alone, so that a script can keep it in a variable.
func (p *program) printKey(key string, err error) error {
	if err == nil {
		_, err = fmt.Fprintln(p.out, key)
	}
	return err
}

func (p *program) keysRevoke() *cobra.Command {
	var user string
	cmd := &cobra.Command{
		Use:     "revoke --user U",
		Short:   "Ends an account's key at once",
		Example: "  filings keys revoke --user alice@example.com",
		Args:    cobra.NoArgs,
	}
	userFlag(cmd, &user)
	cmd.RunE = p.withAccess(func(ctx context.Context, store access.Store) error {
		return store.Revoke(ctx, user)
	})
	return cmd
}

func (p *program) keysTier() *cobra.Command {
	var user, tier string
	cmd := &cobra.Command{
		Use:     "tier --user U --tier T",
		Short:   "Moves an account to another tier; its usage stays",
		Example: "  filings keys tier --user alice@example.com --tier enterprise",
		Args:    cobra.NoArgs,
	}
	userFlag(cmd, &user)
	tierFlag(cmd, &tier)
	cmd.RunE = p.withAccess(func(ctx context.Context, store access.Store) error {
		t, err := parseTier(tier)
		if err != nil {
			return err
		}
		return store.SetTier(ctx, user, t)
	})
	return cmd
}

func (p *program) keysShow() *cobra.Command {
	var user string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show --user U",
		Short:   "Shows an account: tier, key prefix and state, name, creation time, used and remaining quota",
		Example: "  filings keys show --user alice@example.com\n  filings keys show --user alice@example.com --json | jq .remaining",
		Args:    cobra.NoArgs,
	}
	userFlag(cmd, &user)
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	cmd.RunE = p.withAccess(func(ctx context.Context, store access.Store) error {
		account, err := store.Show(ctx, user)
		switch {
		case err != nil:
			return err
		case asJSON:
			return json.NewEncoder(p.out).Encode(account)
		}
		return p.writeAccounts([]access.Account{account})
	})
	return cmd
}

func (p *program) keysList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "Lists all accounts",
		Example: "  filings keys list\n  filings keys list --json | jq -r '.[] | select(.remaining == 0) | .user'",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "an array of objects as `keys show --json` prints")
	cmd.RunE = p.withAccess(func(ctx context.Context, store access.Store) error {
		accounts, err := store.List(ctx)
		switch {
		case err != nil:
			return err
		case asJSON && accounts == nil:
			accounts = []access.Account{}
			fallthrough
		case asJSON:
			return json.NewEncoder(p.out).Encode(accounts)
		}
		return p.writeAccounts(accounts)
	})
	return cmd
}

func (p *program) writeAccounts(accounts []access.Account) error {
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "USER\tTIER\tPREFIX\tSTATE\tNAME\tCREATED\tQUOTA\tUSED\tREMAINING")
	for _, a := range accounts {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\n", a.User, a.Tier, a.Prefix, a.State, a.Name,
			a.CreatedAt.UTC().Format(time.DateTime), a.Quota, a.Used, a.Remaining)
	}
	return w.Flush()
}

func userFlag(cmd *cobra.Command, user *string) {
	cmd.Flags().StringVar(user, "user", "", "the account's user id (required)")
	_ = cmd.MarkFlagRequired("user") // fails only for a flag that does not exist
}

func tierFlag(cmd *cobra.Command, tier *string) {
	cmd.Flags().StringVar(tier, "tier", "", "free, starter, pro or enterprise (required)")
	_ = cmd.MarkFlagRequired("tier")
	_ = cmd.RegisterFlagCompletionFunc("tier", completeTier) // fails only for a flag that does not exist, or has one
}

func parseTier(text string) (access.Tier, error) {
	names := make([]string, len(access.Tiers))
	for i, t := range access.Tiers {
		if string(t) == text {
			return t, nil
		}
		names[i] = string(t)
	}
	return "", usageError{fmt.Errorf("--tier %q: one of %s is wanted", text, strings.Join(names, ", "))}
}
