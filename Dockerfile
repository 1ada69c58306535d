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
    && mkdir -p /out/lib && mkdir -m 700 /out/lib/filings

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /out/filings /filings
# A new volume takes over owner and mode of the folder that it covers. Copied as a part of its parent: a folder that COPY
# creates itself is world-readable.
COPY --from=build --chown=65532:65532 /out/lib /var/lib
# The only folder that can be written where the root is read-only: loads have temporary files.
ENV FILINGS_DATA_DIR=/var/lib/filings TMPDIR=/var/lib/filings
VOLUME /var/lib/filings
EXPOSE 8443 8080
USER 65532:65532
ENTRYPOINT ["/filings"]
CMD ["serve"]
