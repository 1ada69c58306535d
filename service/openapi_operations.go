package service

import (
	"strings"

	"filings/index"
	"filings/service/access"
	"filings/service/openapi"
)

// Groups of operations.
const (
	tagFilings  = "filings"
	tagFigures  = "statistics"
	tagCounties = "counties"
	tagAccount  = "account"
	tagDocument = "document"
)

// shape is what an answer of 200 has beside data (rule E1), and which other answers there are.
type shape uint8

const (
	withSuccess shape = 1 << iota
	withPagination
	withMeta
	withTag // an ETag, and so 304
	mayMiss // what is asked for may not exist: 404
)

// operation says of an endpoint what its code does not.
type operation struct {
	path    string // of surface
	id      string
	tag     string
	summary string
	text    string
	answer  string // name of the schema of its answers
	shape   shape
	data    any // a value of the type that data has; index.Record stands for a filing
	geoJSON any // a value of the type of the whole answer in GeoJSON; nil: there is none
}

// operations is the table of operations, in the order of the document. Each path of surface has a row.
func operations() []operation {
	return []operation{
		{"/v1/filings", "listFilings", tagFilings, "List and filter filings",
			"A page of the filings that all given filters select, newest recording date first, then by id, descending. " +
				"`total` is exact, and any offset works.",
			"FilingList", withPagination | withMeta | withTag, []index.Record{}, nil},
		{"/v1/filings/search", "searchFilings", tagFilings, "Search filings",
			"A page of the filings that contain a term, in one of five sorts, narrowed by the filters of the list. Ties are in the list's " +
				"order; filings without the value come last in both directions.",
			"FilingSearch", withSuccess | withPagination | withMeta | withTag, []index.Record{}, nil},
		{"/v1/filings/clusters", "clusterFilings", tagFilings, "Filings of a map, added up by cells",
			"What a page of 100 cannot show: the filings in a box that the filters of the list select, added up by cells of 64 pixels of the " +
				"client's map, or larger ones where the box would touch more than 1,024. The counts add up to the total that the list has for " +
				"the same filters and box. With `Accept: application/geo+json` it is a FeatureCollection.",
			"ClustersAnswer", withSuccess | withMeta | withTag, clusters{}, featureCollection{}},
		{"/v1/filings/:id", "getFiling", tagFilings, "Get one filing", "The filing with this id.",
			"FilingAnswer", withSuccess | withMeta | withTag | mayMiss, index.Record{}, nil},
		{"/v1/stats", "getStatistics", tagFigures, "Figures over all filings",
			"They cover all filings, whatever the tier. Not under a tag, since what is new moves with the clock.",
			"FiguresAnswer", 0, figures{}, nil},
		{"/v1/stats/counties", "listCountyStatistics", tagFigures, "Figures by county",
			"One object for each county, sorted by state, then county. A state without filings is an empty list.",
			"CountyFiguresAnswer", withTag, []countyFigures{}, nil},
		{"/v1/counties", "listCounties", tagCounties, "Counties that have filings", "As in `Orange, FL`, sorted alphabetically.",
			"CountiesAnswer", withTag, []string{}, nil},
		{"/v1/counties/:county/months", "listCountyMonths", tagCounties, "Months of a county",
			"The months, as YYYY-MM, in which the county has at least one filing, in order.",
			"MonthsAnswer", withTag | mayMiss, []string{}, nil},
		{"/v1/counties/:county/date-ranges", "listCountyDateRanges", tagCounties, "Recording date ranges of a county",
			"As `YYYY-MM-DD to YYYY-MM-DD`, sorted by start, then end.",
			"DateRangesAnswer", withTag | mayMiss, []string{}, nil},
		{"/v1/me", "getIdentity", tagAccount, "Who the key belongs to", "User and tier of the account.",
			"IdentityAnswer", withSuccess | withMeta, identity{}, nil},
	}
}

// paths returns what can be done with each path: those of surface, then the legacy ones, then the document itself.
func (b *describer) paths() (paths openapi.Named[openapi.PathItem]) {
	var legacy openapi.Named[openapi.PathItem]
	taken := map[string]endpoint{}
	for _, e := range surface() {
		taken[e.path] = e
	}
	for _, o := range operations() {
		e := taken[o.path]
		b.components.Schemas.Add(o.answer, b.answerSchema(o))
		paths.Add(template(e.path), openapi.PathItem{Get: b.operation(o, e, false)})
		if e.legacy != "" {
			legacy.Add(template(e.legacy), openapi.PathItem{Get: b.operation(o, e, true)})
		}
	}
	paths = append(paths, legacy...)
	paths.Add(documentPath, openapi.PathItem{Get: documentOperation()})
	return paths
}

// operation describes an endpoint under its current or its legacy path.
func (b *describer) operation(o operation, e endpoint, legacy bool) *openapi.Operation {
	op := &openapi.Operation{
		ID: o.id, Tags: []string{o.tag}, Summary: o.summary, Description: o.text,
		Parameters: append(pathParameters(e.path), b.table.describe(e.takes)...),
	}
	op.Parameters = append(op.Parameters, openapi.Parameter{Ref: parameterRef + headerPrefer})
	found := []string{headerIgnored, headerApplied}
	if o.shape&withTag != 0 {
		op.Parameters = append(op.Parameters, openapi.Parameter{Ref: parameterRef + headerIfNoneMatch})
		found = append(found, headerETag)
	}
	if legacy {
		op.ID, op.Deprecated = "legacy"+strings.ToUpper(o.id[:1])+o.id[1:], true
		op.Description = "Answers what `" + template(e.path) + "` answers, and says so in the headers `Deprecation` and `Link`."
		found = append(found, headerDeprecated, headerLink)
	}
	found = append(append([]string{}, always...), found...)
	op.Responses.Add("200", openapi.Response{
		Description: "What was asked for.",
		Headers:     headerRefs(found...),
		Content:     json200(openapi.To(o.answer), b.examples(o)),
	})
	if o.geoJSON != nil {
		op.Responses[0].Value.Content.Add(geoJSON, openapi.MediaType{Schema: b.schemaOf(o.geoJSON)})
	}
	if o.shape&withTag != 0 {
		op.Responses.Add("304", openapi.Response{Description: "What `If-None-Match` names still holds. No body.", Headers: headerRefs(found...)})
	}
	for _, r := range errorsOf(o.shape&mayMiss != 0) {
		op.Responses.Add(r.status, openapi.Response{Ref: "#/components/responses/" + r.name})
	}
	return op
}

func json200(s *openapi.Schema, examples openapi.Named[openapi.Example]) openapi.Named[openapi.MediaType] {
	return openapi.Named[openapi.MediaType]{{Name: "application/json", Value: openapi.MediaType{Schema: s, Examples: examples}}}
}

// answerSchema is the schema of all answers of o that are 200.
func (b *describer) answerSchema(o operation) *openapi.Schema {
	var members openapi.Named[*openapi.Schema]
	if o.shape&withSuccess != 0 {
		members.Add("success", openapi.Of(openapi.Boolean, "").Described("true."))
	}
	members.Add("data", b.schemaOf(o.data))
	if o.shape&withPagination != 0 {
		members.Add("pagination", openapi.To("Pagination"))
	}
	if o.shape&withMeta != 0 {
		members.Add("meta", openapi.To("Meta"))
	}
	return openapi.Required(members)
}

// examples are answers with a filing as each tier sees it, written by the code that answers.
func (b *describer) examples(o operation) (examples openapi.Named[openapi.Example]) {
	_, one := o.data.(index.Record)
	_, list := o.data.([]index.Record)
	if !one && !list {
		return nil
	}
	for _, t := range []access.Tier{access.Free, access.Pro, access.Enterprise} {
		k := &call{id: exampleRequestID, known: true, admission: access.Admission{Tier: t, Remaining: 998}}
		body := []byte(`{`)
		if o.shape&withSuccess != 0 {
			body = append(body, `"success":true,`...)
		}
		body = append(body, `"data":`...)
		rows := []index.Record{index.AppendRecord(nil, exampleFiling())}
		if one {
			body = rows[0].AppendFor(body, recordTier(t))
		} else {
			body = appendPagination(appendRecords(body, rows, recordTier(t)), page{rows: rows, total: 1, limit: defaultLimit})
		}
		examples.Add(string(t), openapi.Example{Summary: "As the tier " + string(t) + " sees it", Value: raw(append(k.appendMeta(body), '}'))})
	}
	return examples
}

// template writes a pattern of Fiber's as OpenAPI does: :id is {id}.
func template(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if name, ok := strings.CutPrefix(part, ":"); ok {
			parts[i] = "{" + name + "}"
		}
	}
	return strings.Join(parts, "/")
}
