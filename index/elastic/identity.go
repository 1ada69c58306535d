package elastic

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
	"filings/index/generation"
	"filings/index/sidecar"
)

// searchLimits are the settings of an index that searches run into, and their defaults, which is
// enough for ours.
var searchLimits = map[string]int{
	"index.max_result_window": 10_000, "index.max_terms_count": 65_536, "index.max_docvalue_fields_search": 100,
	"index.max_regex_length": 1_000, // of prefixes too, which short terms are
}

// shardsSetting is the setting that says how many shards an index has, for ever.
const shardsSetting = "index.number_of_shards"

// readBlock is the setting that forbids searches.
const readBlock = "index.blocks.read"

// sidecarFact is the one fact of the sidecar, which is one shard.
const sidecarFact = "sidecar"

// Identity implements generation.Storage. It reads the identity of a sealed generation: of each
// shard how many documents it has and the highest sequence number of its writes, which no deletion
// leaves as it was; that number of the sidecar, or that there is none; and the settings that
// searches depend on. Facts that a primary cannot say at the moment are left out.
//
// How many deleted documents a shard still has is no part of it. Merging drops them at times of its
// own: of an update's, a flush after the sealing left 8 of 26, and a replica had 343 where its
// primary had 37 (Elasticsearch 8.19, three nodes).
func (s *storage) Identity(ctx context.Context, name string) (_ generation.Identity, err error) {
	defer index.Wrap(&err, "reading what "+name+" is")
	identity := generation.Identity{}
	if err := s.shardIdentity(ctx, name, identity); err != nil {
		return nil, err
	}
	return identity, s.settingsIdentity(ctx, name, identity)
}

func (s *storage) shardIdentity(ctx context.Context, name string, identity generation.Identity) error {
	type stats struct {
		Routing struct {
			State   string
			Primary bool
		}
		Docs  struct{ Count int64 }
		SeqNo struct {
			Max int64 `json:"max_seq_no"`
		} `json:"seq_no"`
	}
	var found struct {
		Indices map[string]struct{ Shards map[string][]stats }
	}
	err := s.c.Read(ctx, &found, esapi.IndicesStatsRequest{
		Index: withSidecar(name), ExpandWildcards: "all", Metric: []string{"docs"}, Level: "shards",
		FilterPath: []string{
			"indices.*.shards.*.routing", "indices.*.shards.*.docs.count", "indices.*.shards.*.seq_no.max_seq_no",
		},
	})
	primary := func(copies []stats) *stats {
		i := slices.IndexFunc(copies, func(c stats) bool {
			return c.Routing.Primary && (c.Routing.State == "STARTED" || c.Routing.State == "RELOCATING")
		})
		if i < 0 {
			return nil
		}
		return &copies[i]
	}
	for number, copies := range found.Indices[name].Shards {
		if c := primary(copies); c != nil {
			identity["shard "+number] = fmt.Sprintf("%d documents, highest sequence number %d", c.Docs.Count, c.SeqNo.Max)
		}
	}
	if c := primary(found.Indices[document.SidecarIndex(name, sidecar.Kept)].Shards["0"]); c != nil {
		identity[sidecarFact] = fmt.Sprintf("highest sequence number %d", c.SeqNo.Max)
	}
	return err
}

// withSidecar selects the index of a generation, which must exist, and its sidecar, which may not.
func withSidecar(generation string) []string {
	return []string{generation, document.SidecarIndex(generation, sidecar.Kept) + "*"}
}

func (s *storage) settingsIdentity(ctx context.Context, name string, identity generation.Identity) error {
	names := slices.AppendSeq([]string{readBlock, shardsSetting}, maps.Keys(searchLimits))
	var found map[string]struct{ Settings map[string]string }
	err := s.c.Read(ctx, &found, esapi.IndicesGetSettingsRequest{
		Index: withSidecar(name), ExpandWildcards: "all", Name: names, FlatSettings: new(true),
	})
	if err != nil {
		return err
	}
	if _, ok := found[name]; !ok { // every index has the setting of its shards
		return client.ErrResponse
	}
	if _, ok := found[document.SidecarIndex(name, sidecar.Kept)]; !ok {
		identity[sidecarFact] = "no index"
	}
	set := found[name].Settings
	identity[shardsSetting] = set[shardsSetting]
	identity[readBlock] = strconv.FormatBool(set[readBlock] == "true")
	for setting, enough := range searchLimits {
		if n, err := strconv.Atoi(set[setting]); err == nil && n < enough {
			enough = n
		}
		identity[setting] = strconv.Itoa(enough) // a higher limit takes nothing away
	}
	return nil
}
