package embedded

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"math"

	"filings/index"
	"filings/index/generation"
)

// sealing lays the stored filings out in columns.
type sealing struct {
	ctx    context.Context
	db     *sql.DB
	to     chunkWriter
	rows   uint32
	sorted *sorter // facts in the default order

	ids, created *column[int64]
	coded        [numCoded]*codedColumn
	numbers      [numNumbers]*column[float64]
	search       *textColumn
	orders       []*ordering
	figures      figures
	summary      summary
}

// ordering collects the rows in one order. Its sorter's keys are sort keys, each with the row behind it.
type ordering struct {
	sort   index.Sort
	sorter *sorter
	rows   *column[uint32]
}

// fillColumns lays out what is stored in db, writes its summary and ends its transaction. Temporary files go into dir.
func fillColumns(ctx context.Context, db *sql.DB, dir string) (generation.Checksum, error) {
	insert, err := db.Prepare("INSERT INTO chunks (name, chunk, data, checksum) VALUES (?, ?, ?, ?)")
	if err != nil {
		return generation.Checksum{}, err
	}
	defer insert.Close()
	s := newSealing(ctx, db, chunkWriter{insert}, dir)
	for _, step := range []func() error{s.number, s.layOut, s.finishColumns, s.writeOrders, s.summarise} {
		if err := step(); err != nil {
			return generation.Checksum{}, errors.Join(err, s.close())
		}
	}
	return s.figures.tally(s.summary.Counties, s.coded[codedDate].dictionary()), s.close()
}

func newSealing(ctx context.Context, db *sql.DB, to chunkWriter, dir string) *sealing {
	s := &sealing{
		ctx: ctx, db: db, to: to,
		sorted:  newSorter(dir, sortBuffer),
		ids:     newColumn[int64](columnID, to),
		created: newColumn[int64](columnCreated, to),
		search:  newTextColumn(to),
	}
	for i, c := range coded {
		s.coded[i] = newCodedColumn(c.column, to)
	}
	for i, c := range numbers {
		s.numbers[i] = newColumn[float64](c.field.String(), to)
	}
	for _, sort := range orders() {
		s.orders = append(s.orders, &ordering{sort, newSorter(dir, sortBuffer), newColumn[uint32](sort.String(), to)})
	}
	return s
}

func (s *sealing) close() error {
	err := s.sorted.close()
	for _, o := range s.orders {
		err = errors.Join(err, o.sorter.close())
	}
	return err
}

// number sorts the facts of all filings into the order of their rows.
func (s *sealing) number() error {
	rows, err := s.db.Query("SELECT facts FROM filings")
	if err != nil {
		return err
	}
	defer rows.Close()
	var data sql.RawBytes
	var f facts
	var key []byte
	for n := 0; rows.Next(); n++ {
		if n%chunkRows == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if err := rows.Scan(&data); err != nil {
			return err
		}
		if err := f.read(data); err != nil {
			return err
		}
		if key, err = appendRowKey(key[:0], &f); err != nil {
			return err
		}
		if err := s.sorted.add(key, data); err != nil {
			return err
		}
	}
	return rows.Err()
}

// layOut gives each filing its row.
func (s *sealing) layOut() error {
	var f facts
	err := s.sorted.each(s.ctx, func(_, data []byte) error {
		if s.rows == math.MaxUint32 {
			return fmt.Errorf("more than %d filings", s.rows)
		}
		if err := f.read(data); err != nil {
			return err
		}
		if err := s.addRow(&f); err != nil {
			return err
		}
		s.rows++
		return nil
	})
	return errors.Join(err, s.sorted.close())
}

func (s *sealing) addRow(f *facts) error {
	var codes [numCoded]uint32
	var err error
	for i, word := range f.words {
		if codes[i], err = s.coded[i].addWord(word); err != nil {
			return err
		}
	}
	for i, v := range f.numbers {
		if _, err := s.numbers[i].add(v); err != nil {
			return err
		}
	}
	if _, err := s.ids.add(f.id); err != nil {
		return err
	}
	if _, err := s.created.add(f.created); err != nil {
		return err
	}
	if err := s.search.add(f.search); err != nil {
		return err
	}
	s.figures.add(f, codes)
	return s.addToOrders(f)
}

func (s *sealing) addToOrders(f *facts) error {
	var buffer [64]byte
	for _, o := range s.orders {
		key, err := appendSortKey(buffer[:0], f, o.sort)
		if err != nil {
			return err
		}
		if err := o.sorter.add(binary.BigEndian.AppendUint32(key, s.rows), nil); err != nil {
			return err
		}
	}
	return nil
}

func (s *sealing) finishColumns() error {
	err := errors.Join(s.ids.flush(), s.created.flush(), s.search.finish())
	for _, c := range s.coded {
		err = errors.Join(err, c.finish())
	}
	for _, c := range s.numbers {
		err = errors.Join(err, c.flush())
	}
	return err
}

func (s *sealing) writeOrders() error {
	for _, o := range s.orders {
		var owner []byte
		err := o.sorter.each(s.ctx, func(key, _ []byte) error {
			value, row := key[:len(key)-4], key[len(key)-4:]
			if o.sort == byOwner && value[0] == keyPresent && !bytes.Equal(value, owner) {
				s.figures.owners++ // equal ones are neighbours
				owner = append(owner[:0], value...)
			}
			_, err := o.rows.add(binary.BigEndian.Uint32(row))
			return err
		})
		if err := errors.Join(err, o.rows.flush(), o.sorter.close()); err != nil {
			return err
		}
	}
	return nil
}

// byOwner is the order in which different owners are counted.
var byOwner = index.Sort{By: index.Owner, Ascending: true}

func (s *sealing) summarise() error {
	counties := s.figures.counted(s.coded[codedCounty].dictionary())
	s.summary = summary{
		Version:  version,
		Record:   emptyRecord(),
		Stats:    s.figures.stats(counties, s.coded[codedTraits].dictionary()),
		Counties: counties,
	}
	var data bytes.Buffer
	if err := gob.NewEncoder(&data).Encode(s.summary); err != nil {
		return err
	}
	if _, err := s.db.Exec("INSERT INTO summary (value) VALUES (?)", data.Bytes()); err != nil {
		return err
	}
	_, err := s.db.Exec("COMMIT")
	return err
}
