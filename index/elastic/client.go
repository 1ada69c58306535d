package elastic

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
)

// client is the one way to Elasticsearch. Whatever is not a whole and successful answer comes out of it as an error.
type client struct {
	es      esapi.Transport // for requests that change something, and may take minutes
	queries esapi.Transport // for those that only ask
}

// do sends a request that changes something, or that is sent once whatever becomes of it, and returns the body of its
// answer. A status of 400 and more is an *answerError; so is an answer that is incomplete (timed_out, failed shards). No
// answer at all is index.ErrUnavailable. An ended context stays visible in the error.
func (c *client) do(ctx context.Context, method, path string, query url.Values, body []byte) ([]byte, error) {
	return perform(ctx, c.es, method, path, query, body)
}

func perform(ctx context.Context, es esapi.Transport, method, path string, query url.Values, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, path, bodyReader(body))
	if err != nil {
		return nil, err
	}
	req.URL.RawQuery = query.Encode()
	if body != nil {
		req.Header.Set("Content-Type", contentType(body))
	}
	res, err := es.Perform(req)
	if err != nil {
		return nil, transportError(ctx, err)
	}
	defer res.Body.Close()
	answer, err := readAll(res)
	if err != nil {
		return nil, transportError(ctx, err)
	}
	if res.StatusCode >= http.StatusBadRequest {
		return nil, newAnswerError(res.StatusCode, answer)
	}
	if err := checkWhole(answer); err != nil {
		return nil, err
	}
	return answer, nil
}

// read is do for a request that changes nothing. It is sent again once if its connection broke, or if the shard that it
// was queued on had just moved or gone.
func (c *client) read(ctx context.Context, method, path string, query url.Values, body []byte) ([]byte, error) {
	answer, err := perform(ctx, c.queries, method, path, query, body)
	if errors.Is(err, index.ErrUnavailable) && isPassing(err) && ctx.Err() == nil {
		return perform(ctx, c.queries, method, path, query, body)
	}
	return answer, err
}

// bodyReader returns nil for no body: a typed nil would be sent as an empty one.
func bodyReader(body []byte) io.Reader {
	if body == nil {
		return nil
	}
	return bytes.NewReader(body)
}

// contentType tells the body of _bulk and _msearch, which ends with a line feed, from all others.
func contentType(body []byte) string {
	if bytes.HasSuffix(body, []byte{'\n'}) {
		return "application/x-ndjson"
	}
	return "application/json"
}

// readAll reads the body at once into memory of the announced length.
func readAll(res *http.Response) ([]byte, error) {
	if res.ContentLength > 0 && res.ContentLength <= maxPrealloc {
		b := make([]byte, res.ContentLength)
		_, err := io.ReadFull(res.Body, b)
		return b, err
	}
	return io.ReadAll(res.Body)
}

// maxPrealloc limits what a Content-Length alone can make us allocate. A page of 100 filings is about 150 kB.
const maxPrealloc = 64 << 20
