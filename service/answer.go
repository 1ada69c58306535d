package service

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/sync/errgroup"

	"filings/index"
	"filings/index/serving"
)

// answer is how an endpoint answers from filings: always from one generation, and under a tag.
type answer struct {
	endpoint  string // path of the endpoint, the same for its legacy one
	canonical string // what is asked, in the one text of all equal questions
	mayMiss   bool   // what is asked for may not exist, whatever the tag says
	mediaType string // of the body; "": that of all other answers
	body      func(ctx context.Context, r *serving.Reader, dst []byte) ([]byte, error)
}

// send answers from the live generation. One that was deleted meanwhile is no error of the client's, nor ours: the next
// one answers.
func (s *Service) send(k *call, a answer) error {
	err := s.sendOnce(k, a)
	if errors.Is(err, index.ErrGone) {
		err = s.sendOnce(k, a)
	}
	return err
}

func (s *Service) sendOnce(k *call, a answer) error {
	ctx := k.http.UserContext()
	r, err := s.config.Engine.Live(ctx)
	if err != nil {
		return err
	}
	tag := etag(r.Generation(), a.endpoint, a.canonical, string(k.admission.Tier))
	m := matchTag(ifNoneMatch(k.http), tag)
	if m == matches || m == matchAny && !a.mayMiss {
		return k.notModified(tag)
	}
	buffer := s.buffers.Get().(*[]byte)
	body, err := a.body(ctx, r, (*buffer)[:0])
	if err != nil {
		return err
	}
	if *buffer = body; cap(body) <= keptBuffer {
		defer s.buffers.Put(buffer)
	}
	if m == matchAny {
		return k.notModified(tag)
	}
	k.http.Set(fiber.HeaderETag, tag)
	k.write(body)
	if a.mediaType != "" {
		k.http.Set(fiber.HeaderContentType, a.mediaType)
	}
	return nil
}

// keptBuffer is how large a buffer may be to be used again: room for a page of 100 filings with all fields. The rare
// page of long summaries must not stay in memory for ever.
const keptBuffer = 256 << 10

func ifNoneMatch(c *fiber.Ctx) string {
	return string(bytes.Join(c.Request().Header.PeekAll(fiber.HeaderIfNoneMatch), []byte(",")))
}

func (k *call) notModified(tag string) error {
	k.http.Set(fiber.HeaderETag, tag)
	k.http.Status(fiber.StatusNotModified)
	return nil
}

// write answers 200 with a copy of body.
func (k *call) write(body []byte) {
	k.http.Set(fiber.HeaderContentType, contentType)
	k.http.Response().SetBody(body)
}

// appendJSON appends v as JSON. Like records, it leaves <, > and & as they are.
func appendJSON(dst []byte, v any) []byte {
	b := bytes.NewBuffer(dst)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // only figures and texts are written here: they always encode
	}
	return b.Bytes()[:b.Len()-1]
}

// appendData appends the bare form of an answer (rule E1): data alone.
func appendData(dst []byte, data any) []byte {
	return append(appendJSON(append(dst, `{"data":`...), data), '}')
}

// together runs fs at the same time, the last one on this goroutine; the first error ends the others. A panic in one
// becomes an error: the recovery of the request does not reach other goroutines.
func together(ctx context.Context, fs ...func(context.Context) error) error {
	g, ctx := errgroup.WithContext(ctx)
	last := len(fs) - 1
	for _, f := range fs[:last] {
		g.Go(func() error { return recovered(ctx, f) })
	}
	err := recovered(ctx, fs[last])
	if err != nil {
		g.Go(func() error { return err }) // ends the others
	}
	return g.Wait()
}

func recovered(ctx context.Context, f func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f(ctx)
}

// orEmpty makes a list that is written as [] where it has no items.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
