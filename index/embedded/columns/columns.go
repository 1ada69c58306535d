// Package columns lays filings out in columns and finds them there. It owns what is in the columns,
// how a filter, a sort and an aggregation are evaluated over them, and the cache of what was read.
// It refuses to know where the columns are kept: Build hands chunks of bytes to a Sink, and a Table
// reads them back through a Source.
//
// # Design
//
// Filings are numbered in the default order: row 0 is the first filing of an unfiltered list. What
// filings are found and sorted by is laid out in columns, in chunks of 65,536 rows:
//
//   - coded columns (county, city, filing type, date, …) hold a number for each row, which a
//     dictionary explains. A predicate is evaluated once for each word of the dictionary, then the
//     rows are looked up. Groups are counted by the numbers of their words.
//   - numbers (amounts, coordinates, instants) are compared as they are.
//   - search texts stand side by side. An index of their runs of letters says which rows have a
//     word, and an index of their trigrams in which blocks of 16 rows any other term may be; these
//     are read, and searched byte by byte.
//   - records stand in compressed blocks of 16 rows. A list of all ids says in which row each is.
//   - orders list the rows sorted by owner, amount, and so on, in both directions.
//
// A filter is evaluated chunk by chunk into one bit a row. Its bits, and for each sort how many of them precede every
// 4,096th position of that order, are cached; so a page costs the same at any offset.
//
// Why not SQL, over indexed columns? A driver in Go takes 0.5 µs and more to hand over each
// matching row number, which for a county with 480,000 filings is a quarter of a second; the loop
// over its column takes a millisecond. And every index would cost its share of every load. The
// index of trigrams only says where to read, so a term is found exactly in every script. It is paid
// once for a filter, not for a page.
//
// Build sorts what was put by an external merge sort (package sorter), and merges it with the rows
// and the orders of the table that it changes, if there is one. Besides dictionaries, which grow by
// the number of different words, it needs some 12 bytes of memory a filing.
package columns

import (
	"context"
	"fmt"

	"filings/index"
)

// ChunkRows is how many rows a chunk of a column holds: a multiple of 64, so that chunks are whole words of a bitset;
// large enough for long loops, small enough to be read (half a megabyte, search texts three) while a client waits.
const ChunkRows = 1 << 16

// Names of columns that belong to no field.
const (
	columnID           = "id"
	columnCreated      = "createdAt"
	columnSearch       = "search"
	columnStarts       = "search starts"     // of each block, in the chunk of columnSearch, and where the last one ends
	columnTrigrams     = "search trigrams"   // the index of a chunk of columnSearch
	columnSets         = "search sets"       // the sets of that index
	columnLetters      = "search runs"       // the index of the runs of a chunk of columnSearch
	columnLetterRows   = "search run rows"   // the rows of that index
	columnLetterOrders = "search run orders" // the codes of runs by how they begin, and by how they end
	columnRecords      = "records"           // as they were put; a chunk for each block
	columnByID         = "by id"             // each id with its row, by id
	columnFirstIDs     = "first ids"         // of each block of columnByID, in one chunk
	runsSuffix         = " runs"             // the keys of an order, and how many rows have each, in one chunk
	wordsSuffix        = " words"            // the dictionary of a coded column, in one chunk
	sortedSuffix       = " sorted"           // the codes of a dictionary by their words, in one chunk

	columnCountyTexts = "county texts" // the search texts of county's dictionary, in no file: in the cache only
)

// Sink stores a chunk of a column. data is valid during the call only.
type Sink func(name string, chunk int, data []byte) error

// Source returns a chunk as a Sink stored it, from one byte of it to before another (-1: to its
// end), or an error that says what was attempted. Whatever it returns is as it was written.
type Source func(ctx context.Context, name string, chunk, from, to int) (data []byte, err error)

// ErrDamaged is the error of stored values and chunks that are not as they were written.
var ErrDamaged = fmt.Errorf("%w: roll back, or load the filings anew", index.ErrDamaged)
