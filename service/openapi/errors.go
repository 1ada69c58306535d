package openapi

import (
	"fmt"
	"slices"
)

// errorResponses are the names of the responses to errors, by status. An error that does not depend
// on the operation (another method, a request that is too large or too slow) is described once, as
// the response to all other statuses.
var errorResponses = map[string]string{
	"400": "BadRequest", "401": "Unauthorized", "403": "Forbidden", "404": "NotFound", "410": "Gone",
	"429": "TooManyRequests", "500": "Failure", "default": "Refused",
}

// addErrors adds each error to the table of the introduction, to the response that has its status,
// with an example, and to the codes that its form of a body may have.
func (b *builder) addErrors() {
	enveloped := b.schemas["ErrorDetail"].Value.Properties["code"].Value
	flat := b.schemas["FlatError"].Value.Properties["error"].Value
	for _, e := range b.Errors {
		b.document.Info.Description += fmt.Sprintf("| %d | `%s` | %s |\n", e.Status, e.Code, e.Message)
		name, known := errorResponses[fmt.Sprint(e.Status)]
		if !known {
			name = errorResponses["default"]
		}
		response := b.document.Components.Responses[name].Value
		*response.Description += fmt.Sprintf("- %d `%s`: %s\n", e.Status, e.Code, e.Message)
		media := response.Content["application/json"]
		name = fmt.Sprintf("%s_%d", e.Code, len(media.Examples)+1)
		media.WithExample(name, e.Body).Examples[name].Value.Summary = e.Message
		code := enveloped
		if e.Flat {
			code = flat
		}
		if !slices.Contains(code.Enum, any(e.Code)) {
			code.Enum = append(code.Enum, e.Code)
		}
	}
}
