package cache

import (
	"container/list"
	"sync"
)

// The policy of the cache keeps what is needed often, and would evict a value that nobody has needed yet. Values that are
// created before they are needed lie on a shelf instead, from which they are taken once: Peek and Get move them to the
// others. The shelf takes what it holds from the cache's bytes, at most a shelfShare of them; there the values that were
// put first make room.

const (
	shelfShare = 4
	// shelfSteps is in how many steps the shelf grows to its share: otter forgets what is needed often when its bound
	// changes all the time.
	shelfSteps = 4
)

// shelf keeps values until they are taken.
type shelf struct {
	mu    sync.Mutex
	items map[Key]*list.Element
	order list.List // of item, the one that was put first in front
	bytes int64
	total int64 // of the whole cache
	steps int64 // that are taken from the cache's other values
}

type item struct {
	key Key
	entry
}

// step is how many bytes the shelf takes at once.
func (s *shelf) step() int64 { return max(1, s.total/(shelfShare*shelfSteps)) }

// Put keeps v, which takes so many bytes, for the first Peek, Get or Take of key, unless others need the room. It replaces
// what was put under key before.
func Put[V any](c *Cache, key Key, v V, bytes int) {
	s := &c.shelf
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := s.items[key]; at != nil {
		s.remove(at)
	}
	i := &item{key, entry{v, bytes}}
	if s.items == nil {
		s.items = map[Key]*list.Element{}
	}
	s.items[key] = s.order.PushBack(i)
	s.bytes += i.weight()
	c.fit()
}

// Take removes the value that was put under key, and returns it. It must be a V.
func Take[V any](c *Cache, key Key) (v V, ok bool) {
	e, ok := c.take(key, false)
	if !ok {
		return v, false
	}
	return e.value.(V), true
}

// take removes the value that was put under key, to the others if it stays.
func (c *Cache) take(key Key, stays bool) (e entry, ok bool) {
	s := &c.shelf
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.items[key]
	if at == nil {
		return entry{}, false
	}
	e = at.Value.(*item).entry
	s.remove(at)
	if stays {
		c.entries.Set(key, e)
	}
	c.fit()
	return e, true
}

func (s *shelf) remove(at *list.Element) {
	i := s.order.Remove(at).(*item)
	delete(s.items, i.key)
	s.bytes -= i.weight()
}

func (i *item) weight() int64 { return int64(weight(i.key, i.entry)) }

// clearShelf lets go of all values on the shelf.
func (c *Cache) clearShelf() {
	s := &c.shelf
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.order.Len() > 0 {
		s.remove(s.order.Front())
	}
	c.fit()
}

// resize changes the bytes of the whole cache.
func (c *Cache) resize(bytes int64) {
	s := &c.shelf
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total, s.steps = bytes, -1 // whatever is taken, the others' bound changes
	c.fit()
}

// fit makes the shelf as small as it must be, and gives the other values what it leaves of the cache's bytes.
func (c *Cache) fit() {
	s := &c.shelf
	for s.bytes > s.total/shelfShare {
		s.remove(s.order.Front())
	}
	steps := (s.bytes + s.step() - 1) / s.step()
	if steps > s.steps || steps < s.steps-1 { // a crawl that is read ahead comes and goes
		s.steps = steps
		c.entries.SetMaximum(uint64(s.total - s.steps*s.step()))
	}
}

// shelved returns the bytes on the shelf.
func (c *Cache) shelved() int64 {
	c.shelf.mu.Lock()
	defer c.shelf.mu.Unlock()
	return c.shelf.bytes
}
