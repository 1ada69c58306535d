package elastic

import (
	"fmt"
	"sync"
	"testing"
)

func testTable(counts ...int64) *table {
	t := &table{}
	total := int64(0)
	for i, n := range counts {
		t.add([]byte(fmt.Sprint(i)), n)
		total += n
	}
	t.close(total + 4)
	return t
}

func TestTable_FindsPositions(t *testing.T) {
	t.Parallel()
	counted := testTable(3, 1, 5) // and 4 without a value
	for position, want := range []int{0, 0, 0, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3} {
		i := counted.at(int64(position))
		if i != want || counted.missing(i) != (want == 3) {
			t.Errorf("position %d is in bucket %d, want %d", position, i, want)
		}
		if start := counted.start(i); start > int64(position) || counted.ends[i] <= int64(position) {
			t.Errorf("bucket %d goes from %d to %d", i, start, counted.ends[i])
		}
	}
	if counted.total() != 13 {
		t.Errorf("total %d", counted.total())
	}
	if none := (&table{}); none.total() != 0 {
		t.Errorf("total of nothing: %d", none.total())
	}
}

func TestTables_KeepsWhatWasUsedLast(t *testing.T) {
	t.Parallel()
	one := testTable(1)
	room := 3 * (&namedTable{"a", one}).bytes()
	ts := newTables(room)
	for _, name := range []string{"a", "b", "c"} {
		ts.put(name, one)
	}
	ts.get("a")
	ts.put("d", one) // in b's place
	ts.put("d", one) // again, which changes nothing
	for name, want := range map[string]bool{"a": true, "b": false, "c": true, "d": true} {
		if _, ok := ts.get(name); ok != want {
			t.Errorf("%s is kept: %v, want %v", name, ok, want)
		}
	}
	large := testTable(make([]int64, 1000)...)
	ts.put("large", large)
	if _, ok := ts.get("large"); !ok || ts.used.Len() != 1 {
		t.Errorf("the large table is kept: %v, beside %d others", ok, ts.used.Len()-1)
	}
	ts.put("e", one)
	if _, ok := ts.get("large"); ok || ts.room != room-room/3 {
		t.Errorf("the large table is still kept: %v, room left %d of %d", ok, ts.room, room)
	}
}

func TestTables_ConcurrentUse(t *testing.T) {
	t.Parallel()
	ts := newTables(2000)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 200 {
				name := fmt.Sprint(i * g % 17)
				ts.put(name, testTable(1))
				ts.get(name)
			}
		})
	}
	all.Wait()
	sum := 0
	for e := ts.used.Front(); e != nil; e = e.Next() {
		sum += e.Value.(*namedTable).bytes()
	}
	if ts.room != 2000-sum || len(ts.byName) != ts.used.Len() {
		t.Errorf("room %d, held %d; %d names, %d tables", ts.room, sum, len(ts.byName), ts.used.Len())
	}
}
