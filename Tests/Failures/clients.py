"""Clients that say exactly what they are told, and judge what comes back."""
import select
import socket
import struct

PATIENCE = 8

# What became of a request. One that was not sent, since its connection was over by then, is nothing.
SOUND, REFUSED, CLOSED = "sound", "refused", "closed"
# In place of a body: a stream that was ended before its time.
ENDED = b"ended"


class Wrong(Exception):
    """An answer that nobody may be given, or none at all."""


class Client:
    """One connection. Once it is lost, it is lost for what follows too."""

    def __init__(self, port, receive_buffer=None):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(("127.0.0.1", port))
        self.held, self.outcomes, self.statuses = b"", [], []

    def send(self, text):
        try:
            self.socket.sendall(text if isinstance(text, bytes) else text.encode())
        except OSError as error:
            if isinstance(error, TimeoutError):
                raise Wrong("the server does not read") from None

    def close(self):
        self.socket.close()

    def half_close(self):
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def reset(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def fill(self):
        try:
            more = self.socket.recv(65536)
        except TimeoutError:
            raise Wrong(f"no answer and no end within {PATIENCE} s; had {self.held[:80]!r}") from None
        except OSError:
            more = b""
        if not more:
            raise EOFError
        self.held += more

    def take_to(self, end):
        while end not in self.held:
            self.fill()
        taken, self.held = self.held.split(end, 1)
        return taken

    def take(self, count):
        while len(self.held) < count:
            self.fill()
        taken, self.held = self.held[:count], self.held[count:]
        return taken

    def is_cut(self):
        """Whether the server has closed or reset it by now."""
        if not select.select([self.socket], [], [], 0)[0]:
            return False
        try:
            return self.socket.recv(1, socket.MSG_PEEK) == b""
        except OSError:
            return True

    def is_at_end(self):
        """Whether the server closes, and has nothing more to say."""
        try:
            self.fill()
        except EOFError:
            return not self.held
        return False

    def head(self):
        lines = self.take_to(b"\r\n\r\n").decode().split("\r\n")
        if not lines[0].startswith("HTTP/1."):
            raise Wrong(f"no status line: {lines[0]!r}")
        return int(lines[0].split()[1]), dict(line.lower().split(": ", 1) for line in lines[1:])

    def chunk(self):
        size = int(self.take_to(b"\r\n"), 16)
        bytes_ = self.take(size)
        if self.take(2) != b"\r\n":
            raise Wrong("a chunk without its end")
        return bytes_

    def answer(self, has_body=True):
        status, fields = self.head()
        while status == 100:
            status, fields = self.head()
        if not has_body:
            return status, b"", fields
        return status, self.take(int(fields["content-length"])), fields

    def is_over(self):
        return bool(set(self.outcomes) - {SOUND})

    def note(self, outcome, status=None):
        self.outcomes.append(outcome)
        if status:
            self.statuses.append(status)
        return outcome == SOUND

    def judge(self, expected, read):
        """Reads with `read`, which returns (status, body), and notes what it was. True where it was as expected."""
        if self.is_over():
            return False
        try:
            status, body = read()
        except EOFError:
            return self.note(CLOSED)
        if (status, body) == expected:
            return self.note(SOUND, status)
        if status in (400, 408, 500, 503) or body == ENDED:
            return self.note(REFUSED, status)
        raise Wrong(f"{status} {body[:60]!r} instead of {expected[0]} {expected[1][:60]!r}")

    def expect(self, status, body, has_body=True):
        return self.judge((status, body), lambda: self.answer(has_body)[:2])

    def expect_refusal(self, status):
        return self.expect(status, b'{"status":%d}' % status)

    def expect_end(self):
        """After the last answer."""
        if not self.is_over() and not self.is_at_end():
            raise Wrong(f"bytes after the last answer: {self.held[:60]!r}")

    def get(self, path="/", body=b"hello"):
        self.send(f"GET {path} HTTP/1.1\r\nHost: test\r\n\r\n")
        return self.expect(200, body)
