package mapping

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

// id makes a positive number of 53 bits, which JavaScript and spreadsheets hold too, of texts: the
// first bits of the SHA-256 of them, with a NUL after each, so that "ab", "c" and "a", "bc" are
// two. Without one of them it is no id, since another row could lack it too.
func id(texts []any) any {
	h := sha256.New()
	for i, v := range texts {
		text, isText := v.(string)
		if text = clean(text); v == nil || isText && blankText(text) {
			return fail("id needs all of its texts: number %d is missing", i+1)
		}
		switch v := v.(type) {
		case string:
			h.Write([]byte(text))
		case int:
			h.Write(strconv.AppendInt(nil, int64(v), 10))
		case *big.Int:
			h.Write([]byte(v.String()))
		case json.Number:
			if strings.ContainsAny(v.String(), ".eE") {
				return fail("id is made of texts and whole numbers; number %d is %s", i+1, v)
			}
			h.Write([]byte(v.String()))
		default:
			return fail("id is made of texts and whole numbers; number %d is %s", i+1, article(gojq.TypeOf(v)))
		}
		h.Write([]byte{0})
	}
	return int(max(1, binary.BigEndian.Uint64(h.Sum(nil))>>11))
}
