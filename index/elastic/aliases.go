package elastic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"filings/index"
)

// action is one action of an `_aliases` request.
type action map[string]any

// target is what an action is about.
type target struct {
	Index     string `json:"index"`
	Alias     string `json:"alias,omitempty"`
	MustExist bool   `json:"must_exist,omitempty"`
	Write     bool   `json:"is_write_index,omitempty"`
	Hidden    bool   `json:"is_hidden,omitempty"`
}

// take removes an alias from an index, and is a condition: without the alias the whole request fails.
func take(from, alias string) action {
	return action{"remove": target{Index: from, Alias: alias, MustExist: true}}
}

// give adds an alias that patterns do not find.
func give(to, alias string) action {
	return action{"add": target{Index: to, Alias: alias, Hidden: true}}
}

// giveWriting adds an alias that only one index can have, and so is a condition too.
func giveWriting(to, alias string) action {
	return action{"add": target{Index: to, Alias: alias, Write: true}}
}

// drop deletes an index.
func drop(name string) action { return action{"remove_index": target{Index: name}} }

// errRefused: a condition of a commit did not hold, and nothing was changed.
var errRefused = errors.New("elasticsearch refused")

// commit carries out all actions in one cluster state update, or none: then it returns errRefused, or index.ErrGone if
// an index is not there. It repeats a request whose answer did not come. If a repetition is refused, done tells whether
// what was wanted is so: then the first request had been carried out.
func (s *Store) commit(ctx context.Context, done func(context.Context) (bool, error), actions ...action) error {
	body, err := json.Marshal(map[string]any{"actions": actions})
	if err != nil {
		return err
	}
	unsure := false
	return s.persist(ctx, requestTime, func(ctx context.Context) error {
		_, err := s.c.do(ctx, http.MethodPost, "/_aliases", nil, body)
		if isTemporary(err) {
			unsure = true
			return err
		}
		err = refusal(err)
		if err == nil || !unsure {
			return err
		}
		if ok, asked := done(ctx); !ok || asked != nil {
			return errors.Join(err, asked)
		}
		return nil
	})
}

// refusal turns the answers that mean "a condition does not hold" into errRefused.
func refusal(err error) error {
	var answer *answerError
	if !errors.As(err, &answer) || errors.Is(err, index.ErrGone) {
		return err
	}
	if answer.status == http.StatusNotFound || strings.Contains(answer.reason, "more than one write index") {
		return fmt.Errorf("%w: %s", errRefused, answer.reason)
	}
	return err
}
