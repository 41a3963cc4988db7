"""One performance of an act: a host from its start to its end, and what must hold on the way."""
import time

import control
from acts import IMPATIENT, Stage
from clients import CLOSED, SOUND, Client, Wrong
from host import PATIENCE, Violation

NOTHING = [0, 0, 0, 0, 0]
SURPLUS = "0"  # HTTP_NOTICE_CONNECTIONS
BAD_ROUTES = "7"  # HTTP_START_BAD_ROUTES
# Which uses of a call fail.
FIRST, LATER, EVERY = "first use", "later use", "every use"


class Performance:
    """A host from its start to its end, with bystanders. `arm` is called as each phase begins, with the control page."""

    def __init__(self, built, act, limits, use, arm, is_silent=False):
        self.act, self.limits, self.use, self.failed, self.is_silent = act, limits, use, 0, is_silent
        self.host = built.host(limits)
        self.control = self.host.control
        self.arm = lambda phase: arm(self.control, phase)

    def rest(self):
        self.failed += self.control.rest()

    def run(self):
        """Returns how many blocks are left."""
        self.start()
        self.bring_bystanders()
        if self.use == LATER:
            self.play()
        self.arm(control.SERVING)
        self.play()
        self.play()
        self.let_bystanders_go()
        self.stop()
        return self.end()

    def start(self):
        self.arm(control.STARTING)
        line = self.host.ask("start", "started", "not-started")
        self.rest()
        if line == ["not-started", BAD_ROUTES]:
            raise Violation("it blames the routes")
        if line[0] == "not-started" and self.failed:
            line = self.host.ask("start", "started", "not-started")
        if line[0] != "started":
            raise Violation("it does not start")
        self.port = int(line[1])
        self.empty = self.host.descriptors()

    def bring_bystanders(self):
        """One that is parked, and one that is idle unless none may be."""
        self.parked, self.idle = Client(self.port), None
        mark = self.host.mark()
        self.parked.send("GET /stay HTTP/1.1\r\nHost: test\r\n\r\n")
        self.host.wait_for(mark, "parked")
        if self.limits != IMPATIENT:
            self.idle = Client(self.port)
            self.idle.get()
        self.calm = [1 if self.idle is None else 2, 1, 1, 0, 1]
        self.host.gauges_become(self.calm)
        self.quiet = self.host.descriptors()

    def let_bystanders_go(self):
        if self.idle is not None and not self.idle.get():
            raise Violation("an idle bystander was hit")
        self.host.tell("let-go")
        if not self.parked.expect(200, b"woken") or not self.parked.get():
            raise Violation("a parked bystander was hit")
        for client in (self.idle, self.parked):
            if client is not None:
                client.close()
        self.host.gauges_become(NOTHING)
        self.same(self.empty, "when all had left")

    def same(self, descriptors, when):
        """A connection is counted out just before its descriptor is closed."""
        deadline = time.monotonic() + PATIENCE
        while (now := self.host.descriptors()) != descriptors:
            if time.monotonic() > deadline:
                raise Violation(f"descriptors {now} instead of {descriptors} {when}")
            time.sleep(0.002)

    def play(self):
        """The act, and whether what it came to is in order."""
        before = self.failed
        stage = Stage(self.host, self.port)
        try:
            self.act(stage)
        finally:
            self.rest()
            stage.close()
        self.host.gauges_become(self.calm)
        self.same(self.quiet, "after the act")
        self.judge(stage, self.failed - before)

    def judge(self, stage, failed):
        hit = [client for client in stage.clients if set(client.outcomes) - {SOUND}]
        if len(hit) > failed:
            raise Violation(f"{len(hit)} clients were hit by {failed} failures")
        records = self.host.told(stage.mark, "record")
        lost = [record for record in records if record[1] not in ("sent", "refused")]
        notices = self.host.told(stage.mark, "notice")
        if not failed and any(notice[1] != SURPLUS for notice in notices):
            raise Violation(f"the log speaks of what did not happen: {notices}")
        closed = sum(CLOSED in client.outcomes for client in stage.clients)
        if not self.is_silent and closed > max(0, len(lost) - stage.others) + len(notices):
            raise Violation(f"the log does not speak of a client that was lost; it says {records}")
        said = [int(record[2]) for record in records if record[1] in ("sent", "refused")]
        heard = [status for client in stage.clients for status in client.statuses]
        if not len(heard) <= len(said) <= len(heard) + stage.others:
            raise Violation(f"the log says that {said} were sent; the clients have {heard}")

    def stop(self):
        waiting, stream, idle = (Client(self.port) for _ in range(3))
        mark = self.host.mark()
        waiting.send("GET /stay HTTP/1.1\r\nHost: test\r\n\r\n")
        stream.send("GET /events HTTP/1.1\r\nHost: test\r\n\r\n")
        self.host.wait_for(mark, "parked")
        self.host.wait_for(mark, "drained")
        idle.get()
        mark, before = self.host.mark(), self.failed
        self.arm(control.STOPPING)
        self.host.tell("stop 0")
        self.host.wait_for(mark, "stopped")
        self.rest()
        gauges = [int(number) for number in self.host.wait_for(mark, "gauges")[1:]]
        if gauges != NOTHING:
            raise Violation(f"gauges are {gauges} after the stop")
        if not waiting.expect_refusal(503) and self.failed == before:
            raise Violation("a parked client was not told of the stop")
        for client in (waiting, stream, idle):
            client.close()

    def end(self):
        left, blocks = self.host.descriptors(), self.control.page.blocks
        if len(left) > 3:
            raise Violation(f"descriptors {left} are left after the end")
        status = self.host.end()
        if status != 0:
            raise Violation(f"the host ended with {status}")
        return blocks


def perform(*arguments):
    """Returns how often a call failed, the blocks that are left, what was wrong, and which calls were learned."""
    performance = Performance(*arguments)
    blocks, wrong = 0, None
    try:
        blocks = performance.run()
    except (Violation, Wrong, EOFError, OSError) as error:
        performance.host.kill()
        wrong = f"{type(error).__name__}: {error} {performance.host.errors.decode(errors='replace')[-400:]}".strip()
    learned = performance.control.learned()
    performance.control.close()
    return performance.failed, blocks, wrong, learned
