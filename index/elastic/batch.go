package elastic

import (
	"fmt"
	"net/http"
	"strconv"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
)

// batch is the body of a bulk request, and which filing each action in it is about.
type batch struct {
	body []byte
	ids  []int64
	ends []int // of each action's lines in body
}

// put adds f and returns its fingerprint.
func (b *batch) put(f *index.Filing, version int64) (fingerprint index.Fingerprint) {
	b.head(`{"index":{"_id":"`, f.ID, version)
	b.body, fingerprint = document.Append(b.body, f)
	b.body = append(b.body, '\n')
	b.end(f.ID)
	return fingerprint
}

func (b *batch) remove(id, version int64) {
	b.head(`{"delete":{"_id":"`, id, version)
	b.end(id)
}

func (b *batch) head(action string, id, version int64) {
	b.body = strconv.AppendInt(append(b.body, action...), id, 10)
	b.body = strconv.AppendInt(append(b.body, `","version":`...), version, 10)
	b.body = append(b.body, `,"version_type":"external_gte"}}`+"\n"...)
}

func (b *batch) end(id int64) {
	b.ids, b.ends = append(b.ids, id), append(b.ends, len(b.body))
}

// keep drops all actions but these, into new memory.
func (b *batch) keep(actions []int) {
	var kept batch
	for _, i := range actions {
		start := 0
		if i > 0 {
			start = b.ends[i-1]
		}
		kept.body = append(kept.body, b.body[start:b.ends[i]]...)
		kept.end(b.ids[i])
	}
	*b = kept
}

// responseFilter leaves those parts of a bulk response that read reads.
const responseFilter = "errors,items.*._id,items.*.status,items.*.error.type,items.*.error.reason"

// read reads the response to the batch. Every action is accounted for by its own item. It returns nil if all were
// accepted, or a temporary error and keeps those that can be sent again, or the error that ends the load.
func (b *batch) read(response []byte) error {
	var bulk struct {
		Items []struct {
			Index  *item `json:"index"`
			Delete *item `json:"delete"`
		} `json:"items"`
	}
	if err := client.Decode(response, &bulk); err != nil || len(bulk.Items) != len(b.ids) {
		return client.Incomplete(len(bulk.Items), len(b.ids))
	}
	var again []int
	var busy error
	for i, item := range bulk.Items {
		it := item.Index
		if it == nil {
			it = item.Delete
		}
		if it == nil || it.ID != strconv.FormatInt(b.ids[i], 10) {
			return client.Incomplete(i, len(b.ids))
		}
		switch err := it.err(item.Delete != nil); {
		case client.IsTemporary(err):
			again, busy = append(again, i), err
		case err != nil:
			return fmt.Errorf("filing %d: %w", b.ids[i], err)
		}
	}
	if busy != nil {
		b.keep(again)
	}
	return busy
}

// item is the response to one action.
type item struct {
	ID     string `json:"_id"`
	Status int    `json:"status"`
	Error  struct {
		Type   string `json:"type"`
		Reason string `json:"reason"`
	} `json:"error"`
}

// err returns nil for an action that was done, or did not need to be.
func (it *item) err(isDelete bool) error {
	switch {
	case it.Status == http.StatusOK, it.Status == http.StatusCreated:
		return nil
	case it.Status == http.StatusNotFound && isDelete && it.Error.Type == "":
		return nil // there was nothing to delete
	case it.Status == http.StatusConflict && it.Error.Type == "version_conflict_engine_exception":
		return nil // a later action of the same id was faster
	}
	return &client.Error{Status: it.Status, Kind: it.Error.Type, Reason: it.Error.Reason}
}
