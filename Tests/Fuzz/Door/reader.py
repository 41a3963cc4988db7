"""The reference: a slow and obvious reader of HTTP/1.1 requests, as strict as RFC 9112 allows.

It shares no code with the server. It judges a head, a chunk line or a trailer section once it is complete, or once it
is too long: a server that refuses earlier, or waits that long, is right as well.
"""

import re

from grammar import (
    ABSOLUTE_FORM, CHUNK_LINE, FIELD_LINE, ORIGIN_FORM, OWS, VERSION, is_host, is_token)
from reading import Reading, Request

# The server's limits, in bytes. The head counts from the request line's first byte to the empty line's last, a trailer
# section likewise; an empty line before the request line does not count. A chunk line counts without its CRLF.
HEAD, TARGET, METHOD, BODY, CHUNK_LINE_BYTES = 8192, 2048, 32, 65536, 256
# What chunk lines and line ends may come to: so much for free, and so much for each byte of the body.
FREE_AROUND, AROUND_EACH_BYTE = 16384, 8
CRLF = b"\r\n"


class Refused(Exception):
    """What follows is no request."""

    def __init__(self, status: int, why: str):
        super().__init__(why)
        self.status = status


class Incomplete(Exception):
    """What follows may become a request."""

    asks_to_continue = False


def read(data: bytes) -> Reading:
    """Reads all requests of one connection."""
    reading, at = Reading(), 0
    try:
        # One CRLF may stand before a request line (RFC 9112, section 2.2), so it may stand at the end.
        while data[at:] not in (b"", CRLF):
            request, at = read_request(data, at)
            reading.requests.append(request)
            if not request.is_kept:
                reading.end = "closed"
                break
    except Refused as refusal:
        reading.end, reading.status, reading.why = "refused", refusal.status, str(refusal)
    except Incomplete as wait:
        reading.end, reading.asks_to_continue = "waits", wait.asks_to_continue
    return reading


def read_request(data: bytes, at: int) -> tuple[Request, int]:
    """Head and body of one request, and the place after it (RFC 9112, section 2.1)."""
    had_empty_line = data.startswith(CRLF, at)
    if had_empty_line:
        at += 2
    if data.startswith(CRLF, at):
        raise Refused(400, "two empty lines before the request line")
    lines, at = read_lines(data, at, HEAD, "head")
    method, target, version = read_request_line(lines[0])
    fields = [read_field(line) for line in lines[1:]]
    request = Request(method, target, fields, version=version, had_empty_line=had_empty_line, lines=lines)
    read_host(request)
    request.path, request.query = read_target(request)
    request.is_kept = read_connection(request)
    length = read_framing(request)
    read_expectation(request)
    try:
        request.body, at = read_chunks(data, at) if request.is_chunked else read_body(data, at, length)
    except Incomplete as wait:
        wait.asks_to_continue = bool(request.values(b"expect")) and version == b"HTTP/1.1" and at == len(data)
        raise
    return request, at


def read_lines(data: bytes, at: int, limit: int, what: str) -> tuple[list[bytes], int]:
    """The lines up to an empty one (RFC 9112, section 2.1), each ended by CRLF and free of other CR and LF (2.2)."""
    end = data.find(CRLF + CRLF, at)
    if end < 0 and len(data) - at <= limit:
        raise Incomplete
    if end < 0 or end + 4 - at > limit:
        raise Refused(431, f"{what} over {limit} bytes")
    lines = data[at:end].split(CRLF)
    if any(b"\r" in line or b"\n" in line for line in lines):
        raise Refused(400, f"bare CR or LF in the {what}")
    return lines, end + 4


def read_request_line(line: bytes) -> tuple[bytes, bytes, bytes]:
    """method SP request-target SP HTTP-version, single spaces (RFC 9112, section 3)."""
    parts = line.split(b" ")
    if len(parts) != 3:
        raise Refused(400, "request line of other than three parts")
    method, target, version = parts
    if not is_token(method) or len(method) > METHOD:
        raise Refused(400, "method")
    if not VERSION.fullmatch(version):
        raise Refused(400, "version")
    if version not in (b"HTTP/1.0", b"HTTP/1.1"):
        raise Refused(505, "version neither 1.0 nor 1.1")
    if len(target) > TARGET:
        raise Refused(414, f"target over {TARGET} bytes")
    return method, target, version


def read_field(line: bytes) -> tuple[bytes, bytes]:
    """field-name ":" OWS field-value OWS (RFC 9112, section 5): no fold, no empty name, no space before the colon."""
    match = FIELD_LINE.fullmatch(line)
    if match is None:
        raise Refused(400, "field")
    return match[1].lower(), match[2].strip(OWS)


def read_host(request: Request) -> None:
    """One Host, in HTTP/1.0 one or none (RFC 9112, section 3.2)."""
    hosts = request.values(b"host")
    if len(hosts) > 1 or (not hosts and request.version == b"HTTP/1.1"):
        raise Refused(400, f"{len(hosts)} Host fields")
    if hosts and not is_host(hosts[0]):
        raise Refused(400, "Host is no host")


def read_target(request: Request) -> tuple[bytes, bytes | None]:
    """Path and query of the four forms (RFC 9112, section 3.2)."""
    if request.method == b"CONNECT":
        raise Refused(400, "CONNECT is not served, and other forms are not its")
    if request.target == b"*":
        if request.method != b"OPTIONS":
            raise Refused(400, "asterisk without OPTIONS")
        return b"*", None
    if match := ORIGIN_FORM.fullmatch(request.target):
        return match[1], match[2]
    match = ABSOLUTE_FORM.fullmatch(request.target)
    if match is None:
        raise Refused(400, "target")
    # Section 3.2.2: a client sends a Host equal to the authority; another one would leave two answers to who is asked.
    if not is_host(match[1]) or [match[1].lower()] != [host.lower() for host in request.values(b"host")]:
        raise Refused(400, "authority is not the Host")
    return match[2] or b"/", match[3]


def read_connection(request: Request) -> bool:
    """Whether the connection is kept (RFC 9112, section 9.3); empty elements count for nothing (RFC 9110, 5.6.1.2)."""
    options = {
        option.strip(OWS).lower() for value in request.values(b"connection") for option in value.split(b",")}
    options.discard(b"")
    if not all(is_token(option) for option in options):
        raise Refused(400, "Connection is no list of tokens")
    if b"close" in options:
        return False
    return request.version == b"HTTP/1.1" or b"keep-alive" in options


def read_framing(request: Request) -> int:
    """The body's length (RFC 9112, section 6.3), where it is not chunked: one of the two fields, once, or none."""
    lengths, codings = request.values(b"content-length"), request.values(b"transfer-encoding")
    if len(lengths) + len(codings) > 1:
        raise Refused(400, "more than one field that frames")
    if codings:
        request.is_chunked = True
        return read_coding(codings[0].lower(), request.version)
    if not lengths:
        return 0
    if not re.fullmatch(rb"[0-9]+", lengths[0]):
        raise Refused(400, "Content-Length")
    digits = lengths[0].lstrip(b"0") or b"0"
    if len(digits) > len(str(BODY)) or int(digits) > BODY:
        raise Refused(413, f"body over {BODY} bytes")
    return int(digits)


def read_coding(coding: bytes, version: bytes) -> int:
    """`chunked` and nothing else (RFC 9112, section 6.1), and not in HTTP/1.0, which knows no chunks."""
    if version == b"HTTP/1.0":
        raise Refused(400, "Transfer-Encoding in HTTP/1.0")
    if coding == b"chunked":
        return 0
    others = [part.strip(OWS) for part in coding.split(b",")]
    raise Refused(400 if set(others) <= {b"chunked", b""} else 501, "Transfer-Encoding")


def read_expectation(request: Request) -> None:
    """Nothing but 100-continue is met (RFC 9110, section 10.1.1)."""
    if any(value.lower() != b"100-continue" for value in request.values(b"expect")):
        raise Refused(417, "Expect")


def read_body(data: bytes, at: int, length: int) -> tuple[bytes, int]:
    """As many bytes as Content-Length says."""
    if len(data) - at < length:
        raise Incomplete
    return data[at:at + length], at + length


def read_chunks(data: bytes, at: int) -> tuple[bytes, int]:
    """The body of chunks, and its trailer section, which is dropped (RFC 9112, section 7.1)."""
    body = b""
    around = 0
    while True:
        start = at
        size, at = read_chunk_line(data, at)
        around += at - start
        if around > FREE_AROUND + AROUND_EACH_BYTE * len(body):
            raise Refused(413, "more around the chunks than in them")
        if size == 0:
            return body, read_trailers(data, at)
        if len(body) + size > BODY:
            raise Refused(413, f"body over {BODY} bytes")
        chunk, at = read_body(data, at, size)
        end, at = read_body(data, at, 2)
        if end != CRLF:
            raise Refused(400, "no CRLF after a chunk")
        body += chunk
        around += 2


def read_chunk_line(data: bytes, at: int) -> tuple[int, int]:
    """chunk-size [ chunk-ext ] CRLF (RFC 9112, section 7.1)."""
    end = data.find(b"\n", at)
    if end < 0 and len(data) - at <= CHUNK_LINE_BYTES + 2:
        raise Incomplete
    line = data[at:end]
    if end < 0 or len(line) > CHUNK_LINE_BYTES + 1:
        raise Refused(400, f"chunk line over {CHUNK_LINE_BYTES} bytes")
    match = CHUNK_LINE.fullmatch(line[:-1])
    if match is None or not line.endswith(b"\r"):
        raise Refused(400, "chunk line")
    return int(match[1], 16), end + 1


def read_trailers(data: bytes, at: int) -> int:
    """Fields by the rules of the head's; those that frame or route have no place there (RFC 9110, section 6.5.1)."""
    if data.startswith(CRLF, at):
        return at + 2
    lines, at = read_lines(data, at, HEAD, "trailer section")
    for line in lines:
        if read_field(line)[0] in (b"content-length", b"transfer-encoding", b"host"):
            raise Refused(400, "a trailer that frames or routes")
    return at
