package elastic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// ErrCredentials: Elasticsearch wants other credentials, or some at all.
var ErrCredentials = errors.New("elasticsearch does not take the credentials")

// Facts is what a cluster tells an operator about itself.
type Facts struct {
	Version   string   // such as 8.19.7
	Status    string   // of the cluster: green, yellow or red
	DataNodes int      //
	Lacks     []string // privileges on the index's names that the credentials do not have
	Disks     []Disk   // of data nodes; none where the credentials may not ask
	Blocked   []string // our indices that take no more writes, because a disk was full
}

// Disk is the disk of one data node, in bytes.
type Disk struct {
	Node             string
	Total, Available int64
}

// Facts asks the cluster about itself, and changes nothing. Errors are ErrCredentials, index.ErrUnavailable, or what
// Elasticsearch answered; they show no address.
func (s *Store) Facts(ctx context.Context) (f Facts, err error) {
	for _, ask := range []func(context.Context, *Facts) error{s.askVersion, s.askHealth, s.askPrivileges, s.askBlocks, s.askDisks} {
		if err = ask(ctx, &f); err != nil {
			break
		}
	}
	var answer *answerError
	if errors.As(err, &answer) && answer.status == http.StatusUnauthorized {
		return f, ErrCredentials
	}
	return f, err
}

// askInto reads the answer to a question into v.
func (s *Store) askInto(ctx context.Context, v any, path string, query url.Values) error {
	answer, err := s.c.read(ctx, http.MethodGet, path, query, nil)
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, v)
}

// askVersion asks the node that answers. Not by GET /, which is a module of its own in Elasticsearch, and may be missing.
func (s *Store) askVersion(ctx context.Context, f *Facts) error {
	var local struct {
		Nodes map[string]struct{ Version string }
	}
	err := s.askInto(ctx, &local, "/_nodes/_local/_none", url.Values{"filter_path": {"nodes.*.version"}})
	for _, node := range local.Nodes {
		f.Version = node.Version
	}
	return err
}

func (s *Store) askHealth(ctx context.Context, f *Facts) error {
	var health struct {
		Status    string
		DataNodes int `json:"number_of_data_nodes"`
	}
	err := s.askInto(ctx, &health, "/_cluster/health", url.Values{"filter_path": {"status,number_of_data_nodes"}})
	f.Status, f.DataNodes = health.Status, health.DataNodes
	return err
}

// askPrivileges finds out whether a load could do its work. Without security there is nobody to ask, and nothing to lack.
func (s *Store) askPrivileges(ctx context.Context, f *Facts) error {
	names := []string{s.alias, s.alias + "-*"}
	body, err := json.Marshal(map[string]any{
		"cluster": []string{"monitor"},
		"index":   []any{map[string]any{"names": names, "privileges": []string{"manage", "read", "write"}}},
	})
	if err != nil {
		return err
	}
	answer, err := s.c.read(ctx, http.MethodPost, "/_security/user/_has_privileges", nil, body)
	var refused *answerError
	if errors.As(err, &refused) && strings.HasPrefix(refused.reason, "no handler found") {
		return nil
	}
	if err != nil {
		return err
	}
	var has struct {
		Cluster map[string]bool
		Index   map[string]map[string]bool
	}
	if err := json.Unmarshal(answer, &has); err != nil {
		return fmt.Errorf("reading the privileges: %w", err)
	}
	for _, privilege := range slices.Sorted(maps.Keys(has.Cluster)) {
		if !has.Cluster[privilege] {
			f.Lacks = append(f.Lacks, privilege+" on the cluster")
		}
	}
	for _, name := range names {
		for _, privilege := range slices.Sorted(maps.Keys(has.Index[name])) {
			if !has.Index[name][privilege] {
				f.Lacks = append(f.Lacks, privilege+" on "+name)
			}
		}
	}
	return nil
}

func (s *Store) askBlocks(ctx context.Context, f *Facts) error {
	query := url.Values{"flat_settings": {"true"}, "expand_wildcards": {"all"}}
	var indices map[string]struct{ Settings map[string]string }
	err := s.askInto(ctx, &indices, "/"+s.alias+"-*/_settings/index.blocks.read_only_allow_delete", query)
	for _, name := range slices.Sorted(maps.Keys(indices)) {
		if indices[name].Settings["index.blocks.read_only_allow_delete"] == "true" {
			f.Blocked = append(f.Blocked, name)
		}
	}
	return err
}

func (s *Store) askDisks(ctx context.Context, f *Facts) error {
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
	err := s.askInto(ctx, &stats, "/_nodes/stats/fs", url.Values{"filter_path": {"nodes.*.name,nodes.*.roles,nodes.*.fs.total"}})
	var refused *answerError
	if errors.As(err, &refused) && refused.status == http.StatusForbidden {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(stats.Nodes)) {
		node := stats.Nodes[id]
		holdsData := func(role string) bool { return strings.HasPrefix(role, "data") }
		if slices.ContainsFunc(node.Roles, holdsData) && node.FS.Total.Total > 0 {
			f.Disks = append(f.Disks, Disk{node.Name, node.FS.Total.Total, node.FS.Total.Available})
		}
	}
	return err
}
