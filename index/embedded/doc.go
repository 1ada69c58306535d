// Package embedded is the engine that needs no server: generations of filings as SQLite files in a folder. It owns
// those files, their locks and how they are searched. It refuses to know the forms of requests, of loads and of
// answers; those belong to index, service and reindexer.
//
// # Files
//
//	generations/NAME.db        a sealed generation; never written again
//	generations/NAME.building  one that is being built, or was left behind
//	INDEX.live                 the name of the live generation, replaced in one atomic rename
//	INDEX.lock, INDEX.load     held (flock) by the load that runs, and what it says about itself
//	INDEX.guard                held for an instant by whoever changes or inspects the others
//
// The locks of a process end with it, so a killed load leaves nothing to be waited for: only a .building file, which
// the next load may delete. The name .db is given after the file was written and synced; it is the proof of a seal.
//
// A Reader keeps its file open, so that deleting a generation never disturbs whoever still reads it. The file is closed
// when nobody holds a Reader any more, which only the garbage collector can know; hence the cleanup in generation.go.
// SQLite is never interrupted either: the driver drops an interrupted connection, and a deleted file cannot be opened a
// second time. What SQLite is asked for is small (a page of records, a chunk of a column), and everything that takes
// time is a loop of ours, which looks at its context.
//
// # How filings are found
//
// SQLite stores; it does not search. Filings are numbered in the default order: row 0 is the first filing of an
// unfiltered list. What filings are found and sorted by is laid out in columns, a chunk of 65,536 rows a blob:
//
//   - coded columns (county, city, filing type, date, …) hold a number for each row, which a dictionary explains. A
//     predicate is asked once for each word of the dictionary, then the rows are looked up.
//   - numbers (amounts, coordinates, instants) are compared as they are.
//   - search texts stand side by side and are searched byte by byte.
//   - orders list the rows sorted by owner, amount, and so on, in both directions.
//
// A filter is evaluated chunk by chunk into one bit a row. Its bits, and for each sort how many of them precede every
// 4,096th place of that order, are remembered; so a page costs the same at any offset. A page is then rows → ids →
// records, fetched by primary key in one statement.
//
// Why not one SQL statement a filter, over indexed columns? A driver in Go takes 0.5 µs and more to hand over each
// matching row number, which for a county with 480,000 filings is a quarter of a second; the loop over its column takes
// a millisecond. And every index would cost its share of every load. Looking for a text by reading all texts is exact
// for every term and every script, and needs nothing to maintain; 500,000 filings have 26 MB of them, which one core
// reads in 25 ms. Its cost grows with the filings, but it is paid once for a filter, not for a page.
//
// What is read is kept in a cache of a fixed size a generation (cacheBytes). Columns beyond it come from the file
// again, at the speed of a copy.
//
// # How a generation is built
//
// Put writes a row (id, facts, record); facts hold the values of the columns, normalised. Seal reads them back, sorts
// them by an external merge sort, fills the columns, and counts what it stored. Memory depends neither on the number of
// filings nor on their order; only dictionaries grow, by the number of different words. There is no journal: a file
// that was not sealed is worthless anyway.
package embedded
