"""Heads whose reading is known: bad ones that servers were once taken in by, and their sound twins.

After a bad head nothing is read as a request: the server answers 4xx or 5xx and closes, or only closes. A sound twin is
read as both oracles read it, and the next request is answered.
"""

from client import PATIENCE, Connection, Echo
from oracles import Readings

NEXT = b"GET /next HTTP/1.1\r\nHost: door\r\n\r\n"
INNER = "GET /smuggled HTTP/1.1\r\nH: x\r\n\r\n"
LENGTH = f"Content-Length: {len(INNER)}"
CODING = "Transfer-Encoding: chunked"
CHUNKS = "5\r\nhello\r\n0\r\n\r\n"


def head(*lines: str, method: str = "GET", host: str = "Host: door\r\n") -> str:
    return f"{method} /counter HTTP/1.1\r\n{host}{''.join(line + chr(13) + chr(10) for line in lines)}\r\n"


def post(*lines: str, body: str = INNER) -> str:
    return head(*lines, method="POST") + body


def line(text: str) -> str:
    return text + "\r\nHost: door\r\n\r\n"


LONG = {"body": "b" * 65536, "target": "p" * 4095, "field": "c" * 8150}
# Streams by name. The next request follows each.
SOUND = {
    "empty line first": "\r\n" + head(), "GET with a body": head(LENGTH) + INNER, "no body": post("Content-Length: 0", body=""),
    "HTTP/1.0": "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "target at its limit": line(f"GET /{LONG['target']} HTTP/1.1"),
    "head at its limit": head("X: " + LONG["field"]), "body at its limit": post("Content-Length: 65536", body=LONG["body"]),
    "chunked": post(CODING, body=CHUNKS), "CHUNKED": post(CODING.upper(), body=CHUNKS), "a length": post("x: x", LENGTH),
    "zeros": post("Content-Length: 005", body="hello"), "Expect": post("Expect: 100-continue", LENGTH),
    "extension": post(CODING, body="5;a=\"b\"\r\nhello\r\n0\r\nX: y\r\n\r\n"),
}
BAD = {
    # The heads by which 0.9.75 reads two requests where there is one.
    "empty field name": post(": x", LENGTH), "fold after Content-Length": post(LENGTH.replace(" ", "\r\n ")),
    "fold after Transfer-Encoding": post(CODING + "\r\n x", body=CHUNKS), "fold in a second Host": head("Host:\r\n other"),
    "fold before any field": head(host=" Host: door\r\n"), "NUL in Content-Length": post(LENGTH.replace(": ", ": 0\0")),
    "NUL in Transfer-Encoding": post(CODING + "\0gzip", body=CHUNKS), "NUL first on a line": post("\0X: y", LENGTH),
    "NUL alone on a line": post("\0", LENGTH),
    # Lines.
    "line ended by LF": head("X: y").replace("y\r\n", "y\n"), "head ended by LF": head("X: y")[:-2] + "\n",
    "request line ended by LF": head("X: y").replace("\r\n", "\n", 1), "no Host": head(host="X: y\r\n"),
    "NUL before the line": "\0" + head(), "line that begins with NUL": "\0GET /a HTTP/1.1\r\n",
    "field line ended by NUL LF": head("X: y").replace("y\r\n", "y\0\n"), "head ended by NUL LF": head("X: y")[:-2] + "\0\n",
    "head ended by a colon and LF": head("X: y")[:-2] + ":\n",
    "field line ended by NUL CR": head("X: y").replace("y\r\n", "y\0\r"),
    "request line ended by NUL LF": head("X: y").replace("\r\n", "\0\n", 1),
    "target over the limit": line(f"GET /{LONG['target']}p HTTP/1.1"), "head over the limit": head(f"X: {LONG['field']}c"),
    "head without an end": head("X: " + "c" * 20000)[:-4], "request line without an end": "GET /" + "p" * 20000,
    "two versions of HTTP/1.0": "GET /a HTTP/1.0 HTTP/1.0\r\n\r\n",
    # The length of the body.
    "Content-Length twice": post(LENGTH, LENGTH), "two Content-Lengths": post("Content-Length: 0", LENGTH),
    "the longer length first": post(LENGTH, "Content-Length: 0"), "length, chunked": post(LENGTH, CODING, body=CHUNKS),
    "chunked, length": post(CODING, LENGTH, body=CHUNKS), "two Transfer-Encodings": post(CODING, CODING, body=CHUNKS),
    "chunked in HTTP/1.0": f"POST /a HTTP/1.0\r\nHost: door\r\n{CODING}\r\n\r\n{CHUNKS}",
    "body over the limit": post("Content-Length: 65537", body=LONG["body"] + "b"),
    "length beyond any number": post("Content-Length: " + "9" * 400),
    "Expect without a body": head("Expect: 100-continue", "Content-Length: 0"),
    "Expect without a body, and another": head("Expect: 100-continue", "Expect: x"),
}

def name_host(text: str) -> str:
    return head(host=f"Host: {text}\r\n")


for table, make, texts in [
    (SOUND, line, "GET /a?b HTTP/1.1|PUT /a HTTP/1.1|GET /a?a=%zz HTTP/1.1|GET /a%20 HTTP/1.1|GET /a?a=%5B HTTP/1.1|GET /a/../x HTTP/1.1"
     "|GET http://door/a?b=0 HTTP/1.1|GET http://DOOR?b=0 HTTP/1.1|GET https://door/ HTTP/1.1|OPTIONS /a HTTP/1.1"),
    (BAD, line, "GET /a?b HTTP/1.0 HTTP/1.1|GET /a\0/../x HTTP/1.1|GET  /a HTTP/1.1|GET /a  HTTP/1.1|GET\t/a HTTP/1.1|GET /a HTTP/1.1 "
     "| GET /a HTTP/1.1|GET /a http/1.1|GET /a HTTP/1.10|GET /a HTTP/2.0|GET /a HTTP/1.2|GET /a HTTP/0.9|GET /a|GET a HTTP/1.1"
     "|P(T /a HTTP/1.1|GET /%zz HTTP/1.1|GET /a%2 HTTP/1.1|GET /a#x HTTP/1.1|GET /\x01 HTTP/1.1|GET /\x7f HTTP/1.1|GET /\xe9 HTTP/1.1"
     "|GET /a\\ HTTP/1.1|GET /a?a=[ HTTP/1.1|GET http://other/a HTTP/1.1|GET http://u@door?b HTTP/1.1|GET ftp://door/ HTTP/1.1"
     "|CONNECT door:80 HTTP/1.1|GET|GET /a HTTP/1.1 HTTP/1.1"),
    (SOUND, head, "X: y z|Sec-Fetch-Site: cross-site|Authorization: Bearer TOKEN|Cookie: a=b|X:\ty\t|X:|!#$%&'*+-.^_`~X: y|X: \xe9"
     "|X: a\tb|X: \x80\xff|X-Host: door|X-Expect: x|Expect: x|Accept: a\r\nX: y\r\nAccept: b"),
    (BAD, head, "X: y\r\n\tz|Sec-Fetch-Site:\r\n cross-site|Authorization: Bearer TOKEN\0junk|Origin: http://x\0.evil|X\0Y: y|X : y"
     "|Cookie: a=b\0; c=d|X\t: y|X|:|X(: y|X\xe9: y|X: y\nZ: z|X: y\rZ: z|X: a\x0bb|X: \x7f|Host: door"
     "|Transfer-Encoding : chunked|Cookie: a=b\r\n\r"),
    (SOUND, name_host, "evil.example:8080|[::1]:80|a,b|[1:2::8]|127.0.0.1:|a_b|%41"),
    (BAD, name_host, 'a b<>"/@|evil.example:80800|::1||[::1|[v1.x]|127.0.0.1:x|user@door|%4|\xe9'),
]:
    table.update({repr(text): make(text) for text in texts.split("|")})
LENGTHS = ["Content-Length:" + value for value in " 5, 5| +5|| 0x5| 5\x0b| -5".split("|")]
BAD.update({repr(text): post(text, body="hello") for text in LENGTHS})
for text in "chunked |chunked, chunked|gzip, chunked|identity||chunked, identity|\x0bchunked|chunked;a|xchunked".split("|"):
    BAD[f"coding {text!r}"] = post("Transfer-Encoding: " + text, body=CHUNKS)
# 0.9.75 overwrites NUL LF and CRLF alike, skips a line that begins with NUL, and repeats the header block of the others.
KNOWN = {"line that begins with NUL", "field line ended by NUL LF", "head ended by NUL LF", "head ended by a colon and LF",
         "length beyond any number", *map(repr, LENGTHS)}


def check(echo: Echo) -> tuple[int, dict[str, str], list[str]]:
    """How many requests were accepted; what is wrong with the bad heads, and with the sound ones."""
    accepted, wrong, failures = 0, {}, []
    for name, text in [*SOUND.items(), *BAD.items()]:
        stream, is_sound = text.encode("latin-1"), name in SOUND
        if (echo.library == "1.0.1" and name == "extension") or (echo.is_modern and name == "coding 'chunked '"):
            continue  # 1.0.1 refuses all extensions. 1.0 trims the value.
        data, step = stream + NEXT, 1 if len(stream) < 400 else 1000
        small = [data[at:at + step] for at in range(0, len(data), step)]
        for pieces in ([data], small, [stream, NEXT]):
            connection, readings = Connection(echo.port), Readings(data)
            methods = readings.methods if is_sound else [set(), set(), set()]
            outcome = connection.run(pieces, methods, len(methods), patience=PATIENCE if is_sound else 1.0)
            connection.socket.close()
            statuses = [answer.status for answer in outcome.answers]
            accepted += statuses.count(200)
            if is_sound:
                wanted = [200] if b"transfer-encoding" in stream.lower() else [200, 200]
                problem = readings.complaint(outcome) or (statuses != wanted and f"sound, but answered {statuses}")
                failures += [f"FAILED {name}: {problem}\n{data[:300]!r}"] if problem else []
            elif any(s < 400 for s in statuses) or outcome.end != "closed" or b"Echo-Sum" in outcome.rest:
                wrong[name] = f"{statuses}, {outcome.end}"
            elif b"HTTP/1.1 4" in outcome.rest:
                wrong[name] = f"{statuses}, repeats its header block"
    return accepted, wrong, failures
