"""HTTP/1.1 as a client of the load speaks it: answers, chunks and events over one connection."""

import asyncio
import json

# What a request may take; a server that needs longer is broken.
PATIENCE = 20


class Lost(Exception):
    """The connection broke, or was never made: nobody knows whether the request was done."""


class Answer:
    """A whole answer."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.body[:200]!r}"


class Connection:
    """A connection that is made when it is needed, and again after it broke."""

    def __init__(self, port, host="localhost"):
        self.port, self.host = port, host
        self.reader = self.writer = None

    async def ask(self, method, path, headers=(), body=b""):
        """Sends a request and reads the answer."""
        try:
            async with asyncio.timeout(PATIENCE):
                await self.send(method, path, headers, body)
                status, names = await self.head()
                return Answer(status, names, await self.body(names))
        except (OSError, EOFError, asyncio.TimeoutError) as error:
            self.close()
            if isinstance(error, asyncio.TimeoutError):
                raise RuntimeError(f"{method} {path} was not answered within {PATIENCE} s") from error
            raise Lost from error

    async def send(self, method, path, headers=(), body=b""):
        if self.writer is None or self.writer.is_closing():
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.host}", *headers]
        if method == "POST":
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        self.writer.write("\r\n".join([*lines, "", ""]).encode() + body)

    async def head(self):
        """Reads an answer's status and headers, the names in lower case."""
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        fields = (line.split(": ", 1) for line in head[1:] if line)
        return int(head[0].split(" ")[1]), {name.lower(): value for name, value in fields}

    async def body(self, headers):
        body = await self.reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection") == "close":
            self.close()
        return body

    async def events(self):
        """The events of a chunked stream, as (name, id, data), until it ends."""
        text = b""
        while True:
            size = int(await self.reader.readuntil(b"\r\n"), 16)
            text += (await self.reader.readexactly(size + 2))[:size]
            if size == 0:
                return
            while b"\n\n" in text:
                event, text = text.split(b"\n\n", 1)
                fields = dict(line.split(": ", 1) for line in event.decode().split("\n"))
                if "event" in fields:
                    yield fields["event"], fields.get("id"), json.loads(fields["data"])

    def close(self):
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None
