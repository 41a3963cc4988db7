"""Streams of one to four pipelined requests: sound ones from the grammar, most of them then spoilt somewhere."""

import random
from dataclasses import dataclass, field

import tricks

METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
OTHER_METHODS = ["TRACE", "PROPFIND", "get", "X" * 32, "M-SEARCH", "QUERY", "Ab!#$%&'*+-.^_`|~9"]
HOSTS = ["door", "DOOR:8080", "127.0.0.1", "[::1]:80", "[::ffff:1.2.3.4]", "a.b-c_d~e", "x:", "%41:65535", "a,b"]
SEGMENTS = ["counter", "a", "%20", "%c3%a9", "a%2Fb", "~-._!$&'()*+,;=:@", "..", ".", "increment", "x" * 40, "%E9"]
QUERIES = ["", "a=b", "a", "a=%20+b", "since=k3.4&wait=0", "a=%c3%a9", "a=%", "%zz=1", "??//", "a=b&a=c&&=", "%FF=%00"]
VALUES = [
    "", "x", "a, b", "\t x \t", "é", "\xff\xfe", 'q=0.5;"quoted \\" text"', ":", "a:b", "x" * 300,
    "Bearer AAAAAAAAAAAAAAAAAAAAAA", "bindery-session=AAAAAAAAAAAAAAAAAAAAAA; a=b", '"e.1", W/"e.2"', "same-origin",
]
NAMES = [
    "Accept", "accept-language", "AUTHORIZATION", "Bindery-Session", "Content-Encoding", "Content-Type", "Cookie", "Idempotency-Key",
    "If-Match", "If-None-Match", "Last-Event-ID", "Origin", "Sec-Fetch-Site", "X-Forwarded-For", "X-Forwarded-Host",
    "X-Forwarded-Proto", "Access-Control-Request-Method", "Access-Control-Request-Headers", "User-Agent", "X",
    "XForwardedFor", "!#$%&'*+-.^_`|~9", "Keep-Alive", "TE", "Trailer", "Upgrade",
]
EXTENSIONS = ["", "", "", ";a", ";a=b", ';a="b c\\"d"', ';a;b=c;d=""', ";x=" + "y" * 240]
TRAILERS = ["", "", "", "X: y\r\n", "Cookie: a=b\r\nETag:\r\n", "A: " + "b" * 400 + "\r\n"]


@dataclass
class Piece:
    """A request in pieces that tricks take apart: the request line, the fields' lines with their ends, the body."""

    method: str = "GET"
    target: str = "/"
    version: str = "HTTP/1.1"
    fields: list[str] = field(default_factory=list)
    body: list[bytes] = field(default_factory=list)
    before: str = ""
    line: str | None = None
    line_end: str = "\r\n"
    head_end: str = "\r\n"

    def bytes(self) -> bytes:
        """As it is sent; a character is a byte."""
        line = f"{self.method} {self.target} {self.version}" if self.line is None else self.line
        head = self.before + line + self.line_end + "".join(self.fields) + self.head_end
        return head.encode("latin-1") + b"".join(self.body)

    def add(self, rng: random.Random, name: str, value: str) -> None:
        """One more field line, anywhere."""
        space = rng.choice([" ", " ", " ", "", "\t", " \t "])
        self.fields.insert(rng.randint(0, len(self.fields)), f"{name}:{space}{value}{rng.choice(['', '', ' '])}\r\n")


def text(value: str) -> str:
    """The value in UTF-8, a character for each byte; what is said with \\xNN stays as it is."""
    return value if all(ord(c) < 128 or ord(c) in (0xFE, 0xFF) for c in value) else value.encode().decode("latin-1")


def target(rng: random.Random, host: str) -> str:
    """Path and query, now and then in absolute form or as long as may be."""
    path = "/" + "/".join(rng.choice(SEGMENTS) for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4, 5])))
    if rng.random() < 0.03:
        path += "/" + "p" * (rng.choice([2047, 2048, 2049, 1000]) - len(path) - 1)
    if rng.random() < 0.03:
        path += rng.choice(["/", "//", "//x"])
    query = "?" + rng.choice(QUERIES) if rng.random() < 0.4 else ""
    if rng.random() < 0.08:
        path = "" if rng.random() < 0.3 else path
        scheme = rng.choice(["http", "https", "HTTP"])
        return f"{scheme}://{rng.choice([host, host.upper(), host.lower()])}{path}{query}"
    return path + query


def sound(rng: random.Random) -> Piece:
    """A request within the grammar and the limits, or at them."""
    piece = Piece(rng.choice(METHODS if rng.random() < 0.95 else OTHER_METHODS))
    host = rng.choice(HOSTS)
    piece.target = "*" if piece.method == "OPTIONS" and rng.random() < 0.2 else target(rng, host)
    if rng.random() < 0.12:
        piece.version = "HTTP/1.0"
    if piece.version == "HTTP/1.1" or rng.random() < 0.7 or "://" in piece.target:
        piece.add(rng, rng.choice(["Host", "host", "HOST", "hOsT"]), host)
    for _ in range(rng.choice([0, 0, 1, 2, 3, 6])):
        piece.add(rng, rng.choice(NAMES), text(rng.choice(VALUES)))
    if rng.random() < 0.02:
        piece.add(rng, "Cookie", "c" * rng.choice([1040, 3500, 4096, 7900]))
    if rng.random() < 0.15:
        piece.add(
            rng, "Connection", rng.choice(["keep-alive", "Keep-Alive", "close", "x, close", "upgrade", "", ",TE,,"])
        )
    if rng.random() < 0.03:
        piece.before = "\r\n"
    add_body(rng, piece)
    if rng.random() < 0.02:
        fill(rng, piece, 8192 + rng.choice([-1, 0, 0, 1]))
    return piece


def add_body(rng: random.Random, piece: Piece) -> None:
    """No body, one of a length, or one in chunks."""
    kind = rng.random()
    size = rng.choice([0, 1, 5, 37, 300]) if rng.random() < 0.99 else rng.choice([65535, 65536, 65537, 5000])
    body = rng.choice([rng.randbytes(min(size, 300)), b"GET /smuggled HTTP/1.1\r\nHost: door\r\n\r\n" * 9])
    body = (body * (size // max(1, len(body)) + 1))[:size]
    if kind < 0.55:
        return
    if rng.random() < 0.1:
        piece.add(rng, "Expect", rng.choice(["100-continue", "100-Continue"]))
    if kind < 0.78 or piece.version == "HTTP/1.0":
        piece.add(rng, rng.choice(["Content-Length", "content-length"]), rng.choice(["", "", "", "00"]) + str(size))
        piece.body = [body]
        return
    piece.add(
        rng, rng.choice(["Transfer-Encoding", "transfer-encoding"]), rng.choice(["chunked", "Chunked", "CHUNKED"])
    )
    while body:
        length = rng.randint(1, len(body))
        form = rng.choice(["%x", "%X", "%04x", "%016x"])
        piece.body += [(form % length + rng.choice(EXTENSIONS) + "\r\n").encode(), body[:length], b"\r\n"]
        body = body[length:]
    piece.body += [
        ("0" * rng.choice([1, 1, 16]) + rng.choice(EXTENSIONS) + "\r\n").encode(),
        rng.choice(TRAILERS).encode(),
        b"\r\n",
    ]


def fill(rng: random.Random, piece: Piece, size: int) -> None:
    """Makes the head that many bytes long."""
    head = len(piece.bytes()) - sum(map(len, piece.body)) - len(piece.before)
    if size - head > 6:
        piece.fields.append("F: " + "f" * (size - head - 5) + "\r\n")


def stream(seed: int, number: int) -> bytes:
    """The stream of that number: the same for the same seed."""
    rng = random.Random(f"{seed}/{number}")
    pieces = [sound(rng) for _ in range(rng.choice([1, 1, 2, 2, 3, 4]))]
    chance = rng.random()
    if chance < 0.45:
        for _ in range(rng.choice([1, 1, 1, 2])):
            tricks.spoil(rng, rng.choice(pieces))
    data = b"".join(piece.bytes() for piece in pieces)
    return tricks.spoil_bytes(rng, data) if chance > 0.85 else data


def cuts(seed: int, number: int, size: int) -> list[int]:
    """Where the stream is split when it is sent: nowhere, in a few places, or after each byte of a part."""
    rng = random.Random(f"{seed}/{number}/cuts")
    if size < 2 or rng.random() < 0.4:
        return []
    if rng.random() < 0.1:
        start = rng.randrange(1, size)
        return list(range(start, min(size, start + 40)))
    return sorted({rng.randrange(1, size) for _ in range(rng.choice([1, 2, 4]))})
