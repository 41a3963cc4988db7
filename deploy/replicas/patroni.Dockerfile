# PostgreSQL 15 under Patroni, and etcd, as Debian has them.
FROM docker.io/library/debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends postgresql-15 patroni python3-etcd python3-psycopg2 etcd-server etcd-client \
    && rm -rf /var/lib/apt/lists/* /var/lib/postgresql/15
COPY patroni.yaml database role /etc/bindery/
USER postgres
ENTRYPOINT ["/bin/sh", "/etc/bindery/database"]
