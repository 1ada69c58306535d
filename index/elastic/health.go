package elastic

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
)

// Elasticsearch and OpenSearch are the products that there are. OpenSearch has the features that
// Elasticsearch 7.10 had, and its own since.
const Elasticsearch, OpenSearch = "Elasticsearch", "OpenSearch"

// Health is a cluster's state for an operator.
type Health struct {
	Product   string   // Elasticsearch or OpenSearch
	Version   string   // such as 8.19.7
	Status    string   // of the cluster: green, yellow or red
	DataNodes int      // in the cluster
	Lacks     []string // privileges on the index's names that the credentials do not have; OpenSearch does not say
	Disks     []Disk   // of data nodes; none where the credentials do not allow to look
	Blocked   []string // our indices that take no more writes, because a disk was full
}

// Disk is the disk of one data node, in bytes.
type Disk struct {
	Node             string
	Total, Available int64
}

// Health reads the cluster's health, and changes nothing. Errors are client.ErrCredentials,
// index.ErrUnavailable, or those of Elasticsearch; they show no address.
func (s *Store) Health(ctx context.Context) (h Health, err error) {
	for _, read := range []func(context.Context, *Health) error{
		s.storage.version, s.storage.status, s.storage.privileges, s.storage.blocks, s.storage.disks,
	} {
		if err = read(ctx, &h); err != nil {
			break
		}
	}
	return h, err
}

func (s *storage) version(ctx context.Context, h *Health) (err error) {
	h.Product, h.Version, err = s.server(ctx)
	return err
}

// server returns product and version of the node that responds. Not by GET /, which is a module of
// its own in Elasticsearch, and may be missing; and OpenSearch can be set to say 7.10.2 there. Only
// Elasticsearch's builds have flavors.
func (s *storage) server(ctx context.Context) (product, version string, err error) {
	var local struct {
		Nodes map[string]struct {
			Version string
			Flavor  string `json:"build_flavor"`
		}
	}
	err = s.c.Read(ctx, &local, esapi.NodesInfoRequest{
		NodeID: []string{"_local"}, Metric: []string{"_none"},
		FilterPath: []string{"nodes.*.version", "nodes.*.build_flavor"},
	})
	for _, node := range local.Nodes {
		if version, product = node.Version, OpenSearch; node.Flavor != "" {
			product = Elasticsearch
		}
	}
	if err == nil && version == "" {
		err = client.ErrResponse
	}
	return product, version, err
}

func (s *storage) status(ctx context.Context, h *Health) error {
	var health struct {
		Status    string
		DataNodes int `json:"number_of_data_nodes"`
	}
	err := s.c.Read(ctx, &health, esapi.ClusterHealthRequest{FilterPath: []string{"status", "number_of_data_nodes"}})
	h.Status, h.DataNodes = health.Status, health.DataNodes
	return err
}

// privileges finds out whether a load could do its work. `monitor` is a service's too: without it
// the identity of the live generation cannot be read (rule X24), and nothing else would tell.
// Without security there is no such request, and nothing to lack.
func (s *storage) privileges(ctx context.Context, h *Health) error {
	if h.Product == OpenSearch {
		return nil
	}
	names := []string{s.alias, s.alias + "-*"}
	body, err := json.Marshal(map[string]any{
		"cluster": []string{"monitor"},
		"index":   []any{map[string]any{"names": names, "privileges": []string{"manage", "monitor", "read", "write"}}},
	})
	if err != nil {
		return err
	}
	var granted struct {
		Cluster map[string]bool
		Index   map[string]map[string]bool
	}
	err = s.c.Read(ctx, &granted, esapi.SecurityHasPrivilegesRequest{Body: bytes.NewReader(body)})
	var refused *client.Error
	if errors.As(err, &refused) && strings.HasPrefix(refused.Reason, "no handler found") {
		return nil
	}
	if err != nil {
		return err
	}
	for _, privilege := range slices.Sorted(maps.Keys(granted.Cluster)) {
		if !granted.Cluster[privilege] {
			h.Lacks = append(h.Lacks, privilege+" on the cluster")
		}
	}
	for _, name := range names {
		for _, privilege := range slices.Sorted(maps.Keys(granted.Index[name])) {
			if !granted.Index[name][privilege] {
				h.Lacks = append(h.Lacks, privilege+" on "+name)
			}
		}
	}
	return nil
}

func (s *storage) blocks(ctx context.Context, h *Health) error {
	const blocked = "index.blocks.read_only_allow_delete"
	var indices map[string]struct{ Settings map[string]string }
	err := s.c.Read(ctx, &indices, esapi.IndicesGetSettingsRequest{
		Index: []string{s.alias + "-*"}, Name: []string{blocked}, FlatSettings: new(true), ExpandWildcards: "all",
	})
	for _, name := range slices.Sorted(maps.Keys(indices)) {
		if indices[name].Settings[blocked] == "true" {
			h.Blocked = append(h.Blocked, name)
		}
	}
	return err
}

func (s *storage) disks(ctx context.Context, h *Health) error {
	var stats struct {
		Nodes map[string]struct {
			Name  string
			Roles []string
			FS    struct {
				Total struct {
					Total     int64 `json:"total_in_bytes"`
					Available int64 `json:"available_in_bytes"`
				}
			}
		}
	}
	err := s.c.Read(ctx, &stats, esapi.NodesStatsRequest{
		Metric: []string{"fs"}, FilterPath: []string{"nodes.*.name", "nodes.*.roles", "nodes.*.fs.total"},
	})
	if client.HasStatus(err, http.StatusForbidden) {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(stats.Nodes)) {
		node := stats.Nodes[id]
		holdsData := func(role string) bool { return strings.HasPrefix(role, "data") }
		if slices.ContainsFunc(node.Roles, holdsData) && node.FS.Total.Total > 0 {
			h.Disks = append(h.Disks, Disk{node.Name, node.FS.Total.Total, node.FS.Total.Available})
		}
	}
	return err
}

// warnOfDisks logs which nodes may have too little room for merging a generation. Since 8.19
// Elasticsearch begins no merge after which less than a twentieth of a disk, or 100 GB, would be
// left (indices.merge.disk.watermark.high): it waits for room, and a load with it.
func (s *storage) warnOfDisks(ctx context.Context, name string) {
	var h Health
	sizes, err := s.sizes(ctx)
	if err = cmp.Or(err, s.disks(ctx, &h)); err != nil {
		return // the merge has the error
	}
	for _, d := range h.Disks {
		needed := sizes[name].Total.Store.Bytes/int64(s.shards) + min(d.Total/20, 100<<30)
		if d.Available < needed {
			s.log.WarnContext(ctx, "Elasticsearch may wait with merging until this node's disk has more room: free some space",
				"node", d.Node, "availableBytes", d.Available, "neededBytes", needed)
		}
	}
}

// Slots returns how many searches of a generation Elasticsearch can work on at once: the search
// threads of as many nodes as have a copy of it, shared by its shards, since a search takes a
// thread for each. If nodes differ, the smallest count.
func (s *Store) Slots(ctx context.Context) (_ int, err error) {
	defer index.Wrap(&err, "asking how many searches can run at once")
	var found struct {
		Nodes map[string]struct {
			Roles []string
			Pools struct{ Search struct{ Size int } } `json:"thread_pool"`
		}
	}
	err = s.storage.c.Read(ctx, &found, esapi.NodesInfoRequest{
		Metric: []string{"thread_pool"}, FilterPath: []string{"nodes.*.roles", "nodes.*.thread_pool.search.size"},
	})
	var threads []int
	for _, node := range found.Nodes {
		if slices.Contains(node.Roles, "data") || slices.Contains(node.Roles, "data_content") {
			threads = append(threads, node.Pools.Search.Size)
		}
	}
	slices.Sort(threads)
	sum := 0
	for _, n := range threads[:min(len(threads), s.storage.shards*(1+s.storage.replicas))] {
		sum += n
	}
	if err == nil && sum == 0 {
		err = client.ErrResponse
	}
	return sum / s.storage.shards, err
}
