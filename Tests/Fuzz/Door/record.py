"""What door-echo answers to a request (Tests/Fuzz/Echo/Record.swift), written from the reference's reading."""

import re

from reading import Request

# The fields that the server keeps, RequestHeader.allCases; the driver holds this list to what door-echo says.
FIELDS = [
    b"accept", b"accept-language", b"access-control-request-method", b"authorization", b"bindery-session",
    b"content-encoding", b"content-type", b"cookie", b"host", b"idempotency-key", b"if-match", b"if-none-match",
    b"last-event-id", b"origin", b"sec-fetch-site", b"traceparent", b"x-forwarded-for", b"x-forwarded-host",
    b"x-forwarded-proto",
]
# Of these, several lines are one list (RFC 9110, section 5.3); of any other, the first counts.
LISTS = [b"accept", b"accept-language", b"if-match", b"if-none-match", b"x-forwarded-for"]
METHODS = [b"GET", b"HEAD", b"POST", b"PUT", b"PATCH", b"DELETE", b"OPTIONS"]
SEGMENTS = 4


def swift_name(field: bytes) -> bytes:
    """The field's case in Swift, its letters' size left out."""
    return field.replace(b"-", b"")


def served(request: Request) -> set[int]:
    """The statuses that may answer a request which the door let through: 200, or what the routes say of it."""
    segments = request.path.split(b"/")[1:]
    if request.path != b"*" and any(b"%00" in segment for segment in segments):
        return {400, 404}
    if request.path != b"/" and not (0 < len(segments) <= SEGMENTS and all(segments)):
        return {404}
    return {200} if request.method in METHODS else {405}


def record(request: Request) -> bytes:
    """The answer's body to the byte."""
    lines = [request.method, request.path, *query_lines(request.query or b"")]
    for name in FIELDS:
        values = request.values(name)
        if not values:
            continue
        value = b", ".join(values) if name in LISTS else values[0]
        lines.append(swift_name(name) + b"=" + readable(value))
        if len(values) > 1:
            lines.append(swift_name(name) + b" repeated")
    # What comes with GET or HEAD means nothing (RFC 9110, section 9.3.1), and is let go of.
    body = b"" if request.method in (b"GET", b"HEAD") else request.body
    return b"\n".join([*lines, b"", body.hex().encode()])


def query_lines(query: bytes) -> list[bytes]:
    """The query's names and values (WHATWG URL, section 5.1), or that it is malformed."""
    lines = []
    for part in query.split(b"&"):
        if part:
            name, _, value = part.partition(b"=")
            name, value = decoded(name), decoded(value)
            if name is None or value is None:
                return [b"query malformed"]
            lines.append(b"query " + name.hex().encode() + b"=" + value.hex().encode())
    return lines


def readable(value: bytes) -> bytes:
    """A field's value as HTTP's interface gives it: U+FFFD for each byte that is not ASCII."""
    return "".join(chr(byte) if byte < 128 else "\ufffd" for byte in value).encode()


def decoded(text: bytes) -> bytes | None:
    """Percent-decoded UTF-8; None where it is malformed."""
    text = text.replace(b"+", b" ")
    if re.search(rb"%(?![0-9A-Fa-f]{2})", text):
        return None
    text = re.sub(rb"%(..)", lambda match: bytes([int(match[1], 16)]), text, flags=re.DOTALL)
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text
