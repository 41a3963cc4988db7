# Builds Bindery and ships it alone: one binary, Debian's libmicrohttpd and SQLite, nothing to compile or fetch with.
#   docker build -t bindery . && docker run --rm -p 8080:8080 --read-only -v bindery:/data bindery
ARG SWIFT_VERSION=6.3.1
# What GET /version and the log name the source by, as --build-arg REVISION=$(git rev-parse HEAD).
ARG REVISION=

FROM docker.io/library/swift:${SWIFT_VERSION}-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends libmicrohttpd-dev libgnutls28-dev libsqlite3-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
ARG REVISION
# Static, so that the runtime image needs no Swift; stripped, because most of the binary is symbols.
# Optimized across modules, because an action's way leads through five of them.
RUN swift build -c release --static-swift-stdlib --product bindery -Xswiftc -cross-module-optimization \
        ${REVISION:+-Xcc -DBINDERY_REVISION=\"$REVISION\"} \
    && strip --strip-all -o /bindery .build/release/bindery

FROM docker.io/library/debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends libmicrohttpd12 libsqlite3-0 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin bindery \
    && install --directory --owner=bindery --group=bindery --mode=0700 /data
COPY --from=build /bindery /usr/local/bin/bindery
# Fails the build rather than the first start: ldd names a library that is missing, and --version with every symbol
# bound at once shows that the ones found are the right ones.
RUN libraries=$(ldd /usr/local/bin/bindery) \
    && ! echo "$libraries" | grep 'not found' \
    && LD_BIND_NOW=1 bindery --version

# A number, so that an orchestrator can see that it is not root.
USER 10001:10001
# Sessions outlive the container; declared after the directory was given away, so that a new volume belongs to the user.
VOLUME /data
ENV BINDERY_HOST=0.0.0.0 BINDERY_PORT=8080 BINDERY_ADMIN=127.0.0.1:9090 BINDERY_STORE=sqlite:/data/bindery.db BINDERY_DRAIN_DELAY=5
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=5s CMD ["bindery", "health"]
ENTRYPOINT ["bindery"]
CMD ["serve"]
