// Package access owns keys, accounts, tiers and quotas: who may ask, and how often. It knows nothing of filings or
// HTTP, and decides nothing about what a tier may see.
//
// # Design
//
// A Store admits requests. Redis carries production, one server for any number of service processes; Embedded keeps the
// same promises in a SQLite file, for a laptop. One suite runs over both, and a model of a few lines of Go checks both
// at random.
//
// # Keys and accounts
//
// A user has one account, an account has at most one active key. The key itself is never stored: only its SHA-256, the
// first eight characters and a name. Rotating and revoking take the hash away, so the old key is unknown from the next
// request on; there is no cache between a request and the store. Usage belongs to the account and outlives its keys.
//
// A key is found by its hash, as an index finds a row; no secret is ever compared with another byte by byte. How long that
// takes tells at most of a hash, from which no key can be made.
//
// A text that has not the form of a key is unknown without asking the store. That it is answered faster tells nobody
// anything: the form is public.
//
// # Counting
//
// A tier has a quota and a burst. The free tier counts requests in the account's lifetime counter, all other tiers in
// one counter of the UTC day, so a change of tier keeps what was used. An Admission names the counter that it was
// charged to, and Refund gives back to that one, even after midnight or a change of tier.
//
// The burst is GCRA in its form of a leaky bucket (bucket.go): as many requests as the burst at once, refilled evenly,
// in whole numbers without rounding. A request is measured against the quota first, so a caller who has used it up is
// told so, then against the burst. A refused request changes nothing.
//
// # Redis
//
// All names begin with a prefix, "filings:" if none is set:
//
//	key:<hash>             the user, of an active key
//	account:<user>         tier, name, prefix, created, hash (of the active key), level and at (of the burst)
//	usage:<user>:lifetime  requests counted for life
//	usage:<user>:<day>     requests counted on that day, in days since 1970-01-01; expires after two days
//	accounts               a sorted set of all users, for lists in order
//
// Every method is one Lua script, and Redis runs one script at a time: between looking at a counter and adding to it
// nothing else happens, whoever asks. That is why not one request over a quota is admitted, by any number of processes.
// The scripts read Redis's own clock, so the processes' clocks do not matter. A script is sent by its digest; only a
// Redis that does not know it (the first time, after a restart) is sent the text, in a second round trip.
//
// Nothing is ever sent twice: an answer that did not come may have been counted, and counting it again would be wrong.
// When Redis does not answer nobody is let in; at worst the customer loses the one request whose answer was lost, never
// gains one. What survives a crash of Redis is up to its persistence (appendonly).
//
// While Redis does not answer, a breaker (package breaker) refuses at once instead of letting every request wait for its
// time to end. An account that holds something else than this package writes is refused alone.
//
// Redis Cluster is not supported. Admission begins with nothing but the hash of a key and must reach the account and its
// counters in the same script, while a cluster wants the names of all of them to share a hash tag. As an account changes
// its keys, that would have to be one tag for everything: one node would carry it all, as one Redis does.
//
// # SQLite
//
// The embedded store is one file in WAL mode. Whatever writes begins with BEGIN IMMEDIATE: it holds the only write lock
// of the file, also against other processes, before it looks at a counter. Commits are not synced one by one: they
// survive the end of a process, but a power failure may lose the last of them.
package access
