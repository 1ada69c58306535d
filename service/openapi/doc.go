// Package openapi is how a document of OpenAPI 3.1 is written down: its objects as Go types, with the fields that this
// service uses and no others. It knows nothing of the API that it describes; package service fills it from its tables.
//
// Objects whose members are free names (paths, properties, responses) are Named: they keep the order in which they were
// put together, so that a reader meets things in the order of the tables, and the same tables give the same bytes.
package openapi
