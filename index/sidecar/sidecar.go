// Package sidecar owns the data next to the filings of a generation: their fingerprints, by which a
// load finds the filings that differ (rules X16 to X19); owners (rule X27) and words (rule X29);
// and in a changeset the changes from the generation before. It is written and read here alone, for
// both engines, as chunks of bytes, which belong to sections. Sections go to a Sink and come from a
// Source: an engine stores and returns them, and doesn't know their contents.
//
// # Design: changes
//
// A load must hardly take longer for its changeset, even if many filings differ. So it reads no
// filing to find that out: beside each generation stand the fingerprints of its filings, by id,
// some 20 bytes each, and two generations are compared by merging them. An update compares only the
// filings that it put or removed, while it writes the fingerprints of the generation that it is a
// copy of. Digests of a part have 64 bits (xxHash): a change of one filing is missed once in 2^64.
//
// The filings that differ are copied into the changeset, as they were before and after, if they are
// few. Copying half a million would take as long as half of a load. Then the changeset stores only
// their ids, and both generations stay on disk after pruning. They are no longer listed, but still
// read. If the caller has no filter and asks for one changeset, only the later generation is read,
// because the changeset says whether a filing existed before.
//
// Either way the changeset knows which field groups each change differs in. So a caller's page
// costs the changes on it, and not those that the caller's tier hides. A changeset is kept longer
// than its generation.
//
// # Design: owners
//
// The alternative to chunks was prefix queries of Elasticsearch over an index of owners, and
// columns of their own in the embedded engine: two evaluations of each query, and a document for
// each owner to be written with each load. As chunks, half a million filings take some hundred
// documents.
//
// Owners are numbered by falling filings, then key: the default order. The lists that select them
// stay in the process's cache once they were read: for each token of a key and for each county the
// numbers of the owners (some 2.5 MB for 94,000 owners, 25 MB for a million). Their portfolios lie
// in chunks of 128 owners, of which a page reads those that it needs. Each other order is a list of
// the numbers. So a page costs a few passes over one bit an owner, for any text typed.
//
// Words are looked through one by one: a set of letters for each, in 64 bits, leaves few whose
// distance is computed.
package sidecar

import (
	"context"
	"iter"

	"filings/index"
)

// Write writes the sidecar of a generation: of the old fingerprints, by id, of the one that it is a
// copy of, nil for none, and of actions. It tells note, unless that is nil, the old and the updated
// fingerprint of each filing that was put or removed.
func Write(
	ctx context.Context, old iter.Seq2[index.Fingerprint, error], actions *Actions,
	note func(old, updated index.Fingerprint), sink Sink,
) error {
	prints, counted, owned := newFingerprintWriter(sink), newCounter(), newOwners()
	for s, err := range actions.Apply(ctx, old, note) {
		if err == nil {
			counted.add(&s)
			owned.add(&s.Facts)
			err = prints.add(&s)
		}
		if err != nil {
			return err
		}
	}
	if err := prints.finish(); err != nil {
		return err
	}
	if err := counted.write(owned.different(), sink); err != nil {
		return err
	}
	return owned.write(sink)
}
