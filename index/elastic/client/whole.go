package client

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// checkWhole finds the marks of a partial response. They stand before the results, so only the head is read, and the last
// character. Every request that is sent here has an object for a response.
func checkWhole(response []byte) error {
	if !bytes.HasSuffix(bytes.TrimRight(response, " \r\n\t"), []byte{'}'}) {
		return ErrResponse
	}
	w := Walk(response)
	for name := range w.Object() {
		switch string(name) {
		case "timed_out":
			if string(w.Raw()) == "true" {
				return &Error{Status: partial, Kind: "timed_out", Reason: "the search ran out of time"}
			}
		case "_shards":
			if err := checkShards(w.Raw()); err != nil {
				return err
			}
		default:
			if next := w.Next(); next == '{' || next == '[' {
				return nil
			}
		}
	}
	return w.Err()
}

// checkShards reads the member _shards of a response.
func checkShards(text []byte) error {
	if bytes.HasSuffix(text, []byte(`"failed":0}`)) {
		return nil // as nearly always
	}
	var shards struct {
		Total, Failed int
		Failures      []struct {
			Reason struct{ Type, Reason string }
		}
	}
	if err := json.Unmarshal(text, &shards); err != nil {
		return fmt.Errorf("%w: reading _shards: %w", ErrResponse, err)
	}
	if shards.Failed == 0 {
		return nil
	}
	e := &Error{Status: partial, Kind: "shard_failure", Reason: fmt.Sprintf("%d of %d shards failed", shards.Failed, shards.Total)}
	if len(shards.Failures) > 0 {
		e.Kind, e.Reason = shards.Failures[0].Reason.Type, e.Reason+": "+shards.Failures[0].Reason.Reason
	}
	return e
}
