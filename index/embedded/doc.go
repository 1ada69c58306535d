// Package embedded is the engine that needs no server: generations of filings as SQLite files in a folder. It owns
// those files and the catalog that says which of them count. It refuses to know what becomes of generations, which package
// generation decides; how filings are found in a file, which belongs to package columns; and the forms of requests, of loads and
// of responses, which belong to index, service and reindexer.
//
// # Files
//
//	generations/NAME.db        a finished generation; never written again
//	generations/NAME.building  one that is being built, or was left behind
//	generations/NAME.changes   its changeset (package history)
//	INDEX.catalog              the catalog of generations (package generation), replaced in one atomic rename
//	INDEX.lock                 held (flock) by the load that runs
//	INDEX.guard                held for an instant by a process that replaces the catalog, or looks whether a load runs
//
// A lock ends with its process, so after a killed load nothing has to time out. The name .db is given after the file was written
// and synced: whatever has it is whole. Whether it counts, the catalog says.
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
