"""What may stand between a page and its server: a relay of TCP that cuts, stalls, and cuts bytes into pieces."""

import contextlib
import socket
import threading


class Relay:
    """Listens on a port of its own, and passes on what comes, as it is told to."""

    def __init__(self, upstream):
        self.upstream = upstream
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.lock = threading.Lock()
        self.connections = []
        self.accepted = 0
        self.is_refusing = False
        self.piece = 65536
        # As a proxy does that buffers answers: of an event stream only the head is passed on.
        self.holds_streams = False
        # As a network does that has lost a connection and tells neither end: up to which one nothing is passed on any more.
        self.silent = 0
        # As a network does that wants a login first: each new connection is answered with a page.
        self.is_captive = False
        self.page = "text/html", b"<!doctype html><title>Log in</title>"
        # Of how many POSTs that come the answer is lost, and the connection with it.
        self.losing = 0
        self.may_pass = threading.Event()
        self.may_pass.set()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                self.accepted += 1
                if self.is_refusing:
                    client.close()
                    continue
                if self.is_captive:
                    threading.Thread(target=self.answer_with_a_page, args=(client,), daemon=True).start()
                    continue
                try:
                    server = socket.create_connection(("127.0.0.1", self.upstream))
                except OSError:
                    client.close()
                    continue
                for end in client, server:
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with self.lock:
                    self.connections.append((client, server))
                lost = threading.Event()
                for source, sink, is_back in (client, server, False), (server, client, True):
                    threading.Thread(target=self.pump, args=(source, sink, is_back, lost, self.accepted), daemon=True).start()

    def answer_with_a_page(self, client):
        kind, page = self.page
        with contextlib.suppress(OSError), client:
            client.recv(65536)
            head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(page)}\r\nConnection: close\r\n\r\n"
            client.sendall(head.encode() + page)

    def pump(self, source, sink, is_back, lost, number):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self.may_pass.wait()
                if number <= self.silent:
                    continue
                if not is_back and self.losing > 0 and data.startswith(b"POST "):
                    self.losing -= 1
                    lost.set()
                if is_back and lost.is_set():
                    break
                if is_back and self.holds_streams and b"Content-Type: text/event-stream" in data:
                    sink.sendall(data[: data.index(b"\r\n\r\n") + 4])
                    while source.recv(65536):
                        pass
                    break
                size = self.piece if is_back else len(data)
                for start in range(0, len(data), size):
                    sink.sendall(data[start : start + size])
        for end in source, sink:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self):
        """Ends every connection there is."""
        with self.lock:
            connections, self.connections = self.connections, []
        for pair in connections:
            for end in pair:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()

    def close(self):
        self.listener.close()
        self.may_pass.set()
        self.cut()
