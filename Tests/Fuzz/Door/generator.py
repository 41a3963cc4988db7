"""Streams of one to four pipelined requests: sound ones, most of them then spoilt by a trick."""

import random
from dataclasses import dataclass, field

METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] * 12 + ["TRACE", "get", "X" * 32, "Ab!#$%&'*+-.^_`|~9"]
HOSTS = ["door", "DOOR:8080", "127.0.0.1", "[::1]:80", "[::ffff:1.2.3.4]", "a.b-c_d~e", "x:", "%41:65535", "a,b"]
SEGMENTS = ["counter", "a", "%20", "%c3%a9", "a%2Fb", "~-._!$&'()*+,;=:@", "..", ".", "x" * 40, "%E9"]
QUERIES = ["", "a=b", "a", "a=%20+b", "a=%c3%a9", "a=%", "%zz=1", "??//", "a=b&a=c&&=", "%FF=%00"]
VALUES = ["", "x", "a, b", "\t x \t", "\xc3\xa9", "\xff\xfe", 'q=0.5;"quoted \\" text"', ":", "x" * 300, "a; b; c"]
NAMES = """Accept accept-language AUTHORIZATION Bindery-Session Content-Encoding Content-Type Cookie If-Match If-None-Match
 Origin X-Forwarded-For X-Forwarded-Host XForwardedFor traceparent !#$%&'*+-.^_`|~9 Keep-Alive TE Trailer Upgrade""".split()
CONNECTIONS = ["keep-alive", "Keep-Alive", "close", "x, close", "upgrade", "", ",TE,,"]
EXTENSIONS = ["", "", "", ";a", ";a=b", ';a="b c\\"d"', ';a;b=c;d=""', ";x=" + "y" * 240]

# Tricks: what makes a kind reader take a request for another one. A bar separates them.
FRAMES = ["Content-Length:" + value for value in "| 37| 0| +5| 5, 5| 5,6| 0x5| 5 5| -1| 65537| 5\0| 5 ".split("|")]
FRAMES += ["Transfer-Encoding:" + value for value in (
    "| chunked| gzip, chunked| chunked, chunked| identity| chunked\0x| \x0bchunked| chunked;a| chunked | \"chunked\"").split("|")]
FRAMES += ["Transfer_Encoding: chunked", "Content-Length\0: 5", "Content-Length: 18446744073709551616"]
BAD_HOSTS = ["Host: " + value for value in (
    'other|a b<>"/@||user@door|door/x|door:65536|door:x|[::1|[1:2:3:4:5:6:7:8:9]|[v1.x]|a,b|%4|::1|a?b|\xe9|:80').split("|")]
ODD = (": x|:| : x|X : y|X\t: y|\tX: y| X: y|X|X y: z|X\0: y|\0|\0X: y|X: \0|X: a\0b|X: a\rb|X: a\nb|X: a\n|X: a\r|X: \x7f"
       "|X: a\x0bb|X(: y|X\xe9: y|X: y\r\n z|X:\r\n z|X: y\r\n\t|\r\nX: y|Connection: a b|Connection: close\x0b|Expect: x"
       "|Connection: keep-alive, close|Expect: 100-continue|Expect:|Upgrade: h2c\r\nConnection: Upgrade").split("|")
LINES = ("{m} {t}|{m}  {t} {v}|{m} {t}  {v}| {m} {t} {v}|{m} {t} {v} |{m}\t{t} {v}|{m} {t} {v} {v}|{m} {t}?a HTTP/1.0 {v}"
         "|{m} {t}\0/../x {v}|{m} {t}%00 {v}|{m} {t} http/1.1|{m} {t} HTTP/2.0|{m} {t} HTTP/1.2|{m} {t} HTTP/1.10|{m}: {t} {v}"
         "|{m} {t} HTTP/1.1\0|{m}\0 {t} {v}|{m} {t}#x {v}|{m} {t}\\ {v}|{m} {t}\xe9 {v}|{m} {t}%zz {v}|{m} {t}[ {v}|{m} x{t} {v}"
         "|{m} http://other{t} {v}|{m} http:{t} {v}|{m} * {v}|{m} http://u@door/ {v}|CONNECT door:80 {v}|CONNECT {t} {v}"
         "|{m} http:///x {v}|{m} http://door?a=b {v}| {t} {v}|{m}  {v}|{m}||PRI * HTTP/2.0|{m} {t}\x7f {v}|{m}\x0b{t}\x0b{v}"
         "|{m} {t}\r{v}").split("|")
CHUNK_LINES = [*b"|g|0x2|+2|-2| 2|2 |2\t|2 ;a|2; a|2;a =b|2;|2;;|2;a=\"b|2\n|2;a\nb|2;a\rb|2\r|10001|2_|2,|2\0|\r\n2|2\r\n".split(b"|"),
               b"2;" + b"a" * 6000, b"0" * 6000, b"f" * 16, b"F" * 17, b"10000000000000002"]
ENDS = ["\n", "\r", "\n\r", "\r\r\n", "", " \r\n", "\x00\r\n", "\r\n ", "\t\r\n", "\x0b\r\n", "\r\n\r\n", "\n\n"]
TRAILERS = ["", "X: y\r\n", "Cookie: a=b\r\nETag:\r\n", "Content-Length: 5\r\n", "host: x\r\n", ": x\r\n", "X : y\r\n", " x\r\n",
            "X: y\n", "X: y\r\n z\r\n", "X\r\n", "X: \0\r\n", "\n", "\r", "X: " + "y" * 9000 + "\r\n", "X: y\r\n" * 1400]
BYTES = [*b"\n|\r|\0| |\t|:|\r\n\r\n|\r\n |0\r\n\r\n|\x80|\xff|%|HTTP/1.1|chunked|;|\"".split(b"|"), b"\r\n"]


@dataclass
class Piece:
    """A request in parts: the request line, the field lines with their ends, the body. A character is a byte."""

    method: str
    target: str = "/"
    version: str = "HTTP/1.1"
    fields: list[str] = field(default_factory=list)
    body: list[bytes] = field(default_factory=list)
    before: str = ""
    line: str = "{m} {t} {v}"
    ends: list[str] = field(default_factory=lambda: ["\r\n", "\r\n"])  # of the request line and of the head

    def bytes(self) -> bytes:
        line = self.before + self.line.format(m=self.method, t=self.target, v=self.version)
        return (line + self.ends[0] + "".join(self.fields) + self.ends[1]).encode("latin-1") + b"".join(self.body)

    def add(self, rng: random.Random, line: str) -> None:
        self.fields.insert(rng.randint(0, len(self.fields)), line + "\r\n")


def sound(rng: random.Random) -> Piece:
    """A request within the grammar and the limits, or at them."""
    piece = Piece(rng.choice(METHODS))
    host = rng.choice(HOSTS)
    path = "/" + "/".join(rng.choice(SEGMENTS) for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4, 5])))
    if rng.random() < 0.03:
        path += "/" + "p" * rng.choice([1000, 4096 - len(path), 4095 - len(path)])
    if rng.random() < 0.08:
        path = rng.choice(["http", "https", "HTTP"]) + f"://{host}" + rng.choice([path, path, ""])
    piece.target = path + ("?" + rng.choice(QUERIES) if rng.random() < 0.4 else "")
    piece.version = "HTTP/1.0" if rng.random() < 0.12 else "HTTP/1.1"
    if piece.version == "HTTP/1.1" or rng.random() < 0.7 or "://" in path:
        piece.add(rng, f"{rng.choice(['Host', 'host', 'HOST'])}: {host}")
    for _ in range(rng.choice([0, 0, 1, 2, 3, 6])):
        piece.add(rng, rng.choice(NAMES) + rng.choice([": ", ": ", ":", ":\t"]) + rng.choice(VALUES))
    if rng.random() < 0.15:
        piece.add(rng, "Connection: " + rng.choice(CONNECTIONS))
    if rng.random() < 0.04:  # What fills the pool of the connection.
        piece.add(rng, "Cookie: " + rng.choice(["c", "c;", "c; "]) * rng.choice([100, 1040, 2600]))
        piece.fields += ["F:\r\n"] * rng.choice([0, 20, 60, 200])
    piece.before = "\r\n" if rng.random() < 0.03 else ""
    if rng.random() < 0.45:
        add_body(rng, piece)
    if rng.random() < 0.02:
        room = rng.choice([8191, 8192, 8193]) - len(piece.bytes()) + sum(map(len, piece.body)) + len(piece.before)
        piece.fields.append("F: " + "f" * max(0, room - 5) + "\r\n")
    return piece


def add_body(rng: random.Random, piece: Piece) -> None:
    """A body of a length, or one in chunks."""
    size = rng.choice([0, 1, 5, 37, 300]) if rng.random() < 0.99 else rng.choice([65535, 65536, 65537, 5000])
    body = (rng.choice([rng.randbytes(37), b"GET /smuggled HTTP/1.1\r\nHost: door\r\n\r\n"]) * (size // 37 + 1))[:size]
    if rng.random() < 0.1:
        piece.add(rng, "Expect: 100-continue")
    if rng.random() < 0.5 or piece.version == "HTTP/1.0":
        piece.add(rng, "Content-Length: " + rng.choice(["", "", "", "00"]) + str(size))
        piece.body = [body]
        return
    piece.add(rng, "Transfer-Encoding: " + rng.choice(["chunked", "Chunked", "CHUNKED"]))
    while body:
        length = rng.randint(1, len(body))
        line = rng.choice(["%x", "%X", "%04x", "%016x"]) % length + rng.choice(EXTENSIONS)
        piece.body += [line.encode() + b"\r\n", body[:length], b"\r\n"]
        body = body[length:]
    piece.body += [("0" + rng.choice(EXTENSIONS) + "\r\n").encode(), rng.choice(TRAILERS[:3]).encode(), b"\r\n"]


def spoil(rng: random.Random, piece: Piece) -> None:
    """Plays one trick on a request."""
    kind, place = rng.randrange(9), rng.randrange(max(1, len(piece.fields)))
    odd = rng.choice(rng.choice([FRAMES, BAD_HOSTS, ODD, ODD]))
    if kind in (0, 1) or not piece.fields:
        piece.add(rng, odd)
    elif kind == 2:  # A field that frames or routes becomes another one, or is folded or glued.
        places = [n for n, line in enumerate(piece.fields) if line[:4].lower() in ("host", "cont", "tran")]
        place, colon = rng.choice(places or [place]), rng.choice([":\r\n ", " :", "\t:", "\0:", ":\0", ": \x0b"])
        piece.fields[place] = rng.choice([odd + "\r\n", piece.fields[place].replace(":", colon, 1)])
    elif kind == 3:
        piece.fields[place:place + 1] = rng.choice([[], [piece.fields[place]] * 2])
    elif kind == 4:  # A line ends with something other than CRLF.
        piece.fields[place] = piece.fields[place][:-2] + rng.choice(ENDS)
    elif kind == 5:
        piece.before = rng.choice(["", "\r\n\r\n", "\n", " ", "\r", "\0", "\r\n \r\n"])
        piece.ends[rng.randrange(2)] = rng.choice(["\r\n", *ENDS])
    elif kind in (6, 7) or len(piece.body) < 3:
        piece.line = rng.choice(LINES)
    else:  # A chunk line, the end of a chunk, or a trailer.
        place = rng.randrange(len(piece.body))
        line = rng.choice(CHUNK_LINES) + rng.choice([b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r", b""])
        piece.body[place] = line if place % 3 == 0 else rng.choice([b"", b"\n", b"\r", b"\r\n\r\n", b"xx"])
        piece.body[-2] = rng.choice([piece.body[-2], piece.body[-2], rng.choice(TRAILERS).encode()])


def stream(rng: random.Random) -> tuple[bytes, list[int]]:
    """A stream, and where it is cut when it is sent: nowhere, in a few places, or after each byte of a part."""
    pieces, chance = [sound(rng) for _ in range(rng.choice([1, 1, 2, 2, 3, 4]))], rng.random()
    for _ in range(rng.choice([1, 1, 1, 2]) if chance < 0.5 else 0):
        spoil(rng, rng.choice(pieces))
    data = b"".join(piece.bytes() for piece in pieces)
    for _ in range(rng.choice([1, 1, 2, 3]) if chance > 0.85 else 0):  # Changes of bytes, whatever they mean.
        at = rng.randint(0, len(data))
        old = data[at:at + rng.choice([0, 1, 1, 2, 8, 40])]
        new = rng.choice([b"", rng.choice(BYTES), rng.randbytes(1), old * 2, bytes(byte ^ 32 for byte in old)])
        data = data[:at] + (new + data[at + len(old):] if rng.random() < 0.9 else b"")
    cuts = [rng.randint(0, len(data)) for _ in range(rng.choice([0, 0, 1, 2, 4]))]
    return data, sorted(cuts) if rng.random() < 0.95 else list(range(min(cuts, default=0), len(data)))[:40]
