// Package elastic is the Elasticsearch engine: an index.Store whose generations are indices behind an alias. It owns
// every request that is sent to Elasticsearch. It knows nothing of HTTP handlers, load files or tiers, and it
// neither starts nor configures a cluster.
//
// # Design: reading
//
// A reader (reader.go) is pinned to one index. Filters become query bodies from values (query.go), any offset is
// found by counting codes (seek.go, codes.go), and `_source` is handed through as it came (scan.go). Map tiles are
// ranges of the two coordinates (cells.go). client.go is the one way out: an answer that is not whole is an error
// there, never a smaller result.
//
// There are two roads from there. Loads go by net/http, which hears at once when its caller gives up, in requests of
// megabytes and minutes. Queries go by fasthttp (queries.go): with net/http, two goroutines of each connection wake each
// other up for every answer, which took two thirds of the CPU of a query. What it lacks, it does not need
// here: a query always has a deadline, at which its connection is closed and Elasticsearch ends the search.
//
// # Design: generations
//
// With FILINGS_INDEX=filings, a generation is the index that index.GenerationName names. The alias `filings` points
// at the live one. A generation counts as sealed if its `_meta` says so and names the generation itself (meta.go): a
// clone inherits its source's `_meta`, and must not inherit being sealed. That `_meta` is the last thing that Seal
// writes, so a load that is killed leaves a generation that is either unsealed, for the next load to delete, or
// whole.
//
// Live asks once a second which index the alias points at, and queries go to that index and never to the alias, so
// that nothing mixes two generations (live.go).
//
// # Design: every change is one cluster state update
//
// The actions of an `_aliases` request are applied together or not at all, by the elected master. Two things make a
// compare-and-swap of it (aliases.go):
//
//   - `remove` with must_exist fails the whole request if the alias is not where the caller last saw it;
//   - the alias is always added as the write index, of which an alias can have one. A second `add` without a
//     `remove` is refused, so not even two first loads can put two indices behind the alias. (Nothing is ever
//     written through it: sealed indices are write-blocked.)
//
// The lock is an alias too, on the small hidden index `filings-state` (lock.go). Its name holds a random token, and
// there is always exactly one: `filings-lock-free`, or the one of the holder. Taking the lock moves it; promoting
// and deleting carry "my token's alias must exist" in the same request as the change. A load that was suspended,
// lost its lock and wakes up again therefore cannot promote or delete, however late its request arrives. Deleting
// also demands that the live generation still is the one that was seen, so that a rollback at the same moment cannot
// have its target deleted. Only before anything is live is there no such condition to demand.
//
// Who holds the lock, and how far that load is, stands in a document of that index. It is written through the
// token's alias (require_alias) and with if_seq_no, so a holder that lost the lock cannot overwrite its successor's.
//
// Whether a lock has expired is judged by the clocks of two machines: the holder writes its time when it renews, the
// next load compares with its own. Clocks may differ by LockTTL minus the pause between renewals, 22 seconds. If
// they differ more, a load may lose its lock while it still runs. It then fails with index.ErrLockLost; the fencing
// above keeps the data right. A time that lies LockTTL or more in the future counts as expired, so that one wrong
// clock cannot lock loads out for ever.
//
// An answer that does not arrive leaves open whether the change was made. Such requests are sent again, and a
// refusal of the repetition is compared with the state that was wanted (commit in aliases.go).
//
// # Design: loading
//
// The bulk writer (bulk.go) is our own. go-elasticsearch's BulkIndexer drops the items of a request that failed, and
// still closes without an error; and it does not repeat items that were refused. Ours accounts for each filing by
// its own item of an answer (batch.go). It repeats refused items and whole requests until two minutes after the
// first failure, and then fails the load. Its memory is a fixed number of batches: while all are under way, Put
// waits.
//
// Each action carries an explicit `_id`, so a repetition cannot double a filing, and a version (external_gte) that
// counts the actions of the build, going on from those of the generation that was copied. So Elasticsearch keeps the
// last action of an id whatever order requests arrive in: writers need not keep the order, and a request that was
// given up and is carried out after all changes nothing. A version conflict means that a later action of the same id
// was already applied, and counts as done.
//
// Actions are sent through an alias that only the generation being built has, with require_alias: if the generation
// was deleted meanwhile, Elasticsearch would otherwise create an index of that name, with guessed mappings.
// The alias stays when the generation is sealed; writes are blocked then.
package elastic
