"""Two readers of others, h11 and httptools (llhttp), and what door-echo must answer to a request as they read it."""

import re
import zlib
from dataclasses import dataclass, field

import h11
import httptools

from client import Answer, Outcome

# The fields that the server keeps (RequestHeader).
FIELDS = b"""accept accept-language authorization bindery-session content-encoding
 content-type cookie host idempotency-key if-match if-none-match last-event-id origin sec-fetch-site
 x-forwarded-for x-forwarded-host x-forwarded-proto""".split()


@dataclass
class Request:
    """One request. Names of fields are in lower case. `is_whole`: its body is complete, too."""

    method: bytes = b""
    target: bytes = b""
    fields: list[tuple[bytes, bytes]] = field(default_factory=list)
    body: bytes = b""
    is_whole: bool = False

    def values(self, name: bytes) -> list[bytes]:
        return [value for known, value in self.fields if known == name]

    def record(self) -> bytes:
        """The body of door-echo's answer (Tests/Fuzz/Echo/Record.swift)."""
        target = re.sub(rb"(?i)^https?://[^/?]*", b"", self.target)
        lines = [self.method, target.partition(b"?")[0] or b"/"]
        for name in FIELDS:
            if values := self.values(name):
                value = (b"; " if name == b"cookie" else b", ").join(values)
                name = name.replace(b"-", b"")
                lines += [name + b"=" + value.decode("ascii", "replace").encode()]
                lines += [name + b" repeated"] if len(values) > 1 else []
        return b"\n".join([*lines, b"", b"%d %d" % (len(self.body), zlib.adler32(self.body))])

    def fits(self, answer: Answer) -> bool:
        """Whether the server has read the same request. 404 and 405 do not tell.

        The server reads chunks kindly and then closes: of a chunked body that no oracle accepts only the head counts.
        """
        if not self.is_whole and not (self.values(b"transfer-encoding") and answer.closes):
            return False
        if answer.status in (404, 405) or (self.method == b"HEAD" and not self.is_whole):
            return True
        record = self.record()
        if self.method == b"HEAD":
            return answer.fields.get(b"echo-sum") == str(zlib.adler32(record)).encode()
        return record == answer.body if self.is_whole else record.rpartition(b"\n")[0] == answer.body.rpartition(b"\n")[0]


def h11_read(data: bytes) -> tuple[list[Request], bytes]:
    """What h11 accepts, and what it leaves. A connection for each request, because h11 keeps none of HTTP/1.0."""
    requests: list[Request] = []
    while data := re.sub(rb"^(\r?\n)+", b"", data):
        connection = h11.Connection(h11.SERVER, max_incomplete_event_size=1 << 20)
        connection.receive_data(data)
        try:
            while not isinstance(event := connection.next_event(), h11.EndOfMessage):
                if isinstance(event, h11.Request):
                    fields = [(bytes(name), bytes(value)) for name, value in event.headers]
                    requests.append(Request(bytes(event.method), bytes(event.target), fields))
                elif isinstance(event, h11.Data):
                    requests[-1].body += bytes(event.data)
                else:
                    return requests, data
        except h11.ProtocolError:
            return requests, data
        requests[-1].is_whole = True
        data = connection.trailing_data[0]
    return requests, data


class Listener(list):
    """The requests that httptools tells of. It tells trailers as fields, too."""

    def on_message_begin(self):
        self.request, self.is_head = Request(), True
    def on_url(self, url: bytes):
        self.request.target += url
    def on_header(self, name: bytes, value: bytes):
        self.request.fields += [(name.lower(), value.strip(b" \t"))] if self.is_head else []
    def on_headers_complete(self):
        self.request.method, self.is_head = self.parser.get_method(), False
        self.append(self.request)
    def on_body(self, body: bytes):
        self.request.body += body
    def on_message_complete(self):
        self.request.is_whole = True


def llhttp_read(data: bytes) -> tuple[list[Request], bool]:
    """What llhttp accepts, and whether that is everything."""
    listener = Listener()
    listener.parser = httptools.HttpRequestParser(listener)
    try:
        listener.parser.feed_data(data)
    except (httptools.HttpParserUpgrade, httptools.HttpParserError):
        return listener, False
    return listener, bool(listener) and listener[-1].is_whole


class Readings:
    """How both oracles read a stream."""

    def __init__(self, data: bytes):
        (h11_requests, self.rest), (llhttp_requests, is_all) = h11_read(data), llhttp_read(data)
        self.all = [h11_requests, llhttp_requests]
        # How many requests both have whole, and the methods that each request may have.
        self.whole = min(sum(request.is_whole for request in requests) for requests in self.all)
        count = max(map(len, self.all))
        self.methods = [{requests[n].method for requests in self.all if n < len(requests)} for n in range(count)]
        if self.rest and not is_all:
            self.methods.append(set())  # Something must follow: a refusal, or the end of the connection.

    def complaint(self, outcome: Outcome) -> str | None:
        """What is wrong with an outcome. The server may refuse more than the oracles, and may close instead."""
        for place, answer in enumerate(outcome.answers):
            read = [requests[place] for requests in self.all if place < len(requests)]
            is_refusal = answer.status >= 400 and answer.closes
            if not is_refusal and not any(request.fits(answer) for request in read):
                return f"request {place + 1}, answered {answer.status}, is read as no oracle reads it"
        if b"Echo-Sum:" in outcome.rest or (outcome.rest and outcome.answers[-1].status == 200):
            return "an answer follows one that closes"
        if outcome.end not in ("open", "closed"):
            return f"after {len(outcome.answers)} answers: {outcome.end}"
        if outcome.end == "open" and len(outcome.answers) < self.whole:
            return f"{len(outcome.answers)} of {self.whole} requests are answered"
        return None
