"""The client's side of a connection: streams out, answers in."""

import asyncio
import re
import socket
import zlib
from dataclasses import dataclass

HEAD = re.compile(rb"HTTP/1\.1 ([1-5][0-9]{2}) [^\r\n]*\r\n((?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[^\r\n]*\r\n)*)\r\n")


class Garbled(Exception):
    """What the server sent is no answer."""


@dataclass
class Answer:
    """One final answer."""

    status: int
    fields: dict[bytes, bytes]
    body: bytes = b""
    # How many 100 Continue came before it.
    continues: int = 0

    @property
    def closes(self) -> bool:
        return self.fields.get(b"connection", b"").lower() == b"close"

    def is_record(self, record: bytes, is_head: bool) -> bool:
        """Whether it is that record; a HEAD's answer shows its length and its checksum."""
        if self.fields.get(b"echo-sum") != str(zlib.adler32(record)).encode():
            return False
        return self.fields.get(b"content-length") == str(len(record)).encode() if is_head else self.body == record


class Connection:
    """A connection, and what has come of the answer that is next.

    A socket and not asyncio's streams: these forget what was received when a later write fails, and a server may close
    while there is more to send.
    """

    def __init__(self, socket: socket.socket):
        self.socket, self.buffer, self.continues = socket, b"", 0

    @classmethod
    async def open(cls, port: int) -> "Connection":
        client = socket.socket()
        client.setblocking(False)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().sock_connect(client, ("127.0.0.1", port))
        return cls(client)

    def close(self) -> None:
        self.socket.close()

    async def send(self, pieces: list[bytes]) -> None:
        """Sends the pieces, each in a system call of its own, others' turns between them."""
        loop = asyncio.get_running_loop()
        try:
            for piece in pieces:
                await loop.sock_sendall(self.socket, piece)
                await asyncio.sleep(0)
        except OSError:
            pass  # The server reads no more: what it has to say is still to be read.

    def finish(self) -> None:
        """No more will be sent: FIN."""
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # It is closed already.

    async def answer(self, is_head: bool | None) -> Answer | None:
        """The next final answer; None at the end of the connection.

        Where nobody knows what was asked, as of what is refused, a body that is announced may be left out.
        """
        while True:
            match = await self._head()
            if match is None:
                return None
            status = int(match[1])
            fields = {
                name.strip().lower(): value.strip()
                for name, _, value in (line.partition(b":") for line in match[2].splitlines())}
            self.buffer = self.buffer[match.end():]
            if status == 100:
                self.continues += 1
                continue
            length = int(fields.get(b"content-length", b"0"))
            body = b"" if is_head or status in (204, 304) else await self._body(length, is_head is None)
            answer = Answer(status, fields, body, self.continues)
            self.continues = 0
            return answer

    async def is_told_to_continue(self) -> bool:
        """Waits for 100 Continue; false where something else comes."""
        match = await self._head()
        if match is None or match[1] != b"100":
            return False
        self.buffer = self.buffer[match.end():]
        return True

    async def _head(self) -> re.Match | None:
        while not (match := HEAD.match(self.buffer)):
            if b"\r\n\r\n" in self.buffer or len(self.buffer) > 65536:
                raise Garbled(f"no answer: {self.buffer[:200]!r}")
            if not await self._more():
                if self.buffer:
                    raise Garbled(f"an answer cut short: {self.buffer[:200]!r}")
                return None
        return match

    async def _body(self, length: int, is_optional: bool) -> bytes:
        while len(self.buffer) < length:
            if not await self._more():
                if is_optional and not self.buffer:
                    return b""
                raise Garbled(f"a body cut short: {len(self.buffer)} of {length} bytes")
        body, self.buffer = self.buffer[:length], self.buffer[length:]
        return body

    async def _more(self) -> bool:
        """Reads on; a reset ends a connection as well as a FIN does, when all was read that came before it."""
        try:
            some = await asyncio.get_running_loop().sock_recv(self.socket, 65536)
        except OSError:
            some = b""
        self.buffer += some
        return bool(some)
