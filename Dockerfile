# Builds Bindery, and ships one program with Debian's libmicrohttpd, libpq, SQLite and libcurl.
#   docker build -t bindery . && docker run --rm -p 8080:8080 --read-only -v bindery:/data bindery
# podman and buildah keep the HEALTHCHECK only with --format docker.

# With a digest (…@sha256:…), later builds have the same base.
ARG SWIFT_VERSION=6.3.1
ARG SWIFT_IMAGE=docker.io/library/swift:${SWIFT_VERSION}-bookworm
ARG RUNTIME_IMAGE=docker.io/library/debian:bookworm-slim
# The commit that GET /version, the log and the labels name: --build-arg REVISION=$(git rev-parse HEAD), and its time:
# $(git log -1 --format=%ct). Two builds of one commit on the same bases have the same program, byte for byte.
ARG REVISION=
ARG SOURCE_DATE_EPOCH=0

FROM ${SWIFT_IMAGE} AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends libmicrohttpd-dev libgnutls28-dev libpq-dev libsqlite3-dev pkg-config \
        libcurl4-openssl-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
ARG REVISION
# Static, so that the image needs no Swift. Optimized across modules, because an action uses five of them. The compiler's
# hashes of modules differ between two builds of one commit. So strip them, and use the commit as the linker's id. Keep the
# names of functions for the backtrace of a crash.
RUN swift build -c release --static-swift-stdlib --product bindery -Xswiftc -cross-module-optimization \
        ${REVISION:+-Xcc -DBINDERY_REVISION=\"$REVISION\" -Xlinker --build-id=0x$REVISION} \
    && objcopy --strip-debug --remove-section=.swift_modhash .build/release/bindery /bindery

FROM ${RUNTIME_IMAGE}
RUN apt-get update \
    && apt-get install -y --no-install-recommends libcurl4 libmicrohttpd12 libpq5 libsqlite3-0 \
    && rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/cache/ldconfig \
    && useradd --uid 10001 --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin bindery \
    && install --directory --owner=bindery --group=bindery --mode=0700 /data
COPY --from=build /bindery /usr/local/bin/bindery
COPY --from=build /usr/libexec/swift/linux/swift-backtrace-static /usr/local/libexec/
ARG SWIFT_VERSION
ARG REVISION
ARG SOURCE_DATE_EPOCH
# These checks fail the build instead of the first start. ldd names missing libraries. --version with LD_BIND_NOW shows that
# the libraries have all symbols. script/sbom lists the parts of the image as SPDX.
RUN --mount=type=bind,from=build,source=/src/script,target=/script \
    libraries=$(ldd /usr/local/bin/bindery) \
    && ! echo "$libraries" | grep 'not found' \
    && version=$(LD_BIND_NOW=1 bindery --version) \
    && install --directory /usr/share/doc/bindery \
    && /script/sbom "${version#bindery }" "$SWIFT_VERSION" ${REVISION:+"$REVISION"} > /usr/share/doc/bindery/sbom.spdx.json

LABEL org.opencontainers.image.title="Bindery" \
    org.opencontainers.image.description="View models on the server, over HTTP" \
    org.opencontainers.image.revision="${REVISION}" \
    org.opencontainers.image.base.name="docker.io/library/debian:bookworm-slim"
# A number, so that an orchestrator sees that it is not root.
USER 10001:10001
# After the line that sets the owner of /data, so that a new volume belongs to the user.
VOLUME /data
ENV BINDERY_HOST=0.0.0.0 BINDERY_PORT=8080 BINDERY_ADMIN=127.0.0.1:9090 BINDERY_STORE=sqlite:/data/bindery.db BINDERY_DRAIN_DELAY=5
ENV SWIFT_BACKTRACE=enable=yes,color=no,interactive=no,output-to=stderr,swift-backtrace=/usr/local/libexec/swift-backtrace-static
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=5s CMD ["bindery", "health"]
ENTRYPOINT ["bindery"]
CMD ["serve"]
