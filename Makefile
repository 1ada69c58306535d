# `make` alone lists the targets.

# -count=1: a result is never taken from an earlier run, which had other servers.
TEST = go test -count=1 -timeout=15m

.DEFAULT_GOAL := help
.PHONY: help run build test check bench image compose compose-down

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## for a first look: 20,000 made-up filings, an account, the API on https://localhost:8443
	go run ./cmd/filings demo

build: ## the program, as ./filings
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o filings ./cmd/filings

test: bin/testservers ## all tests, beside a real Elasticsearch and Redis where they can be had; says what is left out
	bin/testservers -- $(TEST) ./...

check: bin/testservers ## what a change has to pass: format, vet, staticcheck, all tests with the race detector
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "not formatted by gofmt:" $$unformatted >&2; exit 1; }
	go vet ./...
	go tool staticcheck ./...
	bin/testservers -- $(TEST) -race ./...

bench: bin/testservers ## the benchmarks
	bin/testservers -- go test -run '^$$' -bench . -benchmem ./...

image: ## the container image, as filings:local
	docker compose build filings

compose: ## Elasticsearch, Redis and the service in containers, until they are healthy
	docker compose up --build --detach --wait

compose-down: ## stop these containers; what they stored stays
	docker compose down

# Built, not `go run`: that passes on neither signals nor exit codes. Always asked of go, which knows what has changed.
.PHONY: bin/testservers
bin/testservers:
	@go build -o $@ ./cmd/testservers
