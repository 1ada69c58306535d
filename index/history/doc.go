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
// would take as long as half of a load; then the changeset names them, and its two generations are kept for it when they are
// pruned: they are listed no more, and still read: the later one alone, if the caller has no filter and asks for one changeset, since
// the changeset says whether the filing was there before. Either way the changeset knows of each change which field groups differ,
// so that a caller's page costs what it has, and not what that caller's tier does not see.
package history
