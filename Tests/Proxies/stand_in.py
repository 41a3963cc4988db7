"""A server in the place of Bindery that breaks connections or never answers, and notes what it was sent."""

import contextlib
import queue
import socket
import threading
from typing import NamedTuple

HEAD = b"HTTP/1.1 200 OK\r\n"
STREAM = HEAD + b"Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n8\r\ndata: 1\n\n\r\n"


class Tried(NamedTuple):
    """A request for `/tried`."""

    method: str
    version: str
    fields: list
    connection: socket.socket

    def values(self, name):
        return [value for other, value in self.fields if other == name]


class StandIn:
    """Answers 200 to whole requests. On the next `breaks` of those for `/tried` it hangs up, without an answer.

    Those for `/poll` and `/stream` wait until the client has left.
    """

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.breaks = 0
        self.tried = []
        self.waiting = queue.Queue()
        self.left = queue.Queue()
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def methods(self):
        return [each.method for each in self.tried]

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=[connection], daemon=True).start()

    def serve(self, connection):
        with connection, contextlib.suppress(OSError), connection.makefile("rb") as stream:
            while line := stream.readline():
                fields = []
                while (field := stream.readline()) not in (b"\r\n", b""):
                    name, value = field.decode().split(":", 1)
                    fields.append((name.lower(), value.strip()))
                stream.read(int(dict(fields).get("content-length", 0)))
                method, path, version = line.decode().split()
                if path == "/tried":
                    self.tried.append(Tried(method, version, fields, connection))
                    if self.breaks > 0:
                        self.breaks -= 1
                        return
                if path in ("/poll", "/stream"):
                    self.wait(connection, stream, path)
                    return
                connection.sendall(HEAD + b"Content-Length: 2\r\n\r\n{}")

    def wait(self, connection, stream, path):
        if path == "/stream":
            connection.sendall(STREAM)
        self.waiting.put(path)
        with contextlib.suppress(OSError):
            stream.read()
        self.left.put(path)

    def close(self):
        self.listener.close()
