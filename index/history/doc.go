// Package history is how an engine keeps what changed from generation to generation (rules X16 to X19): fingerprints, by which a
// load finds the filings that differ, and the changes of a changeset, in chunks. It owns what is in a chunk and how a page of
// changes is put together. It refuses to know where chunks are kept: an engine does, and gives them back.
//
// # Design
//
// A load must hardly take longer for its changeset, whatever part of the filings differs. So it reads no filing to find that out:
// beside each generation stand the fingerprints of its filings, by id, some 20 bytes each, and two generations are compared by
// merging them. An update compares only the filings that it put or removed, while it writes or reads the fingerprints of the
// generation that it is a copy of. Digests of a part have 64 bits (xxHash): a change of one filing is missed once in 2^64.
//
// The filings that differ are copied into the changeset, as they were before and after, if they are few. Copying half a million
// would take as long as half of a load. Then the changeset stores only their ids, and both
// generations stay on disk after pruning. They are no longer listed, but still read. If the caller
// has no filter and asks for one changeset, only the later generation is read, because the
// changeset says whether a filing existed before.
//
// Either way the changeset knows which field groups each change differs in. So a caller's page
// costs the changes on it, and not those that the caller's tier hides.
package history
