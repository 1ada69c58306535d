package main

import (
	"errors"
	"strconv"
	"strings"
)

// byteSize is an amount of memory: a whole number of bytes, KiB, MiB or GiB.
type byteSize int64

// Decode implements envconfig.Decoder.
func (b *byteSize) Decode(text string) error {
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
	*b = byteSize(int64(n) * unit)
	return nil
}
