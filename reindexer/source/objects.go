package source

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"filings/reindexer/s3"
)

// objectSources returns an object of S3, or those of a folder: an address that ends in a slash, or
// names a bucket alone.
func objectSources(ctx context.Context, input Input, o Options) ([]Source, error) {
	object, err := s3.ParseAddress(input.Name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	client := s3.New(o.Servers.S3, o.Log)
	client.Timeout = o.Servers.Timeout
	if object.Key == "" || strings.HasSuffix(object.Key, "/") {
		return folderObjects(ctx, client, object, input.Form, o.Log)
	}
	s, ok := objectSource(client, object, input.Form)
	if !ok {
		return nil, fmt.Errorf("%w: the name of %s does not say its format: give --format; the address of a folder "+
			"ends in a slash", ErrUsage, object)
	}
	if object, err = client.Head(ctx, object); err != nil {
		return nil, s.Error(0, err)
	}
	s, _ = objectSource(client, object, input.Form)
	return []Source{s}, nil
}

// folderObjects lists the objects of a folder, as folderSources does files: the load is of those
// that it has now, in this state.
func folderObjects(
	ctx context.Context, client *s3.Client, folder s3.Object, f Form, log *slog.Logger,
) (found []Source, err error) {
	objects, folders, err := client.List(ctx, folder)
	if err != nil {
		return nil, Source{Name: folder.String()}.Error(0, err)
	}
	var left []string
	for _, name := range folders {
		if _, said := chosen(strings.TrimPrefix(name, folder.Key), false); said {
			log.Warn("left out: a folder within", "path", "s3://"+folder.Bucket+"/"+name)
			left = append(left, strings.TrimPrefix(name, folder.Key))
		}
	}
	for _, object := range objects {
		s, ok := objectSource(client, object, f)
		name := strings.TrimPrefix(object.Key, folder.Key)
		taken, said := chosen(name, ok)
		switch {
		case name == "":
		case taken:
			found = append(found, s)
		case said:
			log.Warn("left out: not a file whose name says its format", "path", s.Name)
			left = append(left, name)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%w: the folder %s has no object whose name says its format", ErrUnreadable, folder)
	}
	found[0].LeftOut = left
	return found, nil
}

// objectSource is the source of an object in the state of its ETag. ok: its format is known.
func objectSource(client *s3.Client, object s3.Object, f Form) (_ Source, ok bool) {
	f = f.named(object.Key)
	state := fmt.Sprintf("s3 %d %s", object.Size, object.ETag)
	s := Source{Name: object.String(), unit: f.unit(), format: f.Format}
	s.state = func(context.Context) (string, error) { return state, nil } // the one that is read, or none
	s.open = func(ctx context.Context, read *atomic.Int64) (*Reader, error) {
		body, err := client.Fresh().Get(ctx, object)
		if err != nil {
			return nil, err
		}
		r, err := open(ctx, body, f, read)
		if err == nil {
			r.opened, r.Updated = state, object.Modified
		}
		return r, err
	}
	return s, f.Format != ""
}
