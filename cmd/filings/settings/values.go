package settings

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"
)

// List is a list of texts, separated by commas, without blanks around them. Empty ones do not count.
type List []string

// Decode implements envconfig.Decoder, as the other types here do. Separators alone are a list that
// got lost on the way here: it is not as if nothing were set.
func (l *List) Decode(text string) error {
	*l = nil
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			*l = append(*l, item)
		}
	}
	if *l == nil && text != "" {
		return errors.New("no item")
	}
	return nil
}

// Networks is a List of networks such as 10.0.0.0/8.
type Networks []netip.Prefix

// Decode refuses addresses without a length: one may stand for a forgotten length.
func (n *Networks) Decode(text string) error {
	var items List
	if err := items.Decode(text); err != nil {
		return err
	}
	*n = nil
	for _, item := range items {
		network, err := netip.ParsePrefix(item)
		if err != nil {
			return err
		}
		*n = append(*n, network)
	}
	return nil
}

// ByteSize is an amount of memory: an integer number of bytes, KiB, MiB or GiB.
type ByteSize int64

// Decode implements envconfig.Decoder.
func (b *ByteSize) Decode(text string) error {
	number, unit := text, int64(1)
	for suffix, size := range map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30} {
		if rest, ok := strings.CutSuffix(text, suffix); ok {
			number, unit = strings.TrimSpace(rest), size
		}
	}
	n, err := strconv.ParseUint(number, 10, 62) // takes no sign
	if err != nil || int64(n) > 1<<62/unit {
		return errors.New("not a size")
	}
	*b = ByteSize(int64(n) * unit)
	return nil
}

// Switch is on or off.
type Switch bool

// Decode implements envconfig.Decoder.
func (s *Switch) Decode(text string) error {
	if text != "on" && text != "off" {
		return errors.New("must be on or off")
	}
	*s = text == "on"
	return nil
}
