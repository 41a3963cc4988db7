"""What a reader makes of a stream of bytes: the requests it accepts, and how it ends."""

from dataclasses import dataclass, field


@dataclass
class Request:
    """One accepted request. Names of fields are in lower case, values without the white space around them."""

    method: bytes
    target: bytes
    fields: list[tuple[bytes, bytes]]
    path: bytes = b""
    query: bytes | None = None
    version: bytes = b"HTTP/1.1"
    body: bytes = b""
    is_kept: bool = True
    is_chunked: bool = False
    had_empty_line: bool = False
    # The head as it came, line by line.
    lines: list[bytes] = field(default_factory=list)

    def values(self, name: bytes) -> list[bytes]:
        """The values of all fields of that name, in order."""
        return [value for known, value in self.fields if known == name]

    @property
    def may_continue(self) -> bool:
        """Whether a server may send 100 Continue first (RFC 9110, section 10.1.1)."""
        has_body = bool(self.body) or self.is_chunked
        return has_body and self.version == b"HTTP/1.1" and bool(self.values(b"expect"))


@dataclass
class Reading:
    """The requests, and the end.

    `open`: all was read, the connection stays; `closed`: the last request ends the connection, the rest is not read;
    `refused`: what follows is no request, see `status` and `why`; `waits`: what follows is not complete.
    """

    requests: list[Request] = field(default_factory=list)
    end: str = "open"
    status: int | None = None
    why: str = ""
    # Of a stream that waits: whether it waits for the body of a request that asked for 100 Continue.
    asks_to_continue: bool = False

    def describe(self) -> str:
        """One line for each request and one for the end, for people."""
        lines = [
            f"{show(r.method)} {show(r.target)} {show(r.version)}, {len(r.fields)} fields, body {show(r.body)}"
            for r in self.requests
        ]
        return "\n".join([*lines, " ".join(str(part) for part in (self.end, self.status, self.why) if part)])


def show(text: bytes, most: int = 80) -> str:
    """Bytes as a short literal."""
    return repr(text)[1:] if len(text) <= most else f"{repr(text[:most])[1:]}… ({len(text)} bytes)"
