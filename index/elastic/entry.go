package elastic

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/generation"
)

// stateIndex holds who has the lock: as an alias, which is what counts, and as a document, which says more.
func (s *Store) stateIndex() string { return s.alias + "-state" }

// lockPrefix begins the names of the aliases that are the lock: lockPrefix+"free", or a holder's token.
func (s *Store) lockPrefix() string { return s.alias + "-lock-" }

func (s *Store) freeLock() string { return s.lockPrefix() + "free" }

// newToken names the alias of a holder that takes the lock at t.
func (s *Store) newToken(t time.Time) string {
	return s.lockPrefix() + strconv.FormatInt(t.UnixMicro(), 10) + "-" + strings.ToLower(rand.Text())
}

// takenAt returns when a holder took its token.
func (s *Store) takenAt(token string) time.Time {
	micros, _, _ := strings.Cut(strings.TrimPrefix(token, s.lockPrefix()), "-")
	n, _ := strconv.ParseInt(micros, 10, 64) // what is no time is long ago, and has expired
	return time.UnixMicro(n).UTC()
}

// createState makes the state index, with a free lock, unless it is there. Every node may have a copy: it is tiny.
func (s *Store) createState(ctx context.Context) (err error) {
	defer wrap(&err, "making the index "+s.stateIndex()+", which holds the lock")
	aliases := map[string]any{}
	for _, name := range []string{s.freeLock(), s.marksMark()} {
		aliases[name] = map[string]any{"is_hidden": true}
	}
	if promoted, err := s.hasSealed(ctx); err != nil {
		return err
	} else if promoted {
		aliases[s.promotedMark()] = map[string]any{"is_hidden": true}
	}
	body, err := json.Marshal(map[string]any{
		"settings": map[string]any{"index": map[string]any{
			"number_of_shards": 1, "auto_expand_replicas": "0-1", "hidden": true,
		}},
		"mappings": map[string]any{"enabled": false},
		"aliases":  aliases,
	})
	if err != nil {
		return err
	}
	_, err = s.c.Do(ctx, esapi.IndicesCreateRequest{Index: s.stateIndex(), Body: bytes.NewReader(body)})
	if err != nil && !client.HasKind(err, alreadyExists) {
		return s.explainTemplate(ctx, err)
	}
	return s.keepOffAlias(ctx, s.stateIndex())
}

// alreadyExists is the kind of an error about an index that should be created and is there.
const alreadyExists = "resource_already_exists_exception"

// lockAlias returns the alias that the lock is now, or index.ErrGone without a state index.
func (s *Store) lockAlias(ctx context.Context) (string, error) {
	var indices map[string]struct{ Aliases map[string]struct{} }
	if err := s.c.ReadInto(ctx, &indices, esapi.IndicesGetAliasRequest{Index: []string{s.stateIndex()}}); err != nil {
		return "", err
	}
	for name := range indices[s.stateIndex()].Aliases {
		if strings.HasPrefix(name, s.lockPrefix()) {
			return name, nil
		}
	}
	return "", fmt.Errorf("the index %s has no lock: delete it, and the next load makes a new one", s.stateIndex())
}

// entry is the document about the lock's holder, and its position, which a write demands to find unchanged.
type entry struct {
	SeqNo  int `json:"_seq_no"`
	Term   int `json:"_primary_term"` // 0: there is no document
	Source struct {
		Token string         `json:"token"`
		Run   generation.Run `json:"run"`
	} `json:"_source"`
}

// entryID is the id of that document.
const entryID = "run"

// readEntry retries: the first load to find a new state index comes before its shard has started.
func (s *Store) readEntry(ctx context.Context) (e entry, err error) {
	err = s.c.Retry(ctx, client.RequestTime, func(ctx context.Context) error {
		e = entry{}
		err := s.c.ReadInto(ctx, &e, esapi.GetRequest{Index: s.stateIndex(), DocumentID: entryID})
		if errors.Is(err, index.ErrNotFound) {
			return nil
		}
		return err
	})
	return e, err
}

// writeEntry replaces the document that was found at e, through the alias that is the holder's lock: without the lock
// it fails with index.ErrGone, and if another load wrote since, with a version conflict. It moves e.
func (s *Store) writeEntry(ctx context.Context, e *entry, token string, run generation.Run) error {
	e.Source.Token, e.Source.Run = token, run
	body, err := json.Marshal(e.Source)
	if err != nil {
		return err
	}
	requireAlias := true
	request := esapi.IndexRequest{
		Index: token, DocumentID: entryID, Body: bytes.NewReader(body), RequireAlias: &requireAlias,
		IfSeqNo: &e.SeqNo, IfPrimaryTerm: &e.Term,
	}
	if e.Term == 0 {
		request.OpType, request.IfSeqNo, request.IfPrimaryTerm = "create", nil, nil
	}
	response, err := s.c.Do(ctx, request)
	if err != nil {
		return err
	}
	return client.Decode(response, e)
}
