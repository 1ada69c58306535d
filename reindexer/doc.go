// Package reindexer loads filings: it reads sources, checks every record, builds a generation, verifies it and makes it
// live. It knows engines only as an index.Store and never imports the service that reads what it wrote.
//
// # Reading
//
// A source is a file, a folder, standard input (source.go) or the address of a web server (address.go, web.go), whose
// answer counts only if it came whole (body.go). Its bytes are decompressed by what they are, not by what
// they are called (stream.go), and cut into lines of bounded length (lines.go). A parser (ndjson.go, csv.go) turns them
// into named values, and a record (record.go) takes these by the rules of index.Fields, one case a kind (value.go). The
// memory of reading does not depend on the size of a source: only one line is held, besides a bit for each id seen (idset.go).
//
// The rows of a PostgreSQL query (query.go) are streamed, and each is read as the JSON object that its SQL values make
// (rows.go, column.go), so that there is one way only from a value to a field. What addresses have in users, passwords
// and parameters is shown nowhere.
//
// What is wrong with one record makes it a Reject; reading goes on, so that one run names all of them. What makes the
// rest of a source unknowable (a stream or a record that is cut off, a damaged archive, a header without id) ends the
// run with ErrSource however many rejects are allowed.
//
// # The run
//
// Run takes the lock of the store, or fails at once and says who holds it. It deletes unsealed generations, which only
// the holder of the lock can know to be left behind by a run that died. It begins a generation, empty or as a copy of
// the live one, fills it, and counts what it expects the generation to hold. Reading runs beside filling. The generation
// is sealed and then compared with what was expected: counts in total, by county and by month, sums of amounts, a
// sample of filings read back whole, and a few searches. It is made live in one step that fails if the lock was lost or
// if something else became live meanwhile. Whatever goes wrong before that step, the generation is deleted and the live
// one stays as it was.
//
// Old generations are pruned after the swap. The one that was live until then always stays until the next load, even if
// none is to be kept: requests that began before the swap still read it. The ones before it stopped being live before
// this run began; a reader that nevertheless still holds one gets index.ErrGone and asks again.
//
// # A load that died is not resumed
//
// A load starts from the beginning. To go on with what a dead one left in Elasticsearch, the source would have to be read
// again all the same, and every filing that is there be read back and compared, since the record may have changed in
// between; in the embedded engine an unsealed file has no journal and is worth nothing. With 525,682 filings on two cores
// reading back took 13 s, writing 44 s, merging and verifying 19 s. By that, a load killed at its very end would be done
// in half of the time of a new one, one that was killed at a random moment in three quarters. That is not worth a second
// way through the code in which a mistake would mix two loads.
//
// # Updates
//
// An update applies its records one after the other, so the last one of an id wins. To know what the result must hold
// it reads the filings that it is about to replace or delete from the live generation, once for each id, and remembers
// some 60 bytes of each: an update needs memory in proportion to the number of its changes.
//
// A dry run does all of the reading and nothing else. For a full load it does not even connect to the store; an update
// looks ids up in the live generation to tell what it would do.
package reindexer
