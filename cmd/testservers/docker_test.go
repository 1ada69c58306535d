package main

import (
	"os"
	"strings"
	"testing"
)

func TestOnThisMachine(t *testing.T) {
	t.Parallel()
	for endpoint, want := range map[string]bool{
		"unix:///var/run/docker.sock":    true,
		"npipe:////./pipe/docker_engine": true,
		"tcp://127.0.0.1:2375":           true,
		"tcp://[::1]:2375":               true,
		"http://localhost:2375":          true,
		"tcp://docker:2375":              false,
		"tcp://192.0.2.1:2376":           false,
		"ssh://me@example.org":           false,
		"%zz":                            false,
	} {
		if got := onThisMachine(endpoint); got != want {
			t.Errorf("%s: %v, want %v", endpoint, got, want)
		}
	}
}

// The tests run on the versions that docker-compose.yml runs.
func TestVersionsAgree(t *testing.T) {
	t.Parallel()
	compose, err := os.ReadFile("../../docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, image := range []string{elasticsearchImage + ":" + elasticsearchVersion, redisImage + ":" + redisVersion} {
		if !strings.Contains(string(compose), "image: "+image+"\n") {
			t.Errorf("docker-compose.yml does not have the image %s", image)
		}
	}
	descriptor, err := plugin.ReadFile("plugin/plugin-descriptor.properties")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(descriptor), "\nelasticsearch.version="+elasticsearchVersion+"\n") {
		t.Errorf("the plugin is not for Elasticsearch %s:\n%s", elasticsearchVersion, descriptor)
	}
}
