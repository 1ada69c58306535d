// Package service owns the HTTP API: the table of endpoints and their handlers, the responder, the table of errors, what a
// tier sees of a filing, and the operations listener. It refuses to know how filings are stored (package index) and how
// keys and quotas are kept (package access), and it opens no sockets: certificates, addresses and the life of the process
// belong to the program.
//
// # The way of a request
//
// One chain of middleware, in this order, for these reasons:
//
//  1. observe gives the request its id and its time limit, and is the only one that ends a request: errors and panics
//     from everything below come to it. It writes the error, counts and writes the one record of the log.
//  2. framed refuses what a proxy in front may have read in another way, and hangs up.
//  3. preflight answers a browser's CORS preflight, which carries no key. The OpenAPI document and the pages for people
//     need none either: they come next (file.go).
//  4. admit calls the key store once: key, burst and quota. It stands before the routes, so that without a key nobody
//     learns which paths there are, and sets the quota's headers before anything can fail, so that 400, 404, 405 and
//     500 carry them too.
//  5. wellFormed refuses what is no URL; then the router: one of the endpoints, else 404, or 405 with Allow. HEAD is
//     handled as GET without its body, and counts like it.
//  6. serve (respond.go) parses the parameters (package params), calls the endpoint's handler, and responds.
//
// The access log has id, method, route (the pattern), status, ms, bytes, user, tier, code, and, for a 5xx, the error.
// Paths, queries and addresses are left out: names of people are in them.
//
// The time limit covers all of it. A tenth of it, half a second at most, is kept for refunding the quota of a request that
// failed: it mostly fails because the rest was used up.
//
// # Endpoints and responses
//
// An endpoint is one row (endpoints.go) and one handler, a function from a Reader and a params.Request to a Result. Routes,
// the OpenAPI document and the documents' table range over the rows.
//
// The responder owns everything else. A request has one Reader, so one generation; the generation's name, the canonical
// text of the request and the tier make the tag, which is compared before the handler is called. Tags are weak, since meta
// differs from response to response. If the generation is gone meanwhile, the request is handled once more. Records are
// bytes from the engine to the client; a tier's part of a record is a prefix of it (index.Record), so there is nothing to
// decode and no list of fields to get wrong. Clusters of a map have two forms, chosen by Accept: the envelope, and GeoJSON
// without it; each has a tag of its own. A body is compressed in the same way for GET and for HEAD.
//
// # Errors
//
// An error is of a kind, and one table (errors.go) maps each kind to status, code and message. Only a refusal made here
// carries a message of its own to the client; every other error is exposed by its kind, and logged. While an engine does
// not respond, requests are refused at once (packages serving and breaker); Redis has the same in front of it. There is no
// Retry-After on a 500: the specification keeps it for 429. A body that comes with a GET means nothing: up to 4 KiB it is
// read and left alone, since some clients send an empty object; beyond that the request is refused.
//
// # Pages
//
// Two pages for people need no key and count nothing (pages.go): /docs, the OpenAPI document to read and to try, and
// /explore, filings on a map. Both call the API as any client does, with the key of who reads them.
//
// # Accounts
//
// On the operations listener, and only with a token in Config, /accounts offers the key store's operations to the program
// that signs users in (accounts.go). Errors come in the API's envelope, with a table of their own (accounts_call.go): what
// calls here is a program, so it gets 409, 415 and 503, which the API does not have. Bodies are read strictly: one object,
// known names, each once. Creating and rotating are not made repeatable, because that would take keeping a key: a client
// that got no response rotates. Setting a tier and revoking can be repeated.
package service
