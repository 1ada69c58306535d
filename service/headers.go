package service

import (
	"bytes"

	"github.com/gofiber/fiber/v2"

	"filings/service/edge"
)

const (
	headerKey        = "X-API-Key"
	headerLimit      = "X-RateLimit-Limit"
	headerRemaining  = "X-RateLimit-Remaining"
	headerReset      = "X-RateLimit-Reset"
	headerPolicies   = "RateLimit-Policy"
	headerLimits     = "RateLimit"
	headerRequestID  = edge.HeaderRequestID
	headerIgnored    = "X-Ignored-Parameters"
	headerPrefer     = "Prefer"
	headerApplied    = "Preference-Applied"
	headerDeprecated = "Deprecation"
	headerTotal      = "X-Total-Count"
	headerPrice      = "X-Export-Price"
	headerTiming     = "Server-Timing"
	headerGeneration = "X-Generation"
)

// newCORS lets scripts of origins use the API, and read all headers that it sends (rule K7).
func newCORS(c Config) edge.CORS {
	cors := edge.CORS{
		Origins: c.CORSOrigins,
		Methods: "GET, HEAD",
		// many send it with a GET
		Headers: headerKey + ", Authorization, If-None-Match, " + headerPrefer + ", Content-Type",
		Exposed: headerLimit + ", " + headerRemaining + ", " + headerReset + ", " + headerPolicies + ", " +
			headerLimits + ", Retry-After, " + headerRequestID + ", " +
			headerIgnored + ", " + headerApplied + ", ETag, " + headerDeprecated + ", Link, " + headerGeneration +
			", " + headerTotal + ", " + headerPrice + ", " + headerTiming + ", Content-Disposition",
	}
	if c.MCP {
		cors.Methods += ", POST"
		cors.Headers += ", Mcp-Protocol-Version, Mcp-Method, Mcp-Name"
	}
	return cors
}

// headerLines returns all lines of a header of the request, joined as one (RFC 9110, section 5.3).
func headerLines(c *fiber.Ctx, name string) string {
	return string(bytes.Join(c.Request().Header.PeekAll(name), []byte(",")))
}
