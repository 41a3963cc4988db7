"""Sends one stream to the server and holds its answers to the reference's reading."""

import asyncio
from dataclasses import dataclass, field, replace

import reader
from oracles import ORACLES, disagreement
from reading import Reading, Request, show
from record import record, served
from wire import Answer, Connection, Garbled

# What the door may answer to what it refuses. Which of them is first where several things are wrong is its own affair:
# the corpus, in which one thing is wrong at a time, asks for the one that fits.
# 404 and 405 are said of a sound head before its body is read, which may not be sound.
REFUSALS = {400, 404, 405, 413, 414, 417, 431, 501, 505}
# A request that is not complete when the client has sent FIN may also be told so.
CUT_SHORT = REFUSALS | {408}
# How many seconds a stream may take before that is a failure; nothing else waits for time to pass.
PATIENCE = 10.0


@dataclass
class Outcome:
    """What the server made of a stream."""

    answers: list[Answer] = field(default_factory=list)
    # "closed", "open", "silent", or what was garbled.
    end: str = "open"
    is_told_to_continue: bool = False

    def describe(self) -> str:
        """One line for each answer and one for the end, for people."""
        lines = [
            f"{'100, ' * answer.continues}{answer.status} {show(answer.body, 160)}{', close' if answer.closes else ''}"
            for answer in self.answers
        ]
        return "\n".join([*lines, self.end])


@dataclass
class Probe:
    """One stream: how it is sent, and what it should come to."""

    stream: bytes
    pieces: list[bytes]
    sentinel: bytes
    # Whether the client half-closes after the stream, also where the server would wait for the next request.
    finishes: bool = False

    def __post_init__(self):
        self.reading = reader.read(self.stream)
        # A request of our own after the stream: its answer shows that all before it is answered.
        self.sends_sentinel = self.reading.end == "open" and not self.finishes
        self.sent = self.stream + (self.sentinel if self.sends_sentinel else b"")
        self.expected: list[Request] = self.reading.requests
        if self.sends_sentinel:
            self.expected = reader.read(self.sent).requests

    async def run(self, connection: Connection, patience: float | None = None) -> Outcome:
        """Sends it and reads the answers, to the sentinel's or to the end of the connection."""
        outcome = Outcome()
        # Beside the reading: a server that cannot send an answer need not read on.
        sending = asyncio.create_task(self._send(connection))
        try:
            async with asyncio.timeout(patience or PATIENCE):
                if self.reading.asks_to_continue:
                    await self._read(connection, outcome, len(self.expected))
                    outcome.is_told_to_continue = await connection.is_told_to_continue()
                    connection.finish()
                await self._read(connection, outcome, len(self.expected) if self.sends_sentinel else None)
        except TimeoutError:
            outcome.end = "silent"
        except Garbled as fault:
            outcome.end = str(fault)
        finally:
            sending.cancel()
            await asyncio.wait([sending])
        return outcome

    async def _send(self, connection: Connection) -> None:
        """All of it, and FIN where nothing else tells the server that there is no more."""
        await connection.send([*self.pieces, self.sentinel] if self.sends_sentinel else self.pieces)
        if self.reading.end in ("open", "waits") and not self.sends_sentinel and not self.reading.asks_to_continue:
            connection.finish()

    async def _read(self, connection: Connection, outcome: Outcome, count: int | None) -> None:
        """Reads answers until there are so many, or to the end of the connection."""
        while outcome.end == "open" and (count is None or len(outcome.answers) < count):
            place = len(outcome.answers)
            is_head = self.expected[place].method == b"HEAD" if place < len(self.expected) else None
            answer = await connection.answer(is_head)
            if answer is None:
                outcome.end = "closed"
            else:
                outcome.answers.append(answer)

    def complaint(self, outcome: Outcome) -> str | None:
        """What is wrong with it; None where nothing is."""
        for place, (request, answer) in enumerate(zip(self.expected, outcome.answers)):
            statuses = served(request)
            if answer.status not in statuses:
                return f"request {place + 1} is answered {answer.status}, not {statuses}"
            if answer.status == 200 and not answer.is_record(record(request), request.method == b"HEAD"):
                return f"request {place + 1} is read otherwise"
            if answer.continues > request.may_continue:
                return f"request {place + 1} is answered 100 Continue"
            if answer.status != 200 and answer.closes and outcome.end == "closed":
                # The routes may end a connection with what they refuse.
                return None if place + 1 == len(outcome.answers) else "answers after the one that closes"
        if len(outcome.answers) < len(self.expected):
            return f"{len(outcome.answers)} of {len(self.expected)} requests are answered, then {outcome.end}"
        if self.sends_sentinel:
            return None if outcome.end == "open" else f"the connection ends: {outcome.end}"
        rest = outcome.answers[len(self.expected) :]
        if complaint := self._complaint_of_rest(rest):
            return complaint
        if outcome.end != "closed":
            return f"the connection does not end: {outcome.end}"
        # What there is no route for may be refused in its place (RFC 9110, section 10.1.1).
        has_route = not rest or rest[0].status not in {404, 405}
        if self.reading.asks_to_continue and has_route and not outcome.is_told_to_continue:
            return "a client that waits for 100 Continue is not told to"
        return None

    def _complaint_of_rest(self, rest: list[Answer]) -> str | None:
        """What is wrong with the answers after the accepted requests'."""
        if len(rest) > 1 or (rest and self.reading.end in ("open", "closed")):
            return f"{len(rest)} answers too many, {rest[0].status} first"
        if self.reading.end == "refused":
            if not rest:
                return "no answer says that the rest is refused"
            if rest[0].status not in REFUSALS:
                return f"what is refused is answered {rest[0].status}"
        if rest and rest[0].status not in CUT_SHORT:
            return f"what is not complete is answered {rest[0].status}"
        return self._complaint_of_refusal(rest[0]) if rest else None

    def _complaint_of_refusal(self, answer: Answer) -> str | None:
        """A refusal is a problem (RFC 9457), tells that the connection closes, and keeps nobody waiting for a body."""
        if answer.fields.get(b"content-type") != b"application/problem+json":
            return f"a refusal, {answer.status}, that is {answer.fields.get(b'content-type')}"
        if not answer.closes:
            return f"a refusal, {answer.status}, that does not say that it closes"
        return None

    def disagreement(self) -> str | None:
        """Where another reader does not read what the reference accepts, or reads it otherwise."""
        if not self.expected:
            return None
        for name, read in ORACLES.items():
            if complaint := disagreement(name, self.expected, read(self.sent)):
                return complaint
        return None

    def report(self, outcome: Outcome | None) -> str:
        """The readings side by side, for people."""
        reading = replace(self.reading, requests=self.expected)
        parts = [f"the reference:\n{reading.describe()}"]
        for name, read in ORACLES.items():
            parts.append(f"{name}:\n{Reading(read(self.sent)).describe()}")
        if outcome:
            parts.append(f"Bindery:\n{outcome.describe()}")
        return "\n".join(part.replace("\n", "\n    ") for part in parts)
