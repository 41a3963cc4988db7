"""The laws that the history of one session must keep."""

import bisect
import itertools
import math
from collections import Counter

from . import effects
from .records import writes
from .registers import Cluster, judge

LAWS = ["answer", "lost", "doubled", "order", "stale", "unwritten", "cursor", "gap", "ended"]


class Session:
    """One session: what was done, what was seen, and what is wrong with it."""

    def __init__(self, name, records, verdict):
        self.name, self.records, self.verdict = name, records, verdict
        self.writes = writes(records)
        self.done = [write for write in self.writes if write.is_done]
        self.open = [write for write in self.writes if not write.is_done]
        start = next(record for record in records if record.op == "start")
        self.first, self.initial = start.at.seq, start.shows
        # By output: the value that each seq gave it, as anybody was told; and who was shown which value.
        self.changes = {output: {self.first: value} for output, value in self.initial.items()}
        self.seen = {output: {} for output in self.initial}

    def fault(self, law, text):
        self.verdict.faults.append((law, f"{self.name}: {text}"))

    def judge(self):
        reads = [record for record in self.records if record.op in ("read", "unchanged")]
        for name, count in (
                ("sessions", 1), ("acknowledged", len(self.done)), ("unknown", len(self.open)), ("reads", len(reads)),
                ("replays", sum(len(write.answers) - 1 for write in self.done))):
            self.verdict.figures[name] += count
        self.judge_answers()
        self.judge_changes()
        self.judge_numbers("seq", [(write.at.seq, write) for write in self.done], self.first)
        for output in sorted({write.counts for write in self.writes if write.counts}):
            self.judge_counter(output)
        for record in reads:
            for output in record.shows or record.of:
                self.see(output, record.shows.get(output, self.change(output, record.at.seq)[0]), record)
        for chain in sorted({record.chain for record in self.records if record.op == "feed"}):
            self.judge_chain([record for record in self.records if record.chain == chain])
        for output in self.initial:
            self.judge_register(output)
        for record in self.records:
            if record.effects:
                self.verdict.figures["effects"] += record.effects["count"]
                self.verdict.figures["runs"] += len(record.effects["runs"])
                for law, text in effects.judge(**record.effects):
                    self.fault(law, text)
        self.judge_end()

    # Actions

    def judge_answers(self):
        for write in self.done:
            first = write.answers[0]
            for again in write.answers[1:]:
                if (again.shows, again.at) != (first.shows, first.at):
                    self.fault("answer", f"{again} shows {again.shows} at {again.at}; {first}, {first.shows} at {first.at}")

    def judge_changes(self):
        """Each seq has one stamp and gives an output one value, and each value has one seq, whoever was told."""
        stamps, self.seqs = {}, {output: {value: self.first} for output, value in self.initial.items()}

        parts = Counter(output.split(".")[0] for output in self.initial)

        def note(output, seq, value, source):
            known = self.changes[output].setdefault(seq, value)
            if known != value:
                self.fault("lost", f"seq {seq} of {output} is {known!r} to some, and {value!r} in {source}")
            known = self.seqs[output].setdefault(value, seq)
            if known != seq and parts[output.split(".")[0]] == 1:
                self.fault("doubled", f"{output} is {value!r} since seq {known} to some, and since {seq} in {source}")

        for record in self.records:
            # An ETag is a part's own stamp; an action and a read of one part name one.
            is_head = record.whole or record.op in ("feed", "start")
            if record.at and record.op != "unchanged":
                place = ("head" if is_head else next(iter(record.shows)).split(".")[0], record.at.seq)
                known = stamps.setdefault(place, record.at)
                if known != record.at:
                    self.fault("lost", f"{record} is at {record.at}, where {known} was told before")
            told = record.changes if is_head else [(record.at.seq, *each) for each in record.shows.items()]
            for seq, output, value in told:
                # What is older than the start may have any seq.
                if seq > self.first:
                    note(output, seq, value, record)
        self.places = {output: sorted(changes) for output, changes in self.changes.items()}
        # Where a part has several outputs, its seq may also be that of another output's change.
        for output, changes in self.changes.items():
            values = Counter(value for value, _ in itertools.groupby(changes[seq] for seq in self.places[output]))
            if parts[output.split(".")[0]] > 1 and (again := [value for value, times in values.items() if times > 1]):
                self.fault("doubled", f"{output} has become {again} once more")

    def change(self, output, seq):
        """The latest change of an output up to a seq that anybody was told of, as (value, seq)."""
        places = self.places[output]
        place = max(0, bisect.bisect_right(places, seq) - 1)
        return self.changes[output][places[place]], places[place]

    def judge_counter(self, output):
        """Each number is an action's; the ones that nobody owns are of actions without an answer, one each."""
        done = [write for write in self.done if write.counts == output]
        first = int(self.initial[output])
        self.judge_numbers(f"number of {output}", [(write.number, write) for write in done], first)
        for before, after in itertools.pairwise(sorted(done, key=lambda write: write.at.seq)):
            if before.at.seq < after.at.seq and before.number > after.number:
                self.fault("order", f"{output} is {before.number} at {before.at} and {after.number} at {after.at}")
        shown = [(int(record.shows[output]), record.end) for record in self.records if output in record.shows]
        shown += [
            (int(value), record.end) for record in self.records for _, name, value in record.changes if name == output]
        owned = {write.number for write in done}
        begins = sorted(write.begin for write in self.open if write.counts == output)
        taken = 0
        for number in range(first + 1, max(owned | {number for number, _ in shown}, default=0) + 1):
            if number in owned:
                continue
            # Sent before anybody was shown this number, or a larger one.
            limit = min((end for other, end in shown if other >= number), default=math.inf)
            if taken < bisect.bisect_left(begins, limit):
                taken += 1
            else:
                self.fault("doubled", f"number {number} of {output} belongs to no action")

    def judge_numbers(self, what, owned, first):
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

    # What was shown

    def see(self, output, value, record):
        """Notes a value that somebody was shown; at a cursor of the session it is that of its latest change."""
        self.seen[output].setdefault(str(value), []).append(record)
        if not (record.whole or record.op == "feed"):
            return
        known, since = self.change(output, record.at.seq)
        # The action may be one without an answer, of whose seq nobody was told.
        if known != value and (value in self.seqs[output] or since == record.at.seq):
            self.fault("gap", f"{record} shows {value!r} at {record.at}, where {output} is {known!r} since seq {since}")

    def judge_register(self, output):
        """Whether the output is linearizable."""
        start = str(self.initial[output])
        clusters = {start: Cluster(start, -math.inf, -math.inf, "the start")}
        for write in self.writes:
            if output in write.sets or write.counts == output and write.is_done:
                value = str(write.sets.get(output) or write.number)
                clusters.setdefault(value, Cluster(value, write.begin, write.end, write))
        unanswered = [write for write in self.open if write.counts == output]
        for value, records in self.seen[output].items():
            if value not in clusters and unanswered:
                # Nobody knows whose number it is; judge_counter says whether there are enough of them.
                clusters[value] = Cluster(value, unanswered[0].begin, math.inf, unanswered[0])
            if value not in clusters:
                self.fault("unwritten", f"{records[0]} shows {output} as {value!r}, which nobody wrote")
                continue
            for record in records:
                if record.end < clusters[value].begin:
                    self.fault("unwritten", f"{record} shows {output} as {value!r} before {clusters[value].write}")
                else:
                    clusters[value].seen.append(record)
        last = max((record.begin for records in self.seen[output].values() for record in records), default=0)
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
            seqs = [change[0] for change in message.changes]
            if message.since != cursor:
                self.fault("cursor", f"{message} is after {message.since}, and the one before it ended at {cursor}")
            elif cursor and (message.at.seq < cursor.seq or message.kind != "snapshot" and seqs and seqs[0] <= cursor.seq):
                self.fault("cursor", f"{message} goes back from {cursor} to {message.at}, with {seqs}")
            if seqs != sorted(seqs) or seqs and seqs[-1] > message.at.seq:
                self.fault("cursor", f"{message} tells of {seqs} on the way to {message.at}")
            state |= {output: value for _, output, value in message.changes}
            cursor = message.at
            for output in message.of:
                if output in state:
                    self.see(output, state[output], message)
                else:
                    self.fault("gap", f"{message}: nothing was told of {output}")

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
