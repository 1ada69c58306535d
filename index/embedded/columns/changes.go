package columns

import (
	"cmp"
	"encoding/binary"
	"errors"

	"filings/index"
	"filings/index/sorter"
)

// sortBuffer is how much a sorter holds in memory. Seven of them work at a time. At 2 MiB a billion
// bytes make 500 runs, which are still merged in one pass.
const sortBuffer = 2 << 20

// Changes are the filings that were put and removed, of which the last action counts. They are
// collected in any order, until Build lays them out. They have to be closed.
type Changes struct {
	actions uint64
	sorted  *sorter.Sorter // stored values and records in the default order; keys end with the number of the action
	byID    *sorter.Sorter // the numbers of the actions by id

	row        storedValues // of the last filing: what rows are numbered by
	key, value []byte       // of sorted, for the last filing
}

// NewChanges returns Changes with nothing in them. Temporary files go into dir.
func NewChanges(dir string) *Changes {
	return &Changes{sorted: sorter.New(dir, sortBuffer), byID: sorter.New(dir, sortBuffer)}
}

// Put puts a filing, of which d is derived, and a record, whatever that is.
func (c *Changes) Put(f *index.Filing, d *index.Derived, record []byte) error {
	c.row.id, c.row.words[codedDate] = f.ID, append(c.row.words[codedDate][:0], f.Text(index.FilingDate)...)
	key, err := appendRowKey(c.key[:0], &c.row)
	if err = cmp.Or(err, c.act(f.ID)); err != nil {
		return err
	}
	c.key = binary.BigEndian.AppendUint64(key, c.actions)
	c.value = append(appendValues(c.value[:0], f, d), record...)
	return c.sorted.Add(c.key, c.value)
}

// Remove removes the filing with an id.
func (c *Changes) Remove(id int64) error { return c.act(id) }

func (c *Changes) act(id int64) error {
	c.actions++
	var key [16]byte
	binary.BigEndian.PutUint64(key[:], uint64(id)) // ids are positive
	binary.BigEndian.PutUint64(key[8:], c.actions)
	return c.byID.Add(key[:], nil)
}

// Close gives up memory and files. It may be called again.
func (c *Changes) Close() error { return errors.Join(c.sorted.Close(), c.byID.Close()) }
