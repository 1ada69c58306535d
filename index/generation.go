package index

import (
	"strings"
	"time"
)

// Generation describes a generation that can be read.
type Generation struct {
	Name      string
	CreatedAt time.Time // when it was begun, to the microsecond
	Filings   int64
	Live      bool
	Values    *Values              // of its fields; nil where its load did not count them. They are read, never changed
	Fresh     map[string]Freshness // by county; nil where that is not known. It is read, never changed
}

// Freshness says how fresh the filings of a county are (rule X56). Times are in seconds of Unix time; 0: not known.
type Freshness struct {
	Loaded      int64  `json:"loaded,omitempty"`  // when the last load began that brought or removed some
	Checked     int64  `json:"checked,omitempty"` // when the last load began that found these to be all of them
	Updated     int64  `json:"updated,omitempty"` // when their source says that it was
	Source      string `json:"source,omitempty"`  // its name; "": the plan has none
	Attribution string `json:"attribution,omitempty"`
}

// ID returns g's public id.
func (g Generation) ID() string { return GenerationID(g.Name) }

// GenerationLayout is how the time at which a generation was begun is written, in UTC: in its name,
// and as its public id. So ids sort by time.
const GenerationLayout = "20060102-150405.000000"

// GenerationID returns the public id (rule X1) of the generation with that name: the time in it. ""
// for a name without one, such as that of Empty.
func GenerationID(name string) string {
	name = name[:max(strings.LastIndex(name, "-v"), 0)]
	id := name[max(len(name)-len(GenerationLayout), 0):]
	if !ValidGenerationID(id) {
		return ""
	}
	return id
}

// ValidGenerationID reports whether id has the form of a generation's public id.
func ValidGenerationID(id string) bool {
	t, err := time.Parse(GenerationLayout, id)
	var written [len(GenerationLayout)]byte
	// Parse takes more than Format writes.
	return err == nil && string(t.AppendFormat(written[:0], GenerationLayout)) == id
}
