// Package web holds the pages for people that the service shows, as they are sent: no templates, no build step. They load
// nothing from anywhere else, and keep script and style in files of their own, since the service's Content-Security-Policy
// forbids everything else.
//
// # The explorer
//
// The folder explore is a page of JavaScript modules around explore.js, which says who asks for what and when. Filings are
// untrusted text: they reach the page as text nodes only (dom.js). The key is in one private field (api.js). What the
// service describes of itself in its OpenAPI document, filters and fields, is not written down there again.
//
// Two of its folders come from elsewhere, unchanged, with their licences beside them: leaflet is the package leaflet 1.9.4
// of npm, without its images; outline is of the package us-atlas 3.0.1, made from files of the U.S. Census Bureau, which
// are in the public domain.
package web

import "embed"

// Files are the pages and what they load.
//
//go:embed *.html *.css *.js explore
var Files embed.FS
