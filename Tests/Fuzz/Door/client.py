"""The client's side: sends a stream over a socket and reads what the server answers."""

import contextlib
import re
import socket
import subprocess
from dataclasses import dataclass, field

HEAD = re.compile(rb"HTTP/1\.1 ([1-5][0-9]{2}) [^\r\n]*\r\n((?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[^\r\n]*\r\n)*)\r\n")
# Seconds without a byte until the client sends FIN, and seconds that the server may take for what it must do.
SILENCE, PATIENCE = 0.1, 10.0


@dataclass
class Answer:
    """One final answer. Names of fields are in lower case."""

    status: int
    fields: dict[bytes, bytes]
    body: bytes = b""

    @property
    def closes(self) -> bool:
        return self.fields.get(b"connection", b"").lower() == b"close"


@dataclass
class Outcome:
    """The answers to a stream, and the end: `open`, `closed`, `silent`, or what the server sent instead of an answer."""

    answers: list[Answer] = field(default_factory=list)
    end: str = "open"
    is_finished: bool = False  # The client sent FIN.
    rest: bytes = b""  # What came after the head of a refusal, or after another answer that closes.


class Connection:
    """A connection to the server."""

    def __init__(self, port: int):
        self.socket, self.buffer, self.uses = socket.create_connection(("127.0.0.1", port)), b"", 0
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def finish(self) -> None:
        """Sends FIN, unless the server has closed the connection."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)

    def run(self, pieces: list[bytes], methods: list[set[bytes]], whole: int, finishes: bool = False,
            patience: float = PATIENCE) -> Outcome:
        """Sends the pieces and reads `len(methods)` answers, or to the end of the connection.

        `methods[n]`: what request n may be. `whole`: so many requests must be answered or refused without a FIN.
        """
        outcome = Outcome(is_finished=finishes)
        with contextlib.suppress(OSError):  # If the server reads no more, its answers are still to be read.
            for piece in pieces:
                self.socket.sendall(piece)
        if finishes:
            self.finish()
        while outcome.end == "open" and len(outcome.answers) < len(methods):
            is_due = outcome.is_finished or len(outcome.answers) < whole
            self.socket.settimeout(patience if is_due else SILENCE)
            try:
                answer = self._answer(b"HEAD" in methods[len(outcome.answers)])
                outcome.answers += [answer] if answer and answer.status >= 200 else []
                if answer is None or answer.closes:
                    is_due = True
                    self.socket.settimeout(patience)
                    while self._more():
                        pass
                    outcome.end, outcome.rest = "closed", self.buffer
            except TimeoutError:
                outcome.end, outcome.is_finished = "silent" if is_due else "open", True
                self.finish()
            except ValueError as garbled:
                outcome.end = str(garbled)
        return outcome

    def _answer(self, is_head: bool) -> Answer | None:
        """The next answer; None at the end of the connection. The body of a refusal that closes stays in the buffer."""
        while not (match := HEAD.match(self.buffer)):
            if b"\r\n\r\n" in self.buffer or not self._more():
                if self.buffer:
                    raise ValueError(f"no answer: {self.buffer[:400]!r}")
                return None
        lines = [line.partition(b":") for line in match[2].splitlines()]
        answer = Answer(int(match[1]), {name.lower(): value.strip() for name, _, value in lines})
        is_short = is_head or answer.status < 200 or (answer.closes and answer.status >= 400)
        end = match.end() + (0 if is_short else int(answer.fields.get(b"content-length", b"0")))
        while len(self.buffer) < end:
            if not self._more():
                raise ValueError(f"a body cut short: {self.buffer[:400]!r}")
        answer.body, self.buffer = self.buffer[match.end():end], self.buffer[end:]
        return answer

    def _more(self) -> bool:
        """Reads on. The kernel hands out the bytes before a reset first."""
        try:
            some = self.socket.recv(65536)
        except ConnectionError:
            some = b""
        self.buffer += some
        return bool(some)


class Echo:
    """A door-echo of its own process."""

    def __init__(self, binary: str):
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port, self.library = self.process.stdout.readline().decode().split()
        self.is_modern = not self.library.startswith("0.")

    def stop(self) -> tuple[int, list[str]]:
        """Ends it. How many requests its handlers saw, and what is wrong with its end."""
        self.process.stdin.close()
        status, handled = self.process.wait(30), self.process.stdout.readline()
        return int(handled or 0), [f"FAILED: door-echo ended with status {status}"] if status else []
