"""Heads whose reading is known: what servers were once taken in by, and the sound twins.

Each case is sent in one piece, in small pieces, and with FIN after it. The reference, the other readers and the server
have to agree with the table: the requests accepted, then `open`, `closed`, `waits`, `refused` or the refusal's status.
"""

import asyncio
from dataclasses import dataclass

from probe import Outcome, Probe
from reading import show
from wire import Connection

NEXT = "GET /next HTTP/1.1\r\nHost: door\r\n\r\n"
FOLLOWING = "GET /next"


@dataclass
class Case:
    """A stream and what comes of it."""

    name: str
    stream: bytes
    accepted: list[str]
    end: str | int


def head(*lines: str, method: str = "GET", target: str = "/counter", host: str = "Host: door\r\n") -> str:
    """A head with these field lines."""
    return f"{method} {target} HTTP/1.1\r\n{host}{''.join(line + chr(13) + chr(10) for line in lines)}\r\n"


def post(*lines: str, body: str = "") -> str:
    """A POST with these field lines."""
    return head(*lines, method="POST") + body


def sound(name: str, stream: str, *accepted: str, end: str = "open") -> Case:
    """A case in which all is accepted."""
    return Case(name, stream.encode("latin-1"), list(accepted or ["GET /counter"]), end)


def twins(name: str, good: str, bad: str, status: int = 400) -> list[Case]:
    """A sound stream and its unsound twin, which is followed by what must not be read as a request."""
    first = " ".join(good.lstrip().split(" ")[:2])
    return [
        sound(f"{name}: sound", good + NEXT, first, FOLLOWING),
        Case(f"{name}: refused", (bad + NEXT).encode("latin-1"), [], status),
    ]


def field(name: str, good: str, bad: str, status: int = 400) -> list[Case]:
    """The twins of a field line."""
    return twins(name, head(good), head(bad), status)


def chunked(body: str) -> str:
    """A POST whose body is these chunks."""
    return post("Transfer-Encoding: chunked", body=body)


def line(good: str, bad: str, status: int = 400) -> list[Case]:
    """The twins of a request line."""
    rest = "\r\nHost: door\r\n\r\n"
    return twins(f"request line {bad[:60]!r}", good + rest, bad + rest, status)


def host(good: str, bad: str) -> list[Case]:
    """The twins of a Host."""
    return twins(f"host {bad!r}", head(host=f"Host: {good}\r\n"), head(host=f"Host: {bad}\r\n"))


INNER = "GET /smuggled HTTP/1.1\r\nH: x\r\n\r\n"
LENGTH = f"Content-Length: {len(INNER)}"
CHUNKS = "5\r\nhello\r\n0\r\n\r\n"

# The heads by which 0.9.75 read two requests where there is one.
TWO_IN_ONE = [
    *twins("empty field name", post("x: x", LENGTH, body=INNER), post(": x", LENGTH, body=INNER)),
    *twins("fold after Content-Length", post(LENGTH, body=INNER), post(LENGTH.replace(" ", "\r\n "), body=INNER)),
    *twins("fold after Transfer-Encoding", chunked(CHUNKS), post("Transfer-Encoding: chunked\r\n x", body=CHUNKS)),
    *twins("fold by a tab", head("X: y z"), head("X: y\r\n\tz")),
    *twins("fold in a second Host", head("X-Host: other"), head("Host:\r\n other")),
    *twins("fold in Sec-Fetch-Site", head("Sec-Fetch-Site: cross-site"), head("Sec-Fetch-Site:\r\n cross-site")),
    *twins("fold before any field", head(), head(host=" Host: door\r\n")),
    *twins(
        "NUL in Content-Length", post(LENGTH, body=INNER), post(f"{LENGTH.replace(': ', ': 0' + chr(0))}", body=INNER)
    ),
    *twins("NUL in Transfer-Encoding", chunked(CHUNKS), post("Transfer-Encoding: chunked\0gzip", body=CHUNKS)),
    *field("NUL in Authorization", "Authorization: Bearer TOKEN", "Authorization: Bearer TOKEN\0junk"),
    *field("NUL in Origin", "Origin: http://x", "Origin: http://x\0.evil"),
    *field("NUL in Cookie", "Cookie: a=b", "Cookie: a=b\0; c=d"),
    *twins("NUL first on a line", post("X: y", LENGTH, body=INNER), post("\0X: y", LENGTH, body=INNER)),
    *twins("NUL alone on a line", post(LENGTH, body=INNER), post("\0", LENGTH, body=INNER)),
    *field("NUL in a name", "X: y", "X\0Y: y"),
    *line("GET /counter?a HTTP/1.1", "GET /counter?a HTTP/1.0 HTTP/1.1"),
    *line("GET /counter/../x HTTP/1.1", "GET /counter\0/../x HTTP/1.1"),
]

LINES = [
    *line("GET /counter HTTP/1.1", "GET  /counter HTTP/1.1"),
    *line("GET /counter HTTP/1.1", "GET /counter  HTTP/1.1"),
    *line("GET /counter HTTP/1.1", "GET\t/counter HTTP/1.1"),
    *line("GET /counter HTTP/1.1", "GET /counter HTTP/1.1 "),
    *line("GET /counter HTTP/1.1", " GET /counter HTTP/1.1"),
    *line("GET /counter HTTP/1.1", "GET /counter http/1.1"),
    *line("GET /counter HTTP/1.1", "GET /counter HTTP/1.10"),
    *line("GET /counter HTTP/1.1", "GET /counter HTTP/2.0", 505),
    *line("GET /counter HTTP/1.1", "GET /counter HTTP/1.2", 505),
    *line("GET /counter HTTP/1.1", "GET /counter HTTP/0.9", 505),
    *line("GET /counter HTTP/1.1", "GET /counter"),
    *line("GET /counter HTTP/1.1", "G(ET /counter HTTP/1.1"),
    *line("GET /counter?a=%zz HTTP/1.1", "GET /coun%zzter HTTP/1.1"),
    *line("GET /counter%20 HTTP/1.1", "GET /counter%2 HTTP/1.1"),
    *line("GET /counter HTTP/1.1", "GET /counter#x HTTP/1.1"),
    *line("GET /counter HTTP/1.1", "GET /coun\x01ter HTTP/1.1"),
    *line("GET /counter HTTP/1.1", "GET /coun\x7fter HTTP/1.1"),
    *line("GET /counter HTTP/1.1", "GET /coun\xe9ter HTTP/1.1"),
    *line("GET /counter HTTP/1.1", "GET /counter\\ HTTP/1.1"),
    *line("GET /counter?a=%5B HTTP/1.1", "GET /counter?a=[ HTTP/1.1"),
    *line("GET /counter HTTP/1.1", "GET counter HTTP/1.1"),
    *line("GET http://door/counter?wait=0 HTTP/1.1", "GET http://other/counter?wait=0 HTTP/1.1"),
    *line("GET http://DOOR?wait=0 HTTP/1.1", "GET http://u@door?wait=0 HTTP/1.1"),
    *line("GET https://door/ HTTP/1.1", "GET ftp://door/ HTTP/1.1"),
    *line("OPTIONS * HTTP/1.1", "GET * HTTP/1.1"),
    *line("OPTIONS /counter HTTP/1.1", "CONNECT door:80 HTTP/1.1"),
    *line("GET /" + "p" * 2047 + " HTTP/1.1", "GET /" + "p" * 2048 + " HTTP/1.1", 414),
    sound(
        "a method of 32 letters, which no route has", head(method="M" * 32) + NEXT, "M" * 32 + " /counter", FOLLOWING
    ),
    Case("a method of 33 letters", head(method="M" * 33).encode(), [], 400),
    sound("one empty line before the request", "\r\n" + head() + NEXT, "GET /counter", FOLLOWING),
    Case("two empty lines before the request", ("\r\n\r\n" + head()).encode(), [], 400),
    sound("an empty line between two requests", post(LENGTH, body=INNER) + "\r\n" + NEXT, "POST /counter", FOLLOWING),
    *twins(
        "two versions of HTTP/1.0",
        "GET /counter?a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
        "GET /counter?a HTTP/1.0 HTTP/1.0\r\n\r\n",
    ),
    Case("no request line", b"\0" + NEXT.encode(), [], 400),
]

FIELDS = [
    *field("space before the colon", "X: y", "X : y"),
    *field("tab before the colon", "X:\ty\t", "X\t: y"),
    *field("no colon", "X:", "X"),
    *field("empty name alone", "x:", ":"),
    *field("name with a parenthesis", "!#$%&'*+-.^_`|~X: y", "X(: y"),
    *field("name with a byte over 127", "X: \xe9", "X\xe9: y"),
    *field("bare LF", "X: y", "X: y\nZ: z"),
    *field("bare CR", "X: y", "X: y\rZ: z"),
    *field("control byte", "X: a\tb", "X: a\x0bb"),
    *field("DEL", "X: \x80\xff", "X: \x7f"),
    *twins("line ended by LF", head("X: y"), head("X: y").replace("y\r\n", "y\n")),
    *twins("head ended by LF", head("X: y"), head("X: y")[:-2] + "\n"),
    *field("two Hosts", "X-Host: door", "Host: door"),
    *twins("no Host", head(), head(host="X: y\r\n")),
    *field("Connection of words", "Connection: keep-alive, x", "Connection: keep alive"),
    *field("unknown Expect", "X-Expect: x", "Expect: x", 417),
    *host("door", 'a b<>"/@'),
    *host("evil.example:8080", "evil.example:80800"),
    *host("[::1]:80", "::1"),
    *host("[1:2::8]", "[1:2:3:4:5:6:7:8:9]"),
    *host("127.0.0.1:", "127.0.0.1:x"),
    *host("a_b", "user@door"),
    *host("a,b", ""),
    *host("%41", "%4"),
    *host("door", "\xe9"),
    sound(
        "a cookie of 1,040 bytes",
        post("Content-Length: 0", "Cookie: " + "c" * 1040, "User-Agent: " + "u" * 111) + NEXT,
        "POST /counter",
        FOLLOWING,
    ),
    sound(
        "fields that come more than once",
        head("Accept: a", "X-Forwarded-For: 192.0.2.1", "Accept: b", "X-Forwarded-For: 192.0.2.2"),
    ),
    sound(
        "a head of 8,192 bytes",
        head("Cookie: " + "c" * (8192 - len(head("Cookie: ")))) + NEXT,
        "GET /counter",
        FOLLOWING,
    ),
    Case("a head of 8,193 bytes", (head("Cookie: " + "c" * (8193 - len(head("Cookie: ")))) + NEXT).encode(), [], 431),
    Case("a head without an end", head("Cookie: " + "c" * 20000)[:-4].encode(), [], 431),
    Case("a request line without an end, 414 or 431", b"GET /" + b"p" * 20000, [], "refused"),
    sound(
        "a preflight",
        head("Origin: http://a", "Access-Control-Request-Method: POST", method="OPTIONS"),
        "OPTIONS /counter",
    ),
    sound("an Origin without the port of its scheme", head("Origin: http://a", host="Host: a:80\r\n")),
]

FRAMING = [
    *twins("Content-Length twice", post(LENGTH, body=INNER), post(LENGTH, LENGTH, body=INNER)),
    *twins("two Content-Lengths", post(LENGTH, body=INNER), post("Content-Length: 0", LENGTH, body=INNER)),
    *twins(
        "a list of Content-Lengths", post("Content-Length: 5", body="hello"), post("Content-Length: 5, 5", body="hello")
    ),
    *twins(
        "signed Content-Length", post("Content-Length: 005", body="hello"), post("Content-Length: +5", body="hello")
    ),
    *twins("empty Content-Length", post("Content-Length: 0"), post("Content-Length:")),
    *twins("hexadecimal Content-Length", post("Content-Length: 0"), post("Content-Length: 0x0")),
    *twins("Content-Length beside chunked", chunked(CHUNKS), post(LENGTH, "Transfer-Encoding: chunked", body=CHUNKS)),
    *twins("chunked twice", chunked(CHUNKS), post("Transfer-Encoding: chunked, chunked", body=CHUNKS)),
    *twins("two Transfer-Encodings", chunked(CHUNKS), post(*["Transfer-Encoding: chunked"] * 2, body=CHUNKS)),
    *twins(
        "another coding",
        post("Transfer-Encoding: CHUNKED", body=CHUNKS),
        post("Transfer-Encoding: gzip, chunked", body=CHUNKS),
        501,
    ),
    *twins("identity", chunked(CHUNKS), post("Transfer-Encoding: identity", body=CHUNKS), 501),
    *twins("empty Transfer-Encoding", chunked(CHUNKS), post("Transfer-Encoding:", body=CHUNKS)),
    *twins(
        "chunked in HTTP/1.0",
        "POST /counter HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
        "POST /counter HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKS,
    ),
    *twins(
        "body over the limit",
        post("Content-Length: 65536", body="b" * 65536),
        post("Content-Length: 65537", body="b" * 65537),
        413,
    ),
    Case("a length beyond any number", post("Content-Length: " + "9" * 400).encode(), [], 413),
    sound("a GET with a body", head("Content-Length: 5") + "hello" + NEXT, "GET /counter", FOLLOWING),
    Case("a body that is not complete", post("Content-Length: 6", body="hello").encode(), [], "waits"),
    Case("a body that waits to be asked for", post("Content-Length: 5", "Expect: 100-continue").encode(), [], "waits"),
    sound(
        "a body that did not wait",
        post("Content-Length: 5", "Expect: 100-Continue", body="hello") + NEXT,
        "POST /counter",
        FOLLOWING,
    ),
    sound("an Expect without a body", head("Expect: 100-continue") + NEXT, "GET /counter", FOLLOWING),
    sound("white space after a length", post(f"{LENGTH} \t", body=INNER) + NEXT, "POST /counter", FOLLOWING),
    sound("a space after chunked", post("Transfer-Encoding: chunked ", body=CHUNKS) + NEXT, "POST /counter", FOLLOWING),
    sound("HTTP/1.0", "GET /counter HTTP/1.0\r\n\r\n" + NEXT, end="closed"),
    sound(
        "HTTP/1.0, kept", "GET /counter HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + NEXT, "GET /counter", FOLLOWING
    ),
    sound("HTTP/1.1, closed", head("Connection: x, Close") + NEXT, end="closed"),
]

CHUNKED = [
    *twins("an extension", chunked("5;a=b\r\nhello\r\n0\r\n\r\n"), chunked("5 ;a=b\r\nhello\r\n0\r\n\r\n")),
    *twins(
        "a quoted extension", chunked('5;a="b \\" c";d\r\nhello\r\n0\r\n\r\n'), chunked('5;a="b\r\nhello\r\n0\r\n\r\n')
    ),
    *twins(
        "a chunk line of 257 bytes",
        chunked("5;" + "a" * 254 + "\r\nhello\r\n0\r\n\r\n"),
        chunked("5;" + "a" * 255 + "\r\nhello\r\n0\r\n\r\n"),
    ),
    *twins("17 digits", chunked("0" * 15 + "5\r\nhello\r\n0\r\n\r\n"), chunked("0" * 16 + "5\r\nhello\r\n0\r\n\r\n")),
    *twins(
        "chunks over the limit",
        chunked("10000\r\n" + "b" * 65536 + "\r\n0\r\n\r\n"),
        chunked("1\r\nb\r\n10000\r\n" + "b" * 65536 + "\r\n0\r\n\r\n"),
        413,
    ),
    *twins("a chunk beyond any number", chunked(CHUNKS), chunked("f" * 16 + "\r\n"), 413),
    *twins("no CRLF after a chunk", chunked(CHUNKS), chunked("5\r\nhelloXX0\r\n\r\n")),
    *twins("LF after a chunk line", chunked(CHUNKS), chunked("5\nhello\r\n0\r\n\r\n")),
    *twins("LF in an extension", chunked(CHUNKS), chunked("5;a\nhello\r\n0\r\n\r\n")),
    *twins("a sign before the size", chunked(CHUNKS), chunked("+5\r\nhello\r\n0\r\n\r\n")),
    *twins("no size", chunked(CHUNKS), chunked("\r\nhello\r\n0\r\n\r\n")),
    *twins("a trailer", chunked("5\r\nhello\r\n0\r\nX: y\r\n\r\n"), chunked("5\r\nhello\r\n0\r\nX : y\r\n\r\n")),
    *twins(
        "a trailer that frames",
        chunked("5\r\nhello\r\n0\r\nCookie: a=b\r\n\r\n"),
        chunked("5\r\nhello\r\n0\r\nContent-Length: 5\r\n\r\n"),
    ),
    *twins("a trailer that routes", chunked("0\r\nX-Host: x\r\n\r\n"), chunked("0\r\nHost: x\r\n\r\n")),
    *twins("an empty name in a trailer", chunked("0\r\nX: x\r\n\r\n"), chunked("0\r\n: x\r\n\r\n")),
    *twins(
        "trailers over the limit",
        chunked("0\r\nX: " + "y" * 8185 + "\r\n\r\n"),
        chunked("0\r\nX: " + "y" * 8186 + "\r\n\r\n"),
        431,
    ),
    Case("a chunk line without an end", chunked("2;" + "a" * 6000).encode(), [], 400),
    Case("zeros without an end", chunked("0" * 6000).encode(), [], 400),
    Case("trailers without an end", chunked("0\r\n" + "X: y\r\n" * 4000).encode(), [], 431),
    Case("chunks that are not complete", chunked("5\r\nhello\r\n").encode(), [], "waits"),
]

CASES = [*TWO_IN_ONE, *LINES, *FIELDS, *FRAMING, *CHUNKED]


async def check(port: int) -> list[str]:
    """Runs every case, some at a time, and tells what failed."""
    free = asyncio.Semaphore(8)

    async def checked(case: Case) -> str | None:
        async with free:
            return await failure(port, case)

    return [failed for failed in await asyncio.gather(*map(checked, CASES)) if failed]


async def failure(port: int, case: Case) -> str | None:
    """What is wrong with the first of the ways to send it that fails."""
    for manner, pieces, finishes in ways(case.stream):
        probe = Probe(case.stream, pieces, b"GET /sentinel HTTP/1.1\r\nHost: door\r\n\r\n", finishes)
        complaint, outcome = misread(case, probe) or probe.disagreement(), None
        if not complaint:
            connection = await Connection.open(port)
            outcome = await probe.run(connection)
            connection.close()
            complaint = probe.complaint(outcome) or other_status(case, outcome)
        if complaint:
            stream = show(case.stream, 3000)
            return f"FAILED {case.name}, {manner}: {complaint}\n{stream}\n{probe.report(outcome)}\n"
    return None


def ways(stream: bytes) -> list[tuple[str, list[bytes], bool]]:
    """How a stream is sent."""
    size = 1 if len(stream) < 400 else 1000
    small = [stream[at : at + size] for at in range(0, len(stream), size)]
    return [("in one piece", [stream], False), ("in small pieces", small, False), ("with FIN after it", [stream], True)]


def misread(case: Case, probe: Probe) -> str | None:
    """Where the reference does not agree with the table."""
    accepted = [f"{request.method.decode()} {request.target.decode()}" for request in probe.reading.requests]
    end = probe.reading.end if isinstance(case.end, str) else probe.reading.status
    wanted = [" ".join(request.split(" ")[:2]) for request in case.accepted]
    return None if (accepted, end) == (wanted, case.end) else f"the reference reads {accepted}, then {end}"


def other_status(case: Case, outcome: Outcome) -> str | None:
    """Where the refusal is not the one that fits."""
    if isinstance(case.end, str) or outcome.answers[-1].status == case.end:
        return None
    return f"refused with {outcome.answers[-1].status}, not {case.end}"
