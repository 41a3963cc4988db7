"""Two readers that nobody here wrote: h11 and httptools (llhttp). What the door lets through, both read alike."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import h11
import httptools

from reading import Request

LLHTTP_METHODS = frozenset(
    b"DELETE GET HEAD POST PUT OPTIONS TRACE COPY LOCK MKCOL MOVE PROPFIND PROPPATCH SEARCH UNLOCK BIND REBIND UNBIND"
    b" ACL REPORT MKACTIVITY CHECKOUT MERGE M-SEARCH NOTIFY SUBSCRIBE UNSUBSCRIBE PATCH PURGE MKCALENDAR LINK UNLINK"
    b" SOURCE QUERY".split(b" ")
)


@dataclass
class Narrower:
    """Where an oracle refuses, or stops at, what RFC 9112 allows: from there on its reading is not compared."""

    oracle: str
    why: str
    applies: Callable[[Request], bool]
    # Whether the oracle reads the request itself, and only nothing after it.
    stops_after: bool = False


NARROWER = [
    Narrower(
        "h11", "takes no CRLF before a request line (RFC 9112, section 2.2)", lambda request: request.had_empty_line
    ),
    Narrower(
        "h11",
        "keeps no connection of HTTP/1.0 (RFC 9112, section 9.3)",
        lambda request: request.version == b"HTTP/1.0",
        stops_after=True,
    ),
    Narrower(
        "h11",
        "takes at most 20 digits of a Content-Length, zeros in front included (RFC 9110, section 8.6)",
        lambda request: any(len(value) > 20 for value in request.values(b"content-length")),
    ),
    Narrower(
        "llhttp",
        "knows the methods of a list; a method is any token (RFC 9110, section 9.1)",
        lambda request: request.method not in LLHTTP_METHODS,
    ),
    Narrower(
        "llhttp",
        "knows no coding with a tab after it, and refuses it; OWS may be one (RFC 9110, section 5.6.3)",
        lambda request: any(re.match(rb"(?i)transfer-encoding:.*\t", line) for line in request.lines),
    ),
    Narrower(
        "llhttp",
        "takes Connection: Upgrade for an upgrade that happens: a body is not read, nor what follows",
        lambda request: bool(request.values(b"upgrade"))
        and b"upgrade" in b",".join(request.values(b"connection")).lower(),
    ),
]


def h11_read(data: bytes) -> list[Request]:
    """The requests that h11 accepts, each answered, so that it goes on to the next."""
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=1 << 20)
    connection.receive_data(data)
    requests: list[Request] = []
    current = None
    try:
        while True:
            event = connection.next_event()
            if isinstance(event, h11.Request):
                fields = [(bytes(name), bytes(value)) for name, value in event.headers]
                current = Request(
                    bytes(event.method), bytes(event.target), fields, version=b"HTTP/" + bytes(event.http_version)
                )
            elif isinstance(event, h11.Data):
                current.body += bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                requests.append(current)
                connection.send(h11.Response(status_code=200, headers=[("Content-Length", "0")]))
                connection.send(h11.EndOfMessage())
                if connection.our_state is not h11.DONE:
                    return requests
                connection.start_next_cycle()
            else:
                return requests
    except h11.ProtocolError:
        return requests


class _Listener:
    """Gathers what httptools tells."""

    def __init__(self):
        self.requests: list[Request] = []
        self.on_message_begin()

    def on_message_begin(self):
        self.target, self.fields, self.body = b"", [], b""
        self.is_head_over = False

    def on_url(self, url: bytes):
        self.target += url

    def on_header(self, name: bytes, value: bytes):
        # Trailers are told by the same name.
        if not self.is_head_over:
            self.fields.append((name.lower(), value.strip(b" \t")))

    def on_headers_complete(self):
        self.is_head_over = True

    def on_body(self, body: bytes):
        self.body += body

    def on_message_complete(self):
        version = b"HTTP/" + self.parser.get_http_version().encode()
        self.requests.append(
            Request(self.parser.get_method(), self.target, self.fields, version=version, body=self.body)
        )


def llhttp_read(data: bytes) -> list[Request]:
    """The requests that llhttp accepts."""
    listener = _Listener()
    listener.parser = httptools.HttpRequestParser(listener)
    try:
        listener.parser.feed_data(data)
    except (httptools.HttpParserUpgrade, httptools.HttpParserError):
        pass
    return listener.requests


ORACLES = {"h11": h11_read, "llhttp": llhttp_read}


def disagreement(oracle: str, expected: list[Request], found: list[Request]) -> str | None:
    """The first request that the oracle reads otherwise than the reference, or not at all."""
    for place, request in enumerate(expected):
        entries = [entry for entry in NARROWER if entry.oracle == oracle and entry.applies(request)]
        if not all(entry.stops_after for entry in entries):
            return None
        if place >= len(found):
            return f"{oracle} does not accept request {place + 1}"
        for part in ("method", "target", "version", "body"):
            if getattr(request, part) != getattr(found[place], part):
                return f"{oracle} reads another {part} of request {place + 1}"
        if framed(request) != framed(found[place]):
            return f"{oracle} reads other fields of request {place + 1}"
        if entries:
            return None
    return None


def framed(request: Request) -> list[tuple[bytes, bytes]]:
    """The fields; of a transfer coding's name the size of letters means nothing, and h11 lowers it."""
    return [(name, value.lower() if name == b"transfer-encoding" else value) for name, value in request.fields]
