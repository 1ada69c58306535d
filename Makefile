# `make` alone lists the targets.

# One way to compile for `run`, `build` and the tests: what one of them compiled the others link.
export CGO_ENABLED = 0

# Without symbols a test links in two thirds of the time.
LINK = -ldflags='-s -w'
# -count=1: no cached result of an earlier run, which had other servers.
TEST = go test -count=1 -timeout=15m $(LINK)

.DEFAULT_GOAL := help
.PHONY: help run build dist packages chart workflow quick slowest test nightly check audit tools bench bench-growth mcp-conformance faults soak fuzz cluster opensearch image compose compose-down

help: ## lists the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# go prints the name of each package that it compiled; what it says besides has blanks.
run: ## for a first look: 20,000 synthetic filings, an account, the API on https://localhost:8443
	@n= last= all=$$(go list -deps ./cmd/filings | wc -l); { go build -v -o bin/filings ./cmd/filings || echo not built; } 2>&1 | { \
		while read -r line; do case $$line in \
			*\ *) echo "$$line"; last=$$line;; \
			*) n=$$((n + 1)); printf '\rBuilding the program from its source, once: %d of %d packages ' $$n $$all;; \
		esac; done; [ -z "$$n" ] || echo; [ "$$last" != "not built" ]; } >&2
	@exec bin/filings demo

build: ## the program, as ./filings
	go build -ldflags '-s -w' -o filings ./cmd/filings

dist: ## archives of the program for Linux, macOS and Windows, with checksums and SBOMs, in dist/
	cmd/filings/dist/build

packages: ## of the Linux archives of `make dist`: deb, rpm and apk, in dist/; tries them (as root, on Debian, with lintian and rpm)
	cmd/filings/dist/packages/build
	@for tool in dpkg lintian rpm; do command -v $$tool >/dev/null || { echo "packages: they were NOT tried: there is no $$tool" >&2; exit 0; }; done; \
		if [ "$$(id -u)" = 0 ]; then cmd/filings/dist/packages/try; else echo "packages: they were NOT tried: that needs root" >&2; fi

workflow: ## the workflow of a release, by a linter
	cd cmd/filings/deploy && go tool actionlint $(CURDIR)/.github/workflows/*.yml

# In a module of its own. Its first run compiles helm and the types of Kubernetes, for some minutes.
chart: bin/testservers ## the Helm chart: lint, manifests of 13 sets of values as Kubernetes reads them, and the program run as they say (as root)
	bin/testservers -light -- go test -C cmd/filings/deploy -count=1 -timeout=15m -run TestChart -v .

# Its results are kept by go until code changes: nothing outside of the code decides them. `make check` vets.
quick: ## the tests that need no server, browser or other program; lists what is left out
	@TEST_QUICK=1 go test -short -vet=off $(LINK) -json ./... | go run ./cmd/testservers/testtimes

slowest: bin/testservers ## all tests, and the ten slowest as a table; lists what is left out
	@bin/testservers -light -- $(TEST) -json ./... | go run ./cmd/testservers/testtimes

test: bin/testservers ## all tests, with a real Elasticsearch, Redis and PostgreSQL where available; lists what is left out
	bin/testservers -light -- $(TEST) ./...

# .ci/run runs those groups whose inputs changed since .ci/verified was written, which this writes.
nightly: bin/testservers ## the tests that `make test` leaves out: kills, fleets, the browser, programs of others; GROUPS="clients browser" for some
	bin/testservers -light -- go run ./cmd/testservers/nightly $(GROUPS)

tools: ## installs what some tests run: client generators, linters of the OpenAPI document, axe-core, schemathesis
	service/webtest/tools/install

check: bin/testservers ## what a change must pass: format, vet, staticcheck, all tests, the nightly ones too, with the race detector
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "not formatted by gofmt:" $$unformatted >&2; exit 1; }
	go vet ./...
	go tool staticcheck ./...
	CGO_ENABLED=1 TEST_NIGHTLY=1 bin/testservers -light -- $(TEST) -race ./...

# DATA=file.ndjson.gz measures with that file; by default with synthetic filings. TIMES=4 repeats the data four times.
# FOR="pages offsets" measures only these; cmd/bench lists all. FOR=peers measures others beside the service: a two-day service,
# PostgreSQL, Datasette. FOR=memory is how much of it the service takes, in half an hour.
bench: bin/testservers ## loads and pages compared with bare Elasticsearch, as tables; DATA=FILE for your own filings, FOR="pages answers" for some
	bin/testservers -- go run ./cmd/bench $(if $(DATA),-data $(DATA)) $(if $(TIMES),-times $(TIMES)) $(FOR)

bench-growth: bin/testservers ## a few pages with 0.5, 2 and 8 million synthetic filings: half an hour; LARGEST=2000000 stops there, NODES=3 is on a cluster
	bin/testservers $(if $(NODES),-nodes $(NODES)) -- go run ./cmd/bench $(if $(LARGEST),-largest $(LARGEST)) growth

# ENGINE=opensearch:2.19.6 runs faults, soak and cluster on that.
ON_ENGINE = $(if $(ENGINE),-engine $(ENGINE))

faults: bin/testservers ## kills 100 loads at random moments in each engine, with readers running; tries a million wrong keys, requests with tokens and flipped bits of tokens
	TEST_NIGHTLY=1 TEST_KILLS=100 bin/testservers -light $(ON_ENGINE) -- go test -count=1 -timeout=60m -run TestL7_KilledLoads -v ./cmd/filings
	TEST_WRONG_KEYS=1000000 $(TEST) -run TestK2_WrongKeys -v ./service/apitest
	TEST_NIGHTLY=1 TEST_TOKEN_REQUESTS=1000000 bin/testservers -light -- go test -count=1 -timeout=5h -parallel 24 -run TestX33_RandomRequests -v ./service/apitest
	TEST_TOKENS=1000 $(TEST) -run TestX32_Bits -v ./service/tokens

# FOR is how long the traffic lasts.
FOR = 30m
soak: bin/testservers ## mixed traffic on real processes while data is swapped, keys rotate and Elasticsearch is killed, with every response checked; FOR=10m
	TEST_SOAK=$(FOR) bin/testservers -restart $(ON_ENGINE) -- go test -count=1 -timeout=24h -run TestSoak -v ./cmd/filings

# audit fetches the list of known vulnerabilities. Without it that part is left out with a warning, which is no failure.
VULNERABILITIES = https://vuln.go.dev
audit: ## the libraries: checksums as in go.sum, and no known vulnerability that the program reaches
	go mod verify
	@if curl -fsS -m 10 -o /dev/null $(VULNERABILITIES)/index/db.json; then go tool govulncheck -db $(VULNERABILITIES) ./...; \
	else echo "audit: $(VULNERABILITIES) does not answer: known vulnerabilities were NOT checked" >&2; fi

# One after the other: the second stops one of the nodes.
cluster: bin/testservers ## the engine's tests on three Elasticsearch nodes, and the loss of one of them
	TEST_NIGHTLY=1 bin/testservers -light -nodes 3 $(ON_ENGINE) -- sh -c "$(TEST) -run TestConformance ./index/elastic && \
		TEST_LOSE_NODE=1 $(TEST) -run TestLostNode -v ./index/elastic"

opensearch: bin/testservers ## the engine's tests on OpenSearch; ENGINE=opensearch:3.6.0, or elasticsearch:8.15.5, for another version
	TEST_NIGHTLY=1 bin/testservers -light -engine $(or $(ENGINE),opensearch:2.19.6) -- $(TEST) -run '$(or $(TESTS),TestConformance)' ./index/elastic

FUZZTIME = 30s
fuzz: ## every fuzz target, one after another, FUZZTIME=30s for each; then schemathesis
	@for package in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package || exit 1; \
		done; \
	done
	TEST_NIGHTLY=1 SCHEMATHESIS_EXAMPLES=300 go test -count=1 -run TestSchemathesis -v ./service/apitest

mcp-conformance: ## the official conformance suite, clients and inspector of the Model Context Protocol against /mcp; needs npm
	TEST_NIGHTLY=1 TEST_MCP_CONFORMANCE="npx -y -p node@22 -p @modelcontextprotocol/conformance@0.2.0-alpha.12 conformance" \
	TEST_MCP_INSPECTOR="npx -y -p node@22 -p @modelcontextprotocol/inspector@2.12.0 mcp-inspector" go test -count=1 -run "TestX50_Conformance|TestX50_OfficialClients" -v ./service/apitest

image: ## the container image, as filings:local
	docker compose build filings

compose: ## starts Elasticsearch, Redis and the service in containers, and waits until they are healthy
	docker compose up --build --detach --wait

compose-down: ## stops these containers; their volumes stay
	docker compose down

# Built, not `go run`: that passes on neither signals nor exit codes. Always rebuilt by go, which knows what has changed.
.PHONY: bin/testservers
bin/testservers:
	@go build -o $@ ./cmd/testservers
