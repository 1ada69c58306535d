package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"filings/cmd/bench/peers"
	"filings/cmd/testservers/servers"
)

// measurePeers asks the service on both engines, and all other peers that this machine has, the
// same questions in turns.
func (b *bench) measurePeers(ctx context.Context) (err error) {
	var own, others []*peers.Peer
	defer func() {
		for _, p := range append(own, others...) {
			err = firstError(err, p.Stop())
		}
		err = firstError(err, b.deleteIndices(ctx))
	}()
	var s *served
	for _, engine := range []struct {
		name, folder string
		environment  []string
	}{
		{"Elasticsearch", "peers-elasticsearch", b.onElasticsearch(b.elasticsearch)},
		{"embedded", "peers-embedded", []string{"FILINGS_DATA_DIR=" + filepath.Join(b.dir, "peers-embedded")}},
	} {
		if _, err := b.load(ctx, b.data, engine.environment...); err != nil {
			return err
		}
		if s, err = b.serve(ctx, engine.folder, engine.environment...); err != nil {
			return err
		}
		own = append(own, peers.New(engine.name, s.url, s.key, &tls.Config{RootCAs: s.trust, ServerName: "localhost"}, s.stop))
	}
	a, err := b.look(ctx, s)
	if err != nil {
		return err
	}
	data := filepath.Join(b.dir, "peers.ndjson") // the filings of the service: valid, and each one once
	if err := s.exportTo(ctx, data); err != nil {
		return err
	}
	asked, err := a.questions(data)
	if err != nil {
		return err
	}
	at := peers.Servers{Elasticsearch: b.elasticsearch, Redis: b.redis, Postgres: os.Getenv(servers.PostgresVariable)}
	if others, err = peers.Start(ctx, at, b.dir, data); err != nil {
		return err
	}
	return peers.Compare(ctx, own, others, asked)
}

// mostRead is how many filings questions are made of.
const mostRead = 1_000_000

// questions returns the questions about the filings, with values of those in a file.
func (a sample) questions(data string) ([]peers.Question, error) {
	return peers.Questions(func(do func([]byte) error) error {
		enough, read := errors.New("enough"), 0
		err := eachLine(data, func(line []byte) error {
			if read++; read > mostRead {
				return enough
			}
			return do(line)
		})
		if errors.Is(err, enough) {
			err = nil
		}
		return err
	}, a.total, a.county)
}

// exportTo writes all filings to a file.
func (s *served) exportTo(ctx context.Context, name string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/v1/filings/export?format=ndjson", http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("X-API-Key", s.key)
	res, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("export: %s", res.Status)
	}
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, res.Body)
	return firstError(err, out.Close())
}
