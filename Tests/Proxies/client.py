"""An HTTP client that comes from a given address, and reads an event stream as it arrives."""

import http.client
import json
import socket
import ssl
import time

# What an answer may take; waiting polls are told otherwise.
PATIENCE = 20

# Not a loopback name: a browser sends it no Sec-Fetch-Site over plain HTTP, as with any other host on a network.
HOST = "bindery.test"


def seq(cursor):
    """The number of the commit that a cursor or an ETag names."""
    return int(cursor.strip('"').split(".")[0])


class Answer:
    """A whole answer."""

    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"


class Connection(http.client.HTTPConnection):
    """From an address of the loopback to a port on it, whatever the host is called."""

    def __init__(self, port, address, is_tls, patience):
        super().__init__(HOST, port, patience)
        self.address, self.is_tls = address, is_tls

    def connect(self):
        self.sock = socket.create_connection(("127.0.0.1", self.port), self.timeout, (self.address, 0))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.is_tls:
            # The certificate is the test's own.
            self.sock = ssl._create_unverified_context().wrap_socket(self.sock, server_hostname=HOST)


class Client:
    """Asks over one connection, and keeps it."""

    def __init__(self, port, address="127.0.0.1", is_tls=False, patience=PATIENCE):
        self.connection = Connection(port, address, is_tls, patience)
        self.authority = f"{HOST}:{port}"

    def ask(self, method, path, headers=(), body=None):
        """Sends a request and reads the answer. A field may come several times."""
        return Answer(self.send(method, path, headers, body))

    def send(self, method, path, headers=(), body=None):
        """Sends a request and reads the answer's head."""
        self.begin(method, path, headers, body)
        return self.connection.getresponse()

    def begin(self, method, path, headers=(), body=None):
        """Sends a request."""
        names = {name.lower() for name, _ in headers}
        self.connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        if "host" not in names:
            self.connection.putheader("Host", self.authority)
        for name, value in headers:
            self.connection.putheader(name, value)
        if body is not None:
            self.connection.putheader("Content-Type", "application/json")
        if body is not None or method != "GET":
            self.connection.putheader("Content-Length", str(len(body or b"")))
        self.connection.endheaders(body)

    def begin_session(self):
        """Begins a session and returns the header that stands for it."""
        begun = self.ask("POST", "/sessions")
        assert begun.status == 201, begun
        return ("Authorization", f"Bearer {begun.json()['token']}")

    def events(self, headers=(), path="/changes"):
        """The events of a stream as (moment of arrival, name, id, data), until it ends."""
        response = self.send("GET", path, [*headers, ("Accept", "text/event-stream")])
        assert response.status == 200, Answer(response)
        fields = {}
        while line := response.readline():
            if line != b"\n":
                name, value = line.decode().rstrip("\n").split(": ", 1)
                fields[name] = value
            elif "event" in fields:
                yield time.monotonic(), fields["event"], fields.get("id"), json.loads(fields["data"])
                fields = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()
