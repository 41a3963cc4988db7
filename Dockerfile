# Builds Bindery and ships it alone: one binary, Debian's libmicrohttpd, libpq, SQLite and, as a client, libcurl, nothing to compile or fetch with.
#   docker build -t bindery . && docker run --rm -p 8080:8080 --read-only -v bindery:/data bindery
# The symbols for script/symbolize, which the image does not have:
#   docker build --target symbols --output symbols .
# podman and buildah drop the HEALTHCHECK unless they are told --format docker.

# By digest (…@sha256:…), a later build has the same base.
ARG SWIFT_VERSION=6.3.1
ARG SWIFT_IMAGE=docker.io/library/swift:${SWIFT_VERSION}-bookworm
ARG RUNTIME_IMAGE=docker.io/library/debian:bookworm-slim
# What GET /version, the log and the labels name the source by, as --build-arg REVISION=$(git rev-parse HEAD), and when that was
# committed: $(git log -1 --format=%ct). Two builds of one commit on the same bases have the same executable, byte for byte.
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
# Static, so that the runtime image needs no Swift; optimized across modules, because an action's way leads through five of
# them; stripped, because most of the binary is symbols, which are kept apart. Two builds of one commit are to be the same: the
# hashes by which a compiler knows modules again are not, nor is an id that the linker makes with them.
RUN swift build -c release --static-swift-stdlib --product bindery -Xswiftc -cross-module-optimization -Xswiftc -g -Xcc -g \
        ${REVISION:+-Xcc -DBINDERY_REVISION=\"$REVISION\" -Xlinker --build-id=0x$REVISION} \
    && objcopy --remove-section=.swift_modhash .build/release/bindery /bindery.whole \
    && objcopy --only-keep-debug /bindery.whole /bindery.debug \
    && strip --strip-all -o /bindery /bindery.whole

FROM scratch AS symbols
COPY --from=build /bindery.debug /

FROM ${RUNTIME_IMAGE}
RUN apt-get update \
    && apt-get install -y --no-install-recommends libcurl4 libmicrohttpd12 libpq5 libsqlite3-0 \
    && rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/cache/ldconfig \
    && useradd --uid 10001 --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin bindery \
    && install --directory --owner=bindery --group=bindery --mode=0700 /data
COPY --from=build /bindery /usr/local/bin/bindery
ARG SWIFT_VERSION
ARG REVISION
ARG SOURCE_DATE_EPOCH
# Fails the build rather than the first start: ldd names a library that is missing, and --version with every symbol
# bound at once shows that the ones found are the right ones. Then, what all of this is made of, as SPDX.
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
