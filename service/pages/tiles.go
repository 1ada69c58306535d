package pages

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Tiles are a base map from elsewhere, below the filings of /explore. The zero value is none.
type Tiles struct {
	URL string `json:"url"` // https, with {z}, {x} and {y} in its path or query
	// of the map's makers, in its corner: text, in which addresses become links
	Attribution string `json:"attribution"`
}

// withTiles adds the file that tells /explore of its base map, and lets that page load images from
// there, and from nowhere else.
func withTiles(list []File, tiles Tiles) ([]File, error) {
	body, err := json.Marshal(tiles)
	if err != nil {
		return nil, err
	}
	list = append(list, New("/explore/tiles.json", mediaTypes[".json"], kept(body)))
	if tiles.URL == "" {
		return list, nil
	}
	u, err := url.Parse(tiles.URL)
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("pages: %q is no https address of tiles", tiles.URL)
	}
	page := slices.IndexFunc(list, func(f File) bool { return f.Path == "/explore" })
	list[page].policy = strings.Replace(policy, "img-src 'self'", "img-src 'self' https://"+u.Host, 1)
	return list, nil
}
