// Package service owns the HTTP API: routes, the table of query parameters, the envelope, errors, headers, what a tier
// sees of a filing, and the operations listener. It refuses to know how filings are stored (package index), how keys and
// quotas are kept (package access), how accounts are managed over HTTP (package accounts) and what is on the pages for
// people (package pages), and it opens no sockets: certificates, addresses and the life of the process
// belong to the program.
//
// # The way of a request
//
// One chain of middleware, in this order, for these reasons:
//
//  1. observe gives the request its id and its time limit, and is the only one that ends a request: errors and panics
//     from everything below come to it. It writes the error, compresses, counts and writes the one record of the log.
//  2. edge.Framed refuses what a proxy in front may have read in another way, and closes the connection.
//  3. preflight answers a browser's CORS preflight, which carries no key. The OpenAPI document and the pages for people
//     need none either: they are sent next (file.go).
//  4. admit calls the key store once: key, burst and quota. It stands before the routes, so that without a key no
//     client learns which paths there are, and sets the quota's headers before anything can fail, so that 400, 404, 405 and
//     500 carry them too.
//  5. wellFormed refuses what is no URL; then the router: one of the endpoints (surface), else 404, or 405 with Allow.
//     HEAD is answered as GET without its body, and counts like it.
//  6. The endpoint reads the query string by the table of parameters and answers.
//
// The access log has id, method, route (the pattern), status, ms, bytes, user, tier, code, and, for a 5xx, the error.
// Paths, queries and addresses are left out: names of people are in them.
//
// The time limit covers all of it. A tenth of it, half a second at most, is kept for the refund of a request that failed:
// it mostly fails because the rest was used up.
//
// # Parameters
//
// Each parameter is a row of one table (params.go): names, kind of value, limits, what it does to the query, help and
// example. Splitting the query string (given.go), reading values (value.go), putting the query together (question.go)
// and the messages (mistake.go) range over it; no endpoint knows a parameter. The query string is read as net/url reads
// it, but what does not decode is an error instead of being left out. Fiber's own functions are not used for it: they
// drop repeated names.
//
// # Answers
//
// Whatever comes from filings is answered through send (answer.go): one Reader, so one generation, a request; its name,
// the canonical query and the tier make the tag, which is compared before anything is asked. A generation that is gone
// meanwhile is asked for again once. Records are bytes from the engine to the client; a tier's part of a record is a
// prefix of it (index.Record), so there is nothing to decode and no list of fields to get wrong.
//
// Clusters of a map are the one answer that has two forms, chosen by Accept: the envelope, and GeoJSON without it. Each
// form has a tag of its own.
//
// Tags are weak, since meta differs from answer to answer. A body is always compressed in the same way whether it was
// asked for with GET or HEAD.
//
// # The OpenAPI document
//
// It is made once, in New, from the tables that the API runs on (openapi.go): surface, parameters, fields, kinds of errors,
// and the structs of answers, whose tag help describes a field. What these do not know, such as a summary, is in the table
// of operations: an endpoint without a row there fails the tests. Its examples are written by the code that answers.
//
// # Errors
//
// An error is of a kind, and one table (errors.go) gives each kind its status and code:
//
//	400  invalid_parameter        a parameter, or a request that is not well-formed
//	401  invalid_api_key          flat body
//	404  not_found                a path, a filing, a county
//	405  method_not_allowed
//	408, 413, 431  invalid_parameter  requests that arrive too slowly, with a large body, with 16 KiB of headers
//	429  rate_limit_exceeded, lifetime_limit_exceeded  flat body
//	500  service_unavailable      engine or key store do not answer, or not in time
//	500  internal_error           everything else
//
// While an engine does not answer, requests are refused at once (package breaker); Redis has the same in front
// of it. There is no Retry-After on a 500: the specification keeps it for 429.
//
// Only a refusal made here carries its own words to the client; every other error is told by its kind and logged.
//
// A body that comes with a GET means nothing. Up to 4 KiB it is read and left alone, since some clients send an empty
// object; beyond that the request is refused.
package service
