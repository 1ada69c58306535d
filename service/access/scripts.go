package access

import (
	"embed"
	"fmt"

	"github.com/redis/go-redis/v9"
)

//go:embed *.lua
var scriptFiles embed.FS

// scripts are the operations of Redis, each one script.
type scripts struct {
	admit, refund, create, rotate, revoke, tier, accounts *redis.Script
}

// loadScripts reads the scripts. Redis gets to know one when it first runs.
func loadScripts() (scripts, error) {
	var s scripts
	files := map[string]**redis.Script{
		"admit.lua":    &s.admit,
		"refund.lua":   &s.refund,
		"create.lua":   &s.create,
		"rotate.lua":   &s.rotate,
		"revoke.lua":   &s.revoke,
		"tier.lua":     &s.tier,
		"accounts.lua": &s.accounts,
	}
	prelude, err := scriptFiles.ReadFile("prelude.lua")
	if err != nil {
		return s, fmt.Errorf("read script: %w", err)
	}
	for name, script := range files {
		text, err := scriptFiles.ReadFile(name)
		if err != nil {
			return s, fmt.Errorf("read script: %w", err)
		}
		*script = redis.NewScript(string(prelude) + "\n" + string(text))
	}
	return s, nil
}
