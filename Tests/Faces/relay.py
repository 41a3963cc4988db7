"""A relay of TCP between pages and their server, which cuts, falls silent and holds back as networks and proxies do."""

import contextlib
import socket
import threading


class Relay:
    """Listens on a port of its own and passes on what comes."""

    def __init__(self, upstream):
        self.upstream = upstream
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.lock = threading.Lock()
        self.connections = []
        # How many POSTs lose their answer, and the connection with it.
        self.losing = 0
        # A proxy that buffers answers passes on the head of an event stream alone.
        self.holds_streams = False
        # A network may lose a connection and tell neither end.
        self.silent = set()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                try:
                    server = socket.create_connection(("127.0.0.1", self.upstream))
                except OSError:
                    client.close()
                    continue
                for end in client, server:
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                pair = client, server, threading.Event()
                with self.lock:
                    self.connections.append(pair)
                threading.Thread(target=self.ask, args=pair, daemon=True).start()
                threading.Thread(target=self.answer, args=pair, daemon=True).start()

    def ask(self, client, server, is_lost):
        with self.ending(client, server):
            while piece := client.recv(65536):
                if self.losing and piece.startswith(b"POST "):
                    self.losing -= 1
                    is_lost.set()
                if client not in self.silent:
                    server.sendall(piece)

    def answer(self, client, server, is_lost):
        with self.ending(client, server):
            while (piece := server.recv(65536)) and not is_lost.is_set():
                if self.holds_streams and b"Content-Type: text/event-stream" in piece:
                    client.sendall(piece[: piece.index(b"\r\n\r\n") + 4])
                    self.silent.add(client)
                elif client not in self.silent:
                    client.sendall(piece)

    @contextlib.contextmanager
    def ending(self, *ends):
        """Either direction ends both."""
        with contextlib.suppress(OSError):
            yield
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def fall_silent(self):
        """Passes nothing on any more over the connections that there are."""
        with self.lock:
            self.silent |= {client for client, _, _ in self.connections}

    def cut(self):
        """Ends the connections that there are."""
        with self.lock:
            connections, self.connections = self.connections, []
        for client, server, _ in connections:
            with self.ending(client, server):
                pass

    def close(self):
        self.listener.close()
        self.cut()
