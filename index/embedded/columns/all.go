package columns

import (
	"context"

	"filings/index"
)

// All calls visit for every row in the order in which rows are stored: with its record, valid until the
// next one, its Place, and when it was added, in microseconds since 1970 or index.NoTime. It reads beside
// the cache.
func (t *Table) All(
	ctx context.Context, visit func(record []byte, place index.Version, created int64) error,
) error {
	city, zip, block := coded[codedCity].name, coded[codedZIP].name, recordBlock{next: -1}
	cityWords, err1 := t.dictionary(ctx, city)
	zipWords, err := t.dictionary(ctx, zip)
	if err1 != nil {
		err = err1
	}
	for chunk := 0; chunk < t.chunks() && err == nil; chunk++ {
		cities, err1 := readUncached[uint32](ctx, t, city, chunk, err)
		zips, err2 := readUncached[uint32](ctx, t, zip, chunk, err1)
		var created []int64
		created, err = readUncached[int64](ctx, t, columnCreated, chunk, err2)
		for i := 0; i < len(created) && err == nil; i++ {
			if int(cities[i]) >= len(cityWords) || int(zips[i]) >= len(zipWords) {
				return t.damaged(chunk, city)
			}
			var record []byte
			if record, err = block.record(ctx, t, chunk*ChunkRows+i); err == nil {
				err = visit(record, index.Version{City: cityWords[cities[i]], ZIP: zipWords[zips[i]]}, created[i])
			}
		}
	}
	return err
}
