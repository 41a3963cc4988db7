#!/usr/bin/env bash
# What the scripts share that compare a server with the bare handler of bare/. Sourced, with `threads` set.

name=${0##*/}
work=$(mktemp -d)
children=()
finish() {
    local child
    for child in ${children[@]+"${children[@]}"}; do kill "$child" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

need() { # TOOL…
    local tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null || { echo "$name: $tool is needed" >&2; exit 69; }
    done
}
usage() { # the comment at the head of the script
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" >&2
    exit 64
}
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
pinned() { # CORE COMMAND…: becomes the command; to be called in a subshell
    local core=$1
    shift
    # With two cores or more the server has the first and its clients the second: else the scheduler is measured.
    if [ "$(nproc)" -ge 2 ] && [ "${threads:-1}" -eq 1 ] && command -v taskset >/dev/null; then
        exec taskset -c "$core" "$@"
    fi
    exec "$@"
}
wait_for() { # URL
    for _ in $(seq 100); do
        curl -s -o /dev/null --max-time 1 "$1" && return
        sleep 0.1
    done
    echo "$name: nothing answers at $1" >&2
    exit 1
}
# started COMMAND…: with {port} replaced. Sets `pid` and `port`.
started() {
    port=$(free_port)
    (pinned 0 "${@//\{port\}/$port}") >"$work/server.log" 2>&1 &
    pid=$!
    children+=("$pid")
    wait_for "http://127.0.0.1:$port/"
}
stopped() { # the last that was started
    kill "$pid"
    wait "$pid" 2>/dev/null || true
    children=()
}
# measured OPTION…: what the load generator of waiters/ has `found` about what was started last; it is then stopped.
declare -A found
# shellcheck disable=SC2034 # read by those who source this
measured() {
    (pinned 1 "$work/waiters" --port "$port" --server "$pid" "$@") >"$work/report"
    stopped
    local pair
    for pair in $(<"$work/report"); do found[${pair%%=*}]=${pair#*=}; done
}
# fields_of HEAD: the header fields that the bare handler is to give as well, a line each.
fields_of() {
    tr -d '\r' <"$1" | grep -viE '^(HTTP/|date:|content-length:|connection:|$)'
}
compiled() { # PROGRAM FLAG…: from the C files of the directory bare or waiters
    local program=$1
    shift
    cc -O2 -Wall -Wextra -Werror -o "$work/$program" "$(dirname "$0")/$program"/*.c "$@"
}
ratio_of() { # A B: B / A
    awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", b / a }'
}
mean_of() { # A B
    awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", (a + b) / 2 }'
}
median_of() {
    printf '%s\n' "$@" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
spread_of() { # how far the largest is above the smallest, in per cent
    printf '%s\n' "$@" | sort -n | awk 'NR == 1 { least = $1 } END { printf "%.0f", 100 * ($1 / least - 1) }'
}
