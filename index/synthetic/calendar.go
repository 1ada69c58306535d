package synthetic

import "time"

// Days that filings are recorded on, and that properties were sold on, before the end.
const (
	filingDays = 6 * 365
	saleDays   = 30 * 365
)

// batchDays are days before the end on which counties record very many filings at once, each batchShare in a thousand
// of all filings.
func batchDays() []int { return []int{21, 150, 385, 386, 750, 1480} }

const batchShare = 40

// calendar holds the texts of days by their distance from the end.
type calendar struct {
	last    time.Time // the end
	days    []string
	ranges  [3][]string // the period of each filing day: its month, quarter and half-year
	batches []int
}

func newCalendar(end time.Time) calendar {
	end = end.UTC()
	c := calendar{last: end, batches: batchDays()}
	midnight := end.Truncate(24 * time.Hour)
	for n := range saleDays {
		t := midnight.AddDate(0, 0, -n)
		c.days = append(c.days, t.Format(time.DateOnly))
		if n >= filingDays {
			continue
		}
		for i, months := range [...]int{1, 3, 6} {
			c.ranges[i] = append(c.ranges[i], period(t, months))
		}
	}
	return c
}

// period writes the period of so many months that t lies in.
func period(t time.Time, months int) string {
	first := (int(t.Month())-1)/months*months + 1
	start := time.Date(t.Year(), time.Month(first), 1, 0, 0, 0, 0, time.UTC)
	return start.Format(time.DateOnly) + " to " + start.AddDate(0, months, -1).Format(time.DateOnly)
}

// filingDay draws the distance of a recording day: a batch day, or any other, late ones more often.
func (c *calendar) filingDay(d *dice) int {
	if n := d.below(1000) / batchShare; n < len(c.batches) {
		return c.batches[n]
	}
	return d.early(filingDays)
}

// added draws when a filing recorded so many days before the end was added: 1 to 30 days later, never after the end.
func (c *calendar) added(d *dice, daysBefore int) time.Time {
	seconds := daysBefore*86_400 - d.from(86_400, 30*86_400)
	if seconds < 0 {
		seconds = d.below(86_400)
	}
	return c.last.Add(-time.Duration(seconds) * time.Second).Truncate(time.Second)
}
