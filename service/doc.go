// Package service owns the HTTP API: the table of endpoints and their handlers, the responder, the table of errors, what a
// tier sees of a filing, and the operations listener. It refuses to know how filings are stored (package index), how keys
// and quotas are kept (package access), how accounts are managed over HTTP (package accounts) and what is on the pages for
// people (package pages), and it opens no sockets: certificates, addresses and the life of the process
// belong to the program.
//
// # The way of a request
//
// One chain of middleware, in this order, for these reasons:
//
//  1. observe gives the request its id and its time limit, and is the only one that ends a request: errors and panics
//     from everything below come to it. It writes the error, counts and writes the one record of the log.
//  2. edge.Framed refuses what a proxy in front may have read in another way, and closes the connection.
//  3. preflight answers a browser's CORS preflight, which carries no key. The OpenAPI document and the pages for people
//     need none either: they are sent next (file.go).
//  4. admit calls the key store once: key, burst and quota. It stands before the routes, so that without a key no
//     client learns which paths there are, and sets the quota's headers before anything can fail, so that 400, 404, 405 and
//     500 carry them too.
//  5. wellFormed refuses what is no URL; then the router: one of the endpoints, else 404, or 405 with Allow. HEAD is
//     handled as GET without its body, and counts like it.
//  6. serve (respond.go) parses the parameters (package params), calls the endpoint's handler, and responds.
//
// The access log has id, method, route (the pattern), status, ms, bytes, user, tier, code, and, for a 5xx, the error.
// Paths, queries and addresses are left out: names of people are in them.
//
// The time limit covers all of it. A tenth of it, half a second at most, is kept for the refund of a request that failed:
// it mostly fails because the rest was used up.
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
package service
