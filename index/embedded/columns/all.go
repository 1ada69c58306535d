package columns

import "context"

// All calls visit for every row in the order in which rows are stored: with its record, valid until the next one, its city as written,
// and when it was added, in microseconds since 1970 or index.NoTime. It reads beside the cache.
func (t *Table) All(ctx context.Context, visit func(record []byte, city string, created int64) error) error {
	name, block := coded[codedCity].name, recordBlock{next: -1}
	words, err := t.dictionary(ctx, name)
	for chunk := 0; chunk < t.chunks() && err == nil; chunk++ {
		var cities []uint32
		var created []int64
		cities, err = readUncached[uint32](ctx, t, name, chunk, err)
		created, err = readUncached[int64](ctx, t, columnCreated, chunk, err)
		for i := 0; i < len(created) && err == nil; i++ {
			if int(cities[i]) >= len(words) {
				return t.damaged(chunk, name)
			}
			var record []byte
			if record, err = block.record(ctx, t, chunk*ChunkRows+i); err == nil {
				err = visit(record, words[cities[i]], created[i])
			}
		}
	}
	return err
}
