package check

import (
	"errors"
	"fmt"

	"filings/cmd/filings/settings"
	"filings/index"
	"filings/index/elastic/client"
	"filings/service/access"
)

// Explain adds to the error of a server that does not answer, or does not take the credentials,
// which setting is about that. The address itself is not shown: it may hold a password.
func Explain(s settings.Settings, err error) error {
	switch {
	case client.HasKind(err, client.IndexClosed):
		return fmt.Errorf("%w (the index was closed: open it in Elasticsearch)", err)
	case errors.Is(err, client.ErrCredentials):
		return fmt.Errorf("%w (see FILINGS_ELASTICSEARCH_USERNAME and _PASSWORD, or _API_KEY)", err)
	case client.IsOwn(err): // such as that its disk is full
		return err
	case errors.Is(err, index.ErrUnavailable) && len(s.ElasticsearchURL) > 0:
		return fmt.Errorf("%w (is Elasticsearch up at FILINGS_ELASTICSEARCH_URL?)", err)
	case errors.Is(err, index.ErrRecord) && len(s.ElasticsearchURL) > 0:
		return fmt.Errorf(
			"%w. Elasticsearch has to give _source as it was written: remove what rewrites responses in front of "+
				"FILINGS_ELASTICSEARCH_URL and what changes _source in the index's mapping, or use a server that does "+
				"not reorder it", err)
	case errors.Is(err, index.ErrRecord):
		return fmt.Errorf("%w: the generation's file is damaged, load anew or roll back", err)
	case errors.Is(err, access.ErrEmptied):
		return err
	case errors.Is(err, access.ErrUnavailable) && s.RedisURL != "":
		return fmt.Errorf("%w (look at the Redis of FILINGS_REDIS_URL)", err)
	}
	return err
}
