package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"filings/cmd/testservers/servers"
)

const elasticsearchImage = "docker.elastic.co/elasticsearch/elasticsearch"

// elasticsearchKind is Elasticsearch: in Docker, else the official server from Maven Central; or another engine, from there.
func elasticsearchKind(h host, want cluster) kind {
	k := kind{
		name:     want.engine.name(),
		variable: servers.ElasticsearchVariable,
		own:      want.expendable(),
		timeout:  5 * time.Minute, // 15 s on an idle machine; its end is seen at once
		probe: func(ctx context.Context, addresses string) (string, error) {
			first, _, _ := strings.Cut(addresses, ",")
			return probeElasticsearch(ctx, first, want.nodes)
		},
	}
	if !k.own {
		k.providers = append(k.providers, inDocker(container{
			repository: elasticsearchImage,
			tag:        elasticsearchVersion,
			environment: []string{
				"discovery.type=single-node",
				"xpack.security.enabled=false",
				"cluster.routing.allocation.disk.threshold_enabled=false",
				"path.repo=/tmp",
				"ES_JAVA_OPTS=" + strings.ReplaceAll(want.options(), "\n", " "),
			},
			scheme: "http",
			port:   "9200/tcp",
		}, h))
	}
	k.providers = append(k.providers, provider{origin: "Maven Central", start: func(ctx context.Context) (*server, error) {
		return localElasticsearch(ctx, h, want)
	}})
	return k
}

// probeElasticsearch is the probe of an Elasticsearch of at least so many nodes. It requests the version from the nodes, as the
// server from Maven Central has no handler for GET /.
func probeElasticsearch(ctx context.Context, address string, nodes int) (string, error) {
	var health struct{ Status string }
	ready := fmt.Sprintf("_cluster/health?wait_for_status=yellow&wait_for_nodes=>=%d&timeout=1s", nodes)
	if err := getJSON(ctx, address, ready, &health); err != nil {
		return "", err
	}
	var info struct {
		Nodes map[string]struct{ Version string }
	}
	if err := getJSON(ctx, address, "_nodes/_local?filter_path=nodes.*.version", &info); err != nil {
		return "", err
	}
	for _, node := range info.Nodes {
		return node.Version, nil
	}
	return "", fmt.Errorf("no node with the health %q", health.Status)
}

// getJSON decodes the body of the response to GET address/path.
func getJSON(ctx context.Context, address, path string, body any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(address, "/")+"/"+path, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("it answers %s", response.Status)
	}
	return json.NewDecoder(response.Body).Decode(body)
}
