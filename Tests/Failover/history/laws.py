"""The laws that the history of one session is held to."""

import bisect
import itertools
import math

from .records import writes
from .registers import Cluster, judge


class Session:
    """One session: what was done, what was seen, and what is wrong with it."""

    def __init__(self, name, records, verdict):
        self.name, self.records, self.verdict = name, records, verdict
        self.writes = writes(records)
        self.done = [write for write in self.writes if write.is_done]
        self.open = [write for write in self.writes if not write.is_done and not write.is_refused]
        starts = [record for record in records if record.op == "start"]
        self.first = starts[0].at.seq if starts else 0
        self.initial = starts[0].shows if starts else {}
        # By output: what it was changed to at which seq, as anybody was told; in order once it is complete.
        self.changes = {output: {self.first: value} for output, value in self.initial.items()}
        # By output: who was shown which value.
        self.seen = {}

    def fault(self, law, text):
        self.verdict.note(law, self.name, text)

    def judge(self):
        figures = self.verdict.figures
        figures["sessions"] += 1
        figures["acknowledged"] += len(self.done)
        figures["unknown"] += len(self.open)
        figures["replays"] += sum(len(write.answers) - 1 for write in self.done)
        self.judge_answers()
        self.collect_changes()
        self.judge_seqs()
        for output in sorted({write.counts for write in self.writes if write.counts}):
            self.judge_counter(output)
        self.judge_reads()
        for chain in sorted({record.chain for record in self.records if record.op == "feed"}):
            self.judge_chain([record for record in self.records if record.chain == chain])
        for output in sorted(self.seen.keys() | self.initial.keys()):
            self.judge_register(output)
        self.judge_end()

    # Actions

    def judge_answers(self):
        for write in self.done:
            first = write.answers[0]
            for again in write.answers[1:]:
                if (again.shows, again.at) != (first.shows, first.at):
                    self.fault("answer", f"{again} shows {again.shows} at {again.at}; {first}, {first.shows} at {first.at}")

    def collect_changes(self):
        """Puts together what each seq changed, as those who acted and those who followed were told."""
        disputed = self.disputed = set()

        def note(output, seq, value, source):
            known = self.changes.setdefault(output, {}).setdefault(seq, value)
            if known != value:
                disputed.add((output, seq))
                self.fault("lost", f"seq {seq} of {output} is {known!r} to some, and {value!r} in {source}")

        for write in self.done:
            for output in write.sets or [write.counts]:
                note(output, write.at.seq, write.shows.get(output), write)
        for record in self.records:
            for seq, output, value in record.changes:
                # A snapshot names the seq of the latest change, which may be before all that is known.
                if seq > self.first:
                    note(output, seq, value, record)
        self.places = {output: sorted(changes) for output, changes in self.changes.items()}
        self.seqs = {
            output: {value: seq for seq, value in changes.items()} for output, changes in self.changes.items()}

    def change(self, output, seq):
        """The latest change of an output up to a seq that anybody was told of, as (value, seq); None where nobody was."""
        places = self.places.get(output, [])
        place = bisect.bisect_right(places, seq) - 1
        return (self.changes[output][places[place]], places[place]) if place >= 0 else None

    def judge_seqs(self):
        """Each acknowledged action has a seq of its own, in the order of real time, and each seq an action."""
        self.judge_numbers(
            "seq", [(write.at.seq, write) for write in self.done], self.open, self.first,
            [(record.at.seq, record.end) for record in self.records if record.at and record.op != "unchanged"])

    def judge_counter(self, output):
        """As seqs, so are the numbers of what counts."""
        done = [write for write in self.done if write.counts == output]
        shown = [
            (int(record.shows[output]), record.end)
            for record in self.records if record.shows.get(output) is not None]
        shown += [
            (int(value), record.end) for record in self.records for _, name, value in record.changes if name == output]
        self.judge_numbers(
            f"number of {output}", [(write.number, write) for write in done],
            [write for write in self.open if write.counts == output], int(self.initial.get(output) or 0), shown)
        by_seq = sorted(done, key=lambda write: write.at.seq)
        for before, after in itertools.pairwise(by_seq):
            if before.at.seq < after.at.seq and before.number > after.number:
                self.fault("order", f"{output} is {before.number} at {before.at} and {after.number} at {after.at}")

    def judge_numbers(self, what, owned, unanswered, first, shown):
        """Numbers that are given to actions one after the other."""
        owners = {}
        for number, write in owned:
            if number <= first:
                self.fault("lost", f"{write} has {what} {number}, which was there before it")
            elif number in owners:
                self.fault("lost", f"{write} and {owners[number]} have one {what}, {number}")
            owners.setdefault(number, write)
        # From the last to the first: none may have begun after one with a larger number was over.
        over = None
        for number, write in sorted(owned, key=lambda each: each[0], reverse=True):
            if over is not None and over[0] > number and over[1].end < write.begin:
                self.fault("order", f"{write} has the {what} {number}; {over[1]}, which was over before, a larger one")
            if over is None or write.end < over[1].end:
                over = number, write
        # What is left belongs to those without an answer: one each, of which was sent before anybody saw it.
        last = max([first, *owners, *(number for number, _ in shown)])
        deadlines = dict(shown_first(shown, last))
        begins = sorted(write.begin for write in unanswered)
        taken = 0
        for number in range(first + 1, last + 1):
            if number in owners:
                continue
            if taken < bisect.bisect_left(begins, deadlines[number]):
                taken += 1
            else:
                self.fault("doubled", f"{what} {number} belongs to no action")

    # What was shown

    def see(self, output, value, record):
        self.seen.setdefault(output, {}).setdefault(str(value) if value is not None else None, []).append(record)

    def judge_reads(self):
        for record in self.records:
            if record.op == "read":
                self.verdict.figures["reads"] += 1
                for output, value in record.shows.items():
                    self.see(output, value, record)
                    if record.at:
                        self.judge_state(output, value, record)
            elif record.op == "unchanged":
                self.verdict.figures["reads"] += 1
                for output in record.of:
                    known = self.change(output, record.at.seq)
                    if known:
                        self.see(output, known[0], record)

    def judge_state(self, output, value, record):
        """A state is that of its cursor: each output as it was last changed up to there."""
        known = self.change(output, record.at.seq)
        if known is None or known[0] == value or (output, known[1]) in self.disputed:
            return
        # Of an action without an answer nobody may have been told when it was: then some time since the latest that is known.
        seq = self.seqs[output].get(value)
        if seq is not None or known[1] == record.at.seq:
            self.fault("gap", f"{record} shows {value!r} at {record.at}, where {output} is {known[0]!r} since seq {known[1]}")

    def judge_register(self, output):
        """Whether the output is linearizable."""
        clusters = {}

        def written(value, begin, end, write):
            clusters.setdefault(value, Cluster(value, begin, end, write))

        if output in self.initial:
            start = self.initial[output]
            written(str(start) if start is not None else None, -math.inf, -math.inf, "the start")
        for write in self.writes:
            if write.is_refused:
                continue
            if output in write.sets:
                written(str(write.sets[output]), write.begin, write.end, write)
            elif write.counts == output and write.is_done:
                written(str(write.number), write.begin, write.end, write)
        unanswered = [write for write in self.open if write.counts == output]
        is_counter = any(write.counts == output for write in self.writes)
        for value, records in self.seen.get(output, {}).items():
            if value not in clusters and is_counter and unanswered:
                # Whose number it is nobody knows; that there are enough of them is judged elsewhere.
                written(value, unanswered[0].begin, math.inf, unanswered[0])
            cluster = clusters.get(value)
            if cluster is None:
                # Of what has no start, the first that was seen may have been there.
                if output not in self.initial and not any(output in write.sets for write in self.writes):
                    continue
                self.fault("unwritten", f"{records[0]} shows {output} as {value!r}, which nobody wrote")
                continue
            for record in records:
                if record.end < cluster.begin:
                    self.fault("unwritten", f"{record} shows {output} as {value!r} before that was written, {cluster.write}")
                else:
                    cluster.seen.append(record)
        last = max((record.begin for records in self.seen.get(output, {}).values() for record in records), default=0)
        for value, shown, before in judge(clusters.values()):
            law = "lost" if getattr(shown, "begin", None) == last else "stale"
            self.fault(law, f"{shown} shows {output} as {value!r}, which had gone with {before}")

    # The feed

    def judge_chain(self, messages):
        """What one client was told, with one cursor from answer to answer."""
        state, cursor = {}, None
        for message in messages:
            self.verdict.figures["feed"] += 1
            if message.kind == "snapshot":
                self.verdict.figures["resets"] += cursor is not None
                state = {}
            self.judge_cursor(message, cursor)
            for _, output, value in message.changes:
                state[output] = value
            cursor = message.at
            for output in message.of or state:
                if output not in state:
                    self.fault("gap", f"{message}: nothing was told of {output}")
                    continue
                self.see(output, state[output], message)
                self.judge_state(output, state[output], message)

    def judge_cursor(self, message, cursor):
        seqs = [change[0] for change in message.changes]
        if message.since != cursor:
            self.fault("cursor", f"{message} is after {message.since}, and the one before it ended at {cursor}")
        elif cursor is not None and message.kind != "snapshot":
            if message.at.seq < cursor.seq:
                self.fault("cursor", f"{message} goes back from {cursor} to {message.at}")
            if seqs and seqs[0] <= cursor.seq:
                self.fault("cursor", f"{message} tells of seq {seqs[0]} again, after {cursor}")
        elif cursor is not None and message.at.epoch == cursor.epoch and message.at.seq < cursor.seq:
            self.fault("cursor", f"{message} goes back from {cursor} to {message.at} of one epoch")
        if seqs != sorted(seqs) or (seqs and seqs[-1] > message.at.seq):
            self.fault("cursor", f"{message} tells of {seqs} on the way to {message.at}")

    # The end

    def judge_end(self):
        ends = [record for record in self.records if record.op == "delete"]
        gone = [record for record in self.records if record.op == "gone"]
        begun = min((record.begin for record in ends), default=math.inf)
        for record in gone:
            if record.end < begun:
                self.fault("lost", f"{record}: the session is gone, and nobody had ended it")
        over = min((each.end for each in [*ends, *gone] if each.result == "done"), default=math.inf)
        for record in self.records:
            if record.begin > over and record.op in ("read", "unchanged", "feed", "write") and record.result == "done":
                self.fault("ended", f"{record}: the session was served after its end at {over:.3f}")


def shown_first(shown, last):
    """For each number when anybody was first shown it, or a larger one."""
    earliest = {}
    for number, end in shown:
        earliest[number] = min(end, earliest.get(number, math.inf))
    limit = math.inf
    for number in range(last, -1, -1):
        limit = min(limit, earliest.get(number, math.inf))
        yield number, limit
