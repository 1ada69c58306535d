package access

import (
	"embed"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

//go:embed lua
var scriptFiles embed.FS

// loadScripts reads the scripts, by the names of their files. Redis gets to know one when it first runs.
func loadScripts() (map[string]*redis.Script, error) {
	prelude, err := scriptFiles.ReadFile("lua/prelude.lua")
	if err != nil {
		return nil, fmt.Errorf("read scripts: %w", err)
	}
	files, err := scriptFiles.ReadDir("lua")
	if err != nil {
		return nil, fmt.Errorf("read scripts: %w", err)
	}
	scripts := map[string]*redis.Script{}
	for _, file := range files {
		text, err := scriptFiles.ReadFile(path.Join("lua", file.Name()))
		if err != nil {
			return nil, fmt.Errorf("read scripts: %w", err)
		}
		scripts[strings.TrimSuffix(file.Name(), ".lua")] = redis.NewScript(string(prelude) + "\n" + string(text))
	}
	return scripts, nil
}

// reply reads what a script returns, value by value.
type reply struct {
	values []any
	err    error // the first value that was not as expected
}

func (r *reply) text() string       { return next[string](r) }
func (r *reply) number() int64      { return next[int64](r) }
func (r *reply) instant() time.Time { return time.UnixMicro(r.number()).UTC() }

func next[T any](r *reply) T {
	var value T
	ok := len(r.values) > 0
	if ok {
		value, ok = r.values[0].(T)
		r.values = r.values[1:]
	}
	if !ok && r.err == nil {
		r.err = fmt.Errorf("%w: Redis holds what this program did not write", ErrUnavailable)
	}
	return value
}
