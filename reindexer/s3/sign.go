package s3

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// signer is a RoundTripper that signs requests. It stands below the retrier, since a signature
// holds for some minutes only.
type signer struct {
	Config
	next http.RoundTripper
	now  func() time.Time
}

func (s *signer) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.AccessKeyID != "" {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		s.sign(r, digest(body), s.now())
	}
	return s.next.RoundTrip(r)
}

// sign signs r, whose body has a SHA-256 in hex, with the headers that it has (AWS Signature
// Version 4), but for those that proxies may write anew.
func (c Config) sign(r *http.Request, body string, now time.Time) {
	timestamp := now.UTC().Format("20060102T150405Z")
	r.Header.Set("x-amz-date", timestamp)
	r.Header.Set("x-amz-content-sha256", body)
	if c.SessionToken != "" {
		r.Header.Set("x-amz-security-token", c.SessionToken)
	}
	headers := map[string]string{"host": r.URL.Host}
	for name := range r.Header {
		if name == "User-Agent" || name == "Accept-Encoding" {
			continue
		}
		headers[strings.ToLower(name)] = strings.TrimSpace(r.Header.Get(name))
	}
	names := slices.Sorted(maps.Keys(headers))
	request := []string{r.Method, r.URL.EscapedPath(), r.URL.RawQuery}
	for _, name := range names {
		request = append(request, name+":"+headers[name])
	}
	signed := strings.Join(names, ";")
	request = append(request, "", signed, body)

	scope := []string{timestamp[:8], c.Region, "s3", "aws4_request"}
	key := []byte("AWS4" + c.SecretAccessKey)
	for _, part := range scope {
		key = keyed(key, part)
	}
	hashed := digest(strings.NewReader(strings.Join(request, "\n")))
	text := strings.Join([]string{"AWS4-HMAC-SHA256", timestamp, strings.Join(scope, "/"), hashed}, "\n")
	r.Header.Set("Authorization", fmt.Sprintf("AWS4-HMAC-SHA256 Credential=%s/%s,SignedHeaders=%s,Signature=%x",
		c.AccessKeyID, strings.Join(scope, "/"), signed, keyed(key, text)))
}

func keyed(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// digest returns the SHA-256 of bytes in memory.
func digest(body io.Reader) string {
	sum := sha256.New()
	_, _ = io.Copy(sum, body) // never fails
	return hex.EncodeToString(sum.Sum(nil))
}

// escaped writes each byte but letters, digits and - . _ ~ as signatures have it; slashes stay.
func escaped(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(url.QueryEscape(part), "+", "%20")
	}
	return strings.Join(parts, "/")
}
