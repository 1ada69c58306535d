// Package synthetic generates filings: plausible, invented from short lists of generic words, and the same for ever for the
// same seed. `filings generate`, `filings demo` and tests use it.
//
// # Design
//
// The filings are skewed as real ones are, so that every filter and every sort has something to find: one
// county holds most of them, some days very many; amounts have a long tail, some are 0, negative or missing; owners
// come back; trusts, estates and companies use every word that tells them apart; points cluster around towns, some of
// them near the antimeridian. Every field of every tier is filled in many filings and missing in some.
//
// Names of states and counties are real, and a county's towns lie near it. Everything else is invented: people,
// companies, towns and streets are words put together, phone numbers are 555-01xx, e-mails are at example.com and
// example.org.
//
// The generator draws integers only, from rand.PCG, whose stream is fixed, and never computes with floating-point
// numbers but to divide an integer at the end. So no compiler, processor or Go release changes a byte.
package synthetic
