"""What the clients do: each act is one way through the shim, and says what has to come back."""
from clients import ENDED, Client

# threads, connections, head ms, grace ms, idle ms
USUAL = (1, 64, 20000, 20000, 60000)
HURRIED = (1, 64, 150, 150, 60000)
IMPATIENT = (1, 64, 20000, 20000, 150)
CROWDED = (1, 4, 20000, 20000, 60000)

GET = "GET {} HTTP/1.1\r\nHost: test\r\n\r\n"
POST = "POST /echo HTTP/1.1\r\nHost: test\r\n"


class Stage:
    """One performance: its host, its clients."""

    def __init__(self, host, port):
        self.host, self.port, self.clients, self.others = host, port, [], 0
        self.mark = host.mark()

    def client(self, **options):
        client = Client(self.port, **options)
        self.clients.append(client)
        return client

    def waits_for(self, word, client, mark=None, count=1):
        """Until the host said so, or the client was lost."""
        mark = self.mark if mark is None else mark
        told = self.host.told
        return self.host.wait_for(
            mark, word, count=count, unless=lambda: client.is_cut() or told(mark, "record")) is not None

    def close(self):
        for client in self.clients:
            client.close()


def keep_alive(stage):
    client = stage.client()
    client.get()
    client.get("/names/J%C3%BCrgen", "Jürgen".encode())
    client.get("/shared", b"shared")


def bodies(stage):
    client = stage.client()
    client.send(POST + "Content-Length: 300\r\n\r\n" + "a" * 100)
    client.send("a" * 200)
    client.expect(200, b"a" * 300)
    client.send(POST + "Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n")
    client.send("0\r\nTrailer: x\r\n\r\n")
    client.expect(200, b"abc")
    client.send(POST + "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    client.send("ok")
    client.expect(200, b"ok")


def pieces(stage):
    """A head in pieces, and an empty line before it."""
    client = stage.client()
    for piece in ("\r\nGE", "T / HT", "TP/1.1\r\nHo", "st: test\r\n\r", "\n"):
        client.send(piece)
        stage.host.gauges()
    client.expect(200, b"hello")


def pipeline(stage):
    client = stage.client()
    client.send(GET.format("/") * 3 + GET.format("/")[:20])
    for _ in range(3):
        client.expect(200, b"hello")
    client.send(GET.format("/")[20:])
    client.expect(200, b"hello")


def old(stage):
    client = stage.client()
    client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    client.expect(200, b"hello")
    client.send("GET / HTTP/1.0\r\n\r\n")
    client.expect(200, b"hello")
    client.expect_end()


def heads(stage):
    client = stage.client()
    client.send("HEAD / HTTP/1.1\r\nHost: test\r\n\r\n")
    client.expect(200, b"", has_body=False)
    client.send("HEAD /events HTTP/1.1\r\nHost: test\r\n\r\n")
    client.expect(200, b"", has_body=False)
    client.expect_end()


def large(stage):
    client = stage.client(receive_buffer=4096)
    client.get("/large", b"x" * 262144)


def wide(stage):
    client = stage.client()
    client.send(GET.format("/wide"))
    client.expect(200, b"wide")
    client.get()


def parked(stage):
    client = stage.client()
    client.send(GET.format("/wait"))
    if stage.waits_for("parked", client):
        stage.host.tell("wake")
    client.expect(200, b"woken")
    client.get()


def parked_and_closed(stage):
    client = stage.client()
    client.send(GET.format("/wait"))
    if stage.waits_for("parked", client):
        client.half_close()
        if stage.waits_for("half-closed", client):
            stage.host.tell("wake")
    client.expect(200, b"woken")
    client.expect_end()


def parked_and_reset(stage):
    client = stage.client()
    client.send(GET.format("/wait"))
    stage.others += 1
    if stage.waits_for("parked", client):
        client.reset()
        stage.host.wait_for(stage.mark, "gone")


def all_at_once(stage):
    """A request and FIN in one burst, many times: nothing is left of them."""
    for _ in range(3):
        client = stage.client()
        client.send(GET.format("/"))
        client.half_close()
        client.expect(200, b"hello")
        client.expect_end()


def events(stage, version="1.1"):
    client = stage.client(receive_buffer=4096)
    client.send(f"GET /events HTTP/{version}\r\nHost: test\r\n\r\n")
    chunked = version == "1.1"

    def read():
        status, fields = client.head()
        if status != 200:
            return status, client.take(int(fields["content-length"]))
        if not stage.waits_for("drained", client):
            raise EOFError
        for size in (5, 200000):
            stage.host.tell(f"event {size}")
            try:
                event = client.chunk() if chunked else client.take(size)
            except EOFError:
                event = b""
            if event == b"":
                stage.host.gauges()  # what it has said before this is here, too
                if stage.host.told(stage.mark, "no-event"):
                    return 200, ENDED
                raise EOFError
            if event != b"x" * size:
                return 200, b"another event"
        stage.host.tell("end")
        return 200, client.chunk() if chunked else b""

    client.judge((200, b""), read)
    client.expect_end()


def events_of_old(stage):
    events(stage, "1.0")


def events_left(stage):
    for leave in (Client.half_close, Client.reset):
        mark = stage.host.mark()
        client = stage.client()
        client.send(GET.format("/events"))
        stage.others += 1
        if stage.waits_for("drained", client, mark):
            leave(client)
            stage.host.wait_for(mark, "gone")


REFUSALS = [
    (400, "GET /\r\n\r\n"), (400, "GET / HTTP/1.1\r\n: x\r\n\r\n"), (400, "GET / HTTP/1.1\r\n\r\n"),
    (400, POST + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
    (400, POST + "Transfer-Encoding: chunked\r\n\r\nzz\r\n"), (404, "POST /no HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\n"),
    (413, POST + "Content-Length: 99999999\r\n\r\nabc"), (414, "GET /" + "a" * 4000 + " HTTP/1.1\r\n\r\n"),
    (417, POST + "Expect: tea\r\n\r\n"), (431, "GET / HTTP/1.1\r\nA: " + "a" * 9000 + "\r\n\r\n"),
    (501, POST + "Transfer-Encoding: gzip\r\n\r\n"), (505, "GET / HTTP/2.0\r\n\r\n"),
]


def refusals(stage):
    """Each by itself; what follows on its connection is read off."""
    for status, text in REFUSALS:
        client = stage.client()
        client.send(text)
        client.send("more")
        client.expect_refusal(status)
        client.expect_end()
        client.close()


def refusals_that_stay(stage):
    client = stage.client()
    client.send(GET.format("/no"))
    client.expect_refusal(404)
    client.send("PUT / HTTP/1.1\r\nHost: t\r\n\r\n")
    client.expect_refusal(405)
    client.get()


def surplus(stage):
    """With the two that are there, these fill it: the four of its limit, and the eight kept for its own machine."""
    for _ in range(10):
        if not stage.client().get():
            return  # one that was hit leaves room
    client = stage.client()
    if client.expect_refusal(503):
        stage.host.wait_for(stage.mark, "notice")  # which comes after the record, and that after the answer
    client.expect_end()


def slow(stage):
    """A head, a body that does not come, and an answer that is not taken."""
    head, body, reader = stage.client(), stage.client(), stage.client(receive_buffer=4096)
    head.send("GET / HT")
    body.send(POST + "Content-Length: 9\r\n\r\na")
    reader.send(GET.format("/large"))
    head.expect_refusal(408)
    body.expect_refusal(408)
    stage.others += 1
    stage.host.wait_for(stage.mark, "record", "notice", count=3,
                        unless=lambda: any(client.is_over() or client.is_cut() for client in stage.clients))


def idle(stage):
    client = stage.client()
    if client.get():
        client.expect_end()


ACTS = [
    (keep_alive, USUAL), (bodies, USUAL), (pieces, USUAL), (pipeline, USUAL), (old, USUAL), (heads, USUAL), (large, USUAL),
    (wide, USUAL), (parked, USUAL), (parked_and_closed, USUAL), (parked_and_reset, USUAL), (all_at_once, USUAL),
    (events, USUAL), (events_of_old, USUAL), (events_left, USUAL), (refusals, USUAL), (refusals_that_stay, USUAL),
    (surplus, CROWDED), (slow, HURRIED), (idle, IMPATIENT),
]
