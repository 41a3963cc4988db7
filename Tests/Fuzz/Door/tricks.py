"""What is done to a sound request so that a kind reader takes it for another one; now and then it stays sound."""

import random

FRAMES = [
    "Content-Length: 37", "Content-Length: 0", "Content-Length: +5", "Content-Length: 5, 5", "Content-Length: 5,6",
    "Content-Length:", "Content-Length: 0x5", "Content-Length: 5 5", "Content-Length: -1", "Content-Length: 65537",
    "Content-Length: 18446744073709551616", "Content-Length: 00000000000000000000000000000005",
    "Content-Length: 5\x00", "Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked",
    "Transfer-Encoding: chunked, chunked", "Transfer-Encoding:", "Transfer-Encoding: identity",
    "Transfer-Encoding: chunked\x00gzip", "Transfer-Encoding: \x0bchunked", "Transfer-Encoding: chunked;a",
    "Transfer-Encoding: xchunked", "Transfer_Encoding: chunked", "Content-Length\x00: 5",
    'Transfer-Encoding: "chunked"', "Content_Length: 5", "Content-Length: ५",
]
HOSTS = [
    "Host: other", 'Host: a b<>"/@', "Host:", "Host: user@door", "Host: door/x", "Host: door:65536", "Host: door:x",
    "Host: [::1", "Host: [1:2:3:4:5:6:7:8:9]", "Host: [v1.x]", "Host: [fe80::1%25eth0]", "Host: a,b", "Host: %4",
    "Host: ::1", "Host: [::ffff:1.2.3.4]:", "Host: a?b", "Host: a#b", "Host: \xe9", "Host: :80",
    "Host: door:00000080",
]
ODD = [
    ": x", ":", " : x", "X : y", "X\t: y", "\tX: y", " X: y", "X", "X y: z", "X\x00: y", "\x00", "\x00X: y",
    "X: \x00", "X: a\x00b", "X: a\rb", "X: a\nb", "X: a\n", "X: a\r", "X: \x7f", "X: \x01", "X: a\x0bb", "X(: y",
    "X@: y", "X\xe9: y", "X: y\r\n z", "X:\r\n z", "X: y\r\n\t", "\r\nX: y", "Connection: a b",
    "Connection: close\x0b", 'Connection: "close"', "Connection: keep-alive, close", "Expect: 100-continue",
    "Expect: x", "Expect:", "Expect: 100-continue, x", "Upgrade: h2c\r\nConnection: Upgrade",
]
LINES = [
    "{m} {t}", "{m}  {t} {v}", "{m} {t}  {v}", " {m} {t} {v}", "{m} {t} {v} ", "{m}\t{t} {v}", "{m} {t} {v} {v}",
    "{m} {t}?a HTTP/1.0 {v}", "{m} {t}\x00/../x {v}", "{m} {t}%00 {v}", "{m} {t} http/1.1", "{m} {t} HTTP/2.0",
    "{m} {t} HTTP/1.2", "{m} {t} HTTP/0.9", "{m} {t} HTTP/1.10", "{m} {t} HTTP/11", "{m} {t} HTTP/1.1\x00",
    "{m} {t} HTTPS/1.1", "{m} {t} HTTP/1,1", "{m}\x00 {t} {v}", "{m}: {t} {v}", "{m} {t}#x {v}", "{m} {t}\\ {v}",
    "{m} {t}\xe9 {v}", "{m} {t}%zz {v}", "{m} {t}% {v}", '{m} {t}" {v}', "{m} {t}[ {v}", "{m} x{t} {v}",
    "{m} http://other{t} {v}", "{m} http:{t} {v}", "{m} http://u@door/ {v}", "{m} * {v}", "CONNECT door:80 {v}",
    "CONNECT {t} {v}", "{m} door:80 {v}", "{m} ftp://door/ {v}", "{m} http://door?a=b {v}", "{m} http://door:80/ {v}",
    "{m} http:///x {v}", "MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMM {t} {v}", " {t} {v}", "{m}  {v}", "{m}", "",
    "{m} /?a=b|c {v}", "{m} /{{}} {v}", "PRI * HTTP/2.0", "{m} {t}\x7f {v}", "{m}\x0b{t}\x0b{v}", "{m} {t}\r{v}",
]
CHUNK_LINES = [
    b"2;" + b"a" * 255, b"2;" + b"a" * 253, b"2;" + b"a" * 254, b"2;" + b"a" * 6000, b"0" * 17, b"0" * 6000, b"",
    b"g", b"0x2", b"+2", b"-2", b" 2", b"2 ", b"2\t", b"2 ;a", b"2; a", b"2;a =b", b"2;a= b", b"2;", b"2;;", b"2;=",
    b"2;a=", b'2;a="b', b'2;a="\x00"', b'2;a="\\\x01"', b"2\n", b"2;a\nb", b"2;a\rb", b"2\r", b"ffffffffffffffff",
    b"10000000000000002", b"FFFFFFFFFFFFFFFFF", b"10001", b"2_", b"2,", b"2\x00", b"2;a\x00", b"\r\n2", b"2\r\n",
]
ENDS = [
    "\n", "\r", "\n\r", "\r\r\n", "", " \r\n", "\x00\r\n", "\r\n ", "\t\r\n", "\x0b\r\n", "\r\n\r\n", "\r\n\x00\r\n",
    "\n\n",
]
TRAILERS = [
    b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", b"host: x\r\n", b": x\r\n", b"X : y\r\n", b" x\r\n",
    b"X: y\n", b"X: y\r\n z\r\n", b"X\r\n", b"X: \x00\r\n", b"\n", b"\r", b"X: " + b"y" * 8185 + b"\r\n",
    b"X: " + b"y" * 8186 + b"\r\n", b"X: y\r\n" * 1400,
]
BYTES = [
    b"\r\n", b"\n", b"\r", b"\0", b" ", b"\t", b":", b"\r\n\r\n", b"\r\n ", b"0\r\n\r\n", b"\x80", b"\xff", b"%",
    b"HTTP/1.1", b"chunked", b";", b'"',
]


def spoil(rng: random.Random, piece) -> None:
    """Plays one trick on a request."""
    rng.choice(
        [add_line, add_line, replace_line, repeat_line, drop_line, end_line, request_line, request_line, chunk, chunk]
    )(rng, piece)


def add_line(rng: random.Random, piece) -> None:
    """One more field line, odd or framing or routing."""
    line = rng.choice(rng.choice([FRAMES, HOSTS, ODD, ODD]))
    piece.fields.insert(rng.randint(0, len(piece.fields)), as_bytes(line) + "\r\n")


def as_bytes(line: str) -> str:
    """A character for each byte, also of a digit that is none of ASCII's."""
    return line.replace("५", "५".encode().decode("latin-1"))


def replace_line(rng: random.Random, piece) -> None:
    """A framing or routing field becomes another one of its kind."""
    for place, line in enumerate(piece.fields):
        name = line.partition(":")[0].lower()
        if name in ("host", "content-length", "transfer-encoding") and rng.random() < 0.8:
            other = as_bytes(rng.choice(HOSTS if name == "host" else FRAMES))
            fold = line.replace(":", ":\r\n ", 1)
            glued = line.replace(":", rng.choice([" :", "\t:", "\x00:", ":\x00", ": \x0b"]), 1)
            piece.fields[place] = rng.choice([other + "\r\n", fold, glued])
            return
    add_line(rng, piece)


def repeat_line(rng: random.Random, piece) -> None:
    """A field comes twice."""
    if piece.fields:
        piece.fields.insert(rng.randint(0, len(piece.fields)), rng.choice(piece.fields))


def drop_line(rng: random.Random, piece) -> None:
    """A field does not come."""
    if piece.fields:
        piece.fields.pop(rng.randrange(len(piece.fields)))


def end_line(rng: random.Random, piece) -> None:
    """A line ends with something other than CRLF, or something odd stands before the request."""
    end, kind = rng.choice(ENDS), rng.random()
    if kind < 0.2:
        piece.line_end = end
    elif kind < 0.4:
        piece.head_end = end
    elif kind < 0.5:
        piece.before = rng.choice(["\r\n\r\n", "\n", " ", "\r", "\x00", "\r\n \r\n"])
    elif piece.fields:
        place = rng.randrange(len(piece.fields))
        piece.fields[place] = piece.fields[place][:-2] + end


def request_line(rng: random.Random, piece) -> None:
    """Another request line."""
    piece.line = rng.choice(LINES).format(m=piece.method, t=piece.target, v=piece.version)


def chunk(rng: random.Random, piece) -> None:
    """A chunk's line, its end or a trailer is spoilt; a request without chunks gets one that frames."""
    lines = [place for place in range(0, len(piece.body), 3)]
    if len(piece.body) < 3:
        return add_line(rng, piece)
    kind, place = rng.random(), rng.choice(lines)
    if kind < 0.6:
        piece.body[place] = rng.choice(CHUNK_LINES) + rng.choice([b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r", b""])
    elif kind < 0.75:
        piece.body[rng.randrange(len(piece.body))] = rng.choice([b"", b"\n", b"\r", b"\r\n\r\n", b"xx"])
    else:
        piece.body[-2] = rng.choice(TRAILERS)


def spoil_bytes(rng: random.Random, data: bytes) -> bytes:
    """One to three changes of bytes, whatever they mean."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        at = rng.randint(0, len(data))
        to = min(len(data), at + rng.choice([0, 1, 1, 2, 8, 40]))
        new = rng.choice(
            [b"", rng.choice(BYTES), rng.randbytes(1), data[at:to] * 2, bytes(b ^ 32 for b in data[at:to])]
        )
        data = data[:at] if rng.random() < 0.1 else data[:at] + new + data[to:]
    return data
