// Package embedded is the engine that needs no server: generations of filings as SQLite files in a folder. It owns
// those files, their locks, and the life of a generation. It refuses to know how filings are found in a file, which
// belongs to package columns, and the forms of requests, of loads and of responses, which belong to index, service and
// reindexer.
//
// # Files
//
//	generations/NAME.db        a sealed generation; never written again
//	generations/NAME.building  one that is being built, or was left behind
//	generations/NAME.step      the step to a generation that is live, or was not promoted
//	generations/NAME.changes   the step to one that was promoted; it outlives its generation
//	generations/NAME.retired   a deleted generation that kept steps need (package history)
//	INDEX.live                 the name of the live generation, replaced in one atomic rename
//	INDEX.promoted             the generation that was promoted first; empty before that
//	INDEX.lock, INDEX.load     held (flock) by the load that runs, and what it publishes about itself
//	INDEX.guard                held for an instant by a process that changes or inspects the others
//
// INDEX.promoted tells data that were lost from data that were never there (rule L7): the first load makes it empty, the
// first swap writes it. Without it, folders of former versions, what is there decides.
//
// The locks of a process end with it, so after a killed load nothing has to time out: it leaves only a .building file,
// and perhaps a .step, which the next load may delete. The name .db is given after the file was written and synced; it proves the seal.
//
// A Reader keeps its file open, so that deleting a generation never disturbs a client that still reads it. The file is
// closed when no Reader of it is in use any more, which only the garbage collector can know; hence the cleanup in
// reader.go. SQLite is never interrupted either: the driver drops an interrupted connection, and a deleted file cannot be
// opened a second time. Each statement is small (a page of records, a chunk of a column), and everything that takes time
// is a loop of package columns, which looks at its context.
//
// # Checksums
//
// Behind its pages, as SQLite lays them out, a sealed file has a checksum of each, and a footer. SQLite reads the file
// through pageFiles (pages.go), where a page that is not as it was written is an error. So whatever bit of a file flips,
// and whatever SQLite would have made of it, a response is the right one or an error. An update copies a file in the same
// way: damage is not carried on.
//
// A file says which generation it is, so that a valid file in another's place is no answer under the wrong name. A Reader is
// of one file: where that was replaced or written to, the next look opens another Reader.
//
// # Rows and columns
//
// SQLite stores; it does not search. Package columns finds the ids of a page in chunks of columns, which are blobs here;
// the records are fetched by primary key in one statement.
//
// Put writes a row of the stored values of the columns and the record. Seal reads the values back and lays them out in
// columns. There is no journal: a file that was not sealed is worthless anyway.
package embedded
