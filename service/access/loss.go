package access

import (
	"os"
	"sync/atomic"
)

// HadAccountsFile is the name of the file that says that a key store has had accounts.
const HadAccountsFile = "had-accounts"

const hadAccountsText = "The key store of this service has had accounts. While it has none, no request is admitted.\n" +
	"To begin anew with an empty key store, delete this file and restart the service.\n"

// hadAccounts knows whether a store has had accounts. Accounts are never deleted: one that had some
// and has none has lost them. The process remembers accounts, and a file tells the next one.
type hadAccounts struct {
	file string // "": there is none
	seen atomic.Bool
}

// rememberIn reads the file, if there is one. From now on accounts that are seen make it.
func (h *hadAccounts) rememberIn(file string) {
	h.file = file
	if _, err := os.Stat(file); file != "" && err == nil {
		h.seen.Store(true)
	}
}

// saw keeps that there are accounts. A folder that is not there, or cannot be written, is no error: only the next
// process then takes an emptied store for a new one.
func (h *hadAccounts) saw() {
	if h.seen.Load() {
		return
	}
	h.seen.Store(true)
	if h.file != "" {
		_ = os.WriteFile(h.file, []byte(hadAccountsText), ownerOnly)
	}
}

// look returns ErrEmptied if there are no accounts and have been some.
func (h *hadAccounts) look(hasAccounts bool) error {
	if hasAccounts {
		h.saw()
	} else if h.seen.Load() {
		return ErrEmptied
	}
	return nil
}
