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
                    threading.Thread(target=self.pump, args=(source, sink, is_back, lost), daemon=True).start()

    def pump(self, source, sink, is_back, lost):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self.may_pass.wait()
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
