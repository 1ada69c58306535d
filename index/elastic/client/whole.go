package client

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// trusting reads Elasticsearch's own JSON: it neither looks for repeated names nor checks UTF-8.
var trusting = json.JoinOptions(
	jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), json.MatchCaseInsensitiveNames(true),
)

// Decode reads a response into v, as go-json-experiment's Unmarshal does; names match in any case.
// A response of another form is ErrResponse.
func Decode(response []byte, v any) error {
	if err := json.Unmarshal(response, v, trusting); err != nil {
		return fmt.Errorf("%w: %w", ErrResponse, err)
	}
	return nil
}

// checkWhole finds the marks of a partial response. They stand before the results, so only the head
// is read, and the last character. Every request that is sent here has an object for a response.
func checkWhole(response []byte) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(response), trusting)
	if open, err := d.ReadToken(); err != nil || open.Kind() != '{' ||
		!bytes.HasSuffix(bytes.TrimRight(response, " \r\n\t"), []byte{'}'}) {
		return ErrResponse
	}
	for d.PeekKind() == '"' {
		token, err := d.ReadToken()
		if err != nil {
			return ErrResponse
		}
		name, next := token.String(), d.PeekKind()
		if name != "_shards" && (next == '{' || next == '[') {
			return nil
		}
		value, err := d.ReadValue()
		switch {
		case err != nil:
			return ErrResponse
		case name == "timed_out" && string(value) == "true":
			return &Error{Status: partial, Kind: "timed_out", Reason: "the search ran out of time"}
		case name == "_shards":
			if err := checkShards(value); err != nil {
				return err
			}
		}
	}
	if end, err := d.ReadToken(); err != nil || end.Kind() != '}' {
		return ErrResponse
	}
	return nil
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
	if err := Decode(text, &shards); err != nil || shards.Failed == 0 {
		return err
	}
	e := &Error{Status: partial, Kind: "shard_failure"}
	e.Reason = fmt.Sprintf("%d of %d shards failed", shards.Failed, shards.Total)
	if len(shards.Failures) > 0 {
		e.Kind, e.Reason = shards.Failures[0].Reason.Type, e.Reason+": "+shards.Failures[0].Reason.Reason
	}
	return e
}
