# Compiled where it is built, for the architecture of the image.
FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
WORKDIR /src
# From the environment of the building machine, by docker-compose.yml. Empty: Go's defaults.
ARG GOPROXY
ARG GOSUMDB
ARG GOFLAGS
ARG TARGETARCH
# The libraries first: they change less often than the code.
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/gocache \
    GOCACHE=/gocache CGO_ENABLED=0 GOARCH=$TARGETARCH go build -trimpath -ldflags '-s -w' -o /out/filings ./cmd/filings \
    && mkdir -p /out/lib /out/tmp && mkdir -m 700 /out/lib/filings /out/tmp/filings

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /out/filings /filings
# A new volume takes over owner and mode of the folder that it covers. Copied as a part of its parent: a folder that COPY
# creates itself is world-readable.
COPY --from=build --chown=65532:65532 /out/lib /var/lib
COPY --from=build --chown=65532:65532 /out/tmp /var/tmp
# The folders that can be written where the root is read-only. Temporary files of loads are apart: they must not fill the key store's.
ENV FILINGS_DATA_DIR=/var/lib/filings TMPDIR=/var/tmp/filings
VOLUME /var/lib/filings /var/tmp/filings
EXPOSE 8443 8080
USER 65532:65532
ENTRYPOINT ["/filings"]
CMD ["serve"]
