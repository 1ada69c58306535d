package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
)

// action is one action of an `_aliases` request.
type action map[string]target

// target is what an action is about.
type target struct {
	Index     string `json:"index"`
	Alias     string `json:"alias,omitempty"`
	MustExist bool   `json:"must_exist,omitempty"`
	Write     bool   `json:"is_write_index,omitempty"`
	Hidden    bool   `json:"is_hidden,omitempty"`
}

// removeAlias removes an alias from an index, and is a condition: without the alias the whole request fails.
func removeAlias(from, alias string) action {
	return action{"remove": target{Index: from, Alias: alias, MustExist: true}}
}

// addAlias adds an alias that patterns do not find.
func addAlias(to, alias string) action {
	return action{"add": target{Index: to, Alias: alias, Hidden: true}}
}

// addWriteAlias adds an alias that only one index can have, and so is a condition too.
func addWriteAlias(to, alias string) action {
	return action{"add": target{Index: to, Alias: alias, Write: true}}
}

// removeIndex deletes an index.
func removeIndex(name string) action { return action{"remove_index": target{Index: name}} }

// errRefused: a condition of a commit did not hold, and nothing was changed.
var errRefused = errors.New("elasticsearch refused")

// commit carries out all actions in one cluster state update, or none: then it returns errRefused, or index.ErrGone if
// an index is not there. It repeats a request whose response did not come. If a repetition is refused, done reports
// whether what was wanted is so: then the first request had been carried out.
func (s *Store) commit(ctx context.Context, done func(context.Context) (bool, error), actions ...action) error {
	body, err := json.Marshal(map[string]any{"actions": actions})
	if err != nil {
		return err
	}
	unsure := false
	return s.c.Retry(ctx, client.RequestTime, func(ctx context.Context) error {
		_, err := s.c.Do(ctx, esapi.IndicesUpdateAliasesRequest{Body: bytes.NewReader(body)})
		if client.IsTemporary(err) {
			unsure = true
			return err
		}
		err = refusal(err)
		if err == nil || !unsure {
			return err
		}
		if ok, unknown := done(ctx); !ok || unknown != nil {
			return errors.Join(err, unknown)
		}
		return nil
	})
}

// refusal turns the responses that mean "a condition does not hold" into errRefused.
func refusal(err error) error {
	var failed *client.Error
	if !errors.As(err, &failed) || errors.Is(err, index.ErrGone) {
		return err
	}
	if failed.Status == http.StatusNotFound || strings.Contains(failed.Reason, "more than one write index") {
		return fmt.Errorf("%w: %s", errRefused, failed.Reason)
	}
	return err
}
