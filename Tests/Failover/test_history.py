"""The history checker: each planted fault is flagged as what it is, and sound histories are not."""

import heapq
import itertools
import json
import random
import unittest

from history.judge import judge
from history.records import Unreadable

A, NUMBER = "profile.paramB", "counter.text"


class History:
    """Lines of a history, told in few words."""

    def __init__(self, session="s"):
        self.session, self.lines = session, []
        self.add("start", -1, -1, at="e.0", shows={A: "", NUMBER: "0"})

    def add(self, op, begin, end, **members):
        record = {"op": op, "session": self.session, "client": "c", "begin": begin, "end": end, **members}
        self.lines.append(json.dumps(record))
        return self

    def write(self, mark, begin, end, at=None, result=None, shows=None, key=None):
        answer = {} if at is None else {"at": at, "shows": {A: mark} if shows is None else shows}
        result = result or ("unknown" if at is None else "done")
        return self.add("write", begin, end, key=key or mark, sets={A: mark}, result=result, **answer)

    def count(self, key, begin, end, at=None, number=None):
        answer = {"result": "unknown"} if at is None else {"at": at, "shows": {NUMBER: str(number)}}
        return self.add("write", begin, end, key=key, counts=NUMBER, **answer)

    def read(self, value, begin, end, at=None, output=A):
        return self.add("read", begin, end, shows={output: value}, at=at)

    def feed(self, kind, begin, end, since, at, *changes, chain="f", of=(A,)):
        return self.add("feed", begin, end, chain=chain, kind=kind, since=since, at=at, changes=changes, of=list(of))

    def verdict(self):
        return judge(self.lines)


# What is told is the fault that is planted in it, and the laws that it breaks.
PLANTED = {
    "an acknowledged action is lost, and nothing comes after it":
        (History().write("m1", 0, 1, "e.1").read("", 2, 3, "e.0"), {"lost"}),
    "an acknowledged action is lost, and another has its place":
        (History().write("m1", 0, 1, "e.1").write("m2", 2, 3, "g.1").read("m2", 4, 5, "g.1"), {"lost"}),
    "an acknowledged count is lost":
        (History().count("k1", 0, 1, "e.1", 1).count("k2", 2, 3, "e.2", 1), {"lost"}),
    "an action happened twice":
        (History().write("m1", 0, 1, "e.1").write("m2", 2, 3, "e.3").read("m2", 4, 5, "e.3"), {"doubled"}),
    "an action happened again after another one":
        (History().write("m1", 0, 1, "e.1").write("m2", 2, 3, "e.2").read("m1", 4, 5, "e.3"), {"lost", "doubled", "gap"}),
    "one without an answer happened twice":
        (History().write("m1", 0, None).write("m2", 2, 3, "e.3").read("m2", 4, 5), {"doubled"}),
    "a seq was taken before the only action without an answer was sent":
        (History().write("m1", 0, 1, "e.2").write("m2", 2, None).read("m1", 3, 4), {"doubled"}),
    "a count happened twice":
        (History().count("k1", 0, 1, "e.1", 1).count("k2", 2, 3, "e.2", 3), {"doubled"}),
    "a GET is stale":
        (History().write("m1", 0, 1, "e.1").read("", 2, 3, "e.0").read("m1", 4, 5, "e.1"), {"stale"}),
    "a GET is staler than another one before it, of an action without an answer":
        (History().write("m1", 0, None).read("m1", 1, 2).read("", 3, 4).read("m1", 5, 6), {"stale"}),
    "a 304 is stale":
        (History().write("m1", 0, 1, "e.1").write("m2", 2, 3, "e.2")
            .add("unchanged", 4, 5, at="e.1", of=[A]).read("m2", 6, 7, "e.2"), {"stale"}),
    "a poll is stale":
        (History().feed("snapshot", 0, 1, None, "e.0", [0, A, ""]).write("m1", 2, 3, "e.1")
            .feed("idle", 4, 5, "e.0", "e.0").read("m1", 6, 7), {"stale"}),
    "a session is served after its end":
        (History().write("m1", 0, 1, "e.1").add("delete", 2, 3).read("m1", 4, 5, "e.1"), {"ended"}),
    "a key is answered after its session's end":
        (History().write("m1", 0, 1, "e.1").add("delete", 2, 3).write("m1", 4, 5, "e.1"), {"ended"}),
    "a session that was said to be gone is back":
        (History().add("delete", 0, None, result="unknown").add("gone", 1, 2).read("", 3, 4), {"ended"}),
    "a session is gone, and nobody ended it":
        (History().write("m1", 0, 1, "e.1").add("gone", 2, 3), {"lost"}),
    "a key is answered with another state":
        (History().count("k1", 0, 1, "e.1", 1).count("k1", 2, 3, "e.1", 2).count("k2", 4, 5, "e.2", 2), {"answer"}),
    "a key is answered with another cursor":
        (History().write("m1", 0, 1, "e.1").write("m1", 2, 3, "g.1"), {"answer"}),
    "a cursor goes back":
        (History().feed("snapshot", 0, 1, None, "e.0", [0, A, ""]).write("m1", 1, 2, "e.1").write("m2", 1, 2, "e.2")
            .feed("delta", 3, 4, "e.0", "e.2", [2, A, "m2"]).feed("idle", 5, 6, "e.2", "e.1"), {"cursor", "gap"}),
    "a client's cursor is not the one that it was given":
        (History().feed("snapshot", 0, 1, None, "e.0", [0, A, ""]).feed("idle", 5, 6, "g.0", "g.0"), {"cursor"}),
    "a delta leaves out a change":
        (History().feed("snapshot", 0, 1, None, "e.0", [0, A, ""], [0, NUMBER, "0"], of=(A, NUMBER))
            .write("m1", 1, 2, "e.1").count("k1", 1, 2, "e.2", 1)
            .feed("delta", 1, 4, "e.0", "e.2", [2, NUMBER, "1"], of=(A, NUMBER)), {"gap"}),
    "a ping moves the cursor past a change":
        (History().feed("snapshot", 0, 1, None, "e.0", [0, A, ""]).write("m1", 1, 2, "e.1")
            .feed("ping", 0, 3, "e.0", "e.1"), {"gap"}),
    "a snapshot leaves out an output":
        (History().feed("snapshot", 0, 1, None, "e.0", [0, A, ""], of=(A, NUMBER)), {"gap"}),
    "a delta comes twice":
        (History().feed("snapshot", 0, 1, None, "e.0", [0, A, ""]).write("m1", 1, 2, "e.1")
            .feed("delta", 0, 3, "e.0", "e.1", [1, A, "m1"]).feed("delta", 0, 4, "e.1", "e.1", [1, A, "m1"]), {"cursor"}),
    "a delta is out of order":
        (History().feed("snapshot", 0, 1, None, "e.0", [0, A, ""], [0, NUMBER, "0"]).write("m1", 1, 2, "e.1")
            .count("k1", 1, 2, "e.2", 1).feed("delta", 0, 3, "e.0", "e.2", [2, NUMBER, "1"], [1, A, "m1"]), {"cursor"}),
    "a value that nobody wrote":
        (History().write("m1", 0, 1, "e.1").read("x", 0, 1), {"unwritten"}),
    "a value of an action that was refused":
        (History().write("m1", 0, 1, result="refused").read("m1", 2, 3), {"unwritten"}),
    "a value before it was written":
        (History().read("m1", 0, 1).write("m1", 2, 3, "e.1"), {"unwritten"}),
    "two acknowledged actions are in the wrong order":
        (History().write("m1", 0, 1, "e.2").write("m2", 2, 3, "e.1"), {"order"}),
    "two counts are in the wrong order":
        (History().count("k1", 0, 1, "e.2", 2).count("k2", 2, 3, "e.1", 1), {"order"}),
    "the answer was lost, the key acknowledged, and then the action is gone":
        (History().write("m1", 0, None).write("m1", 1, 2, "e.1").read("m1", 3, 4).read("", 5, 6), {"lost"}),
    "an action without an answer was seen and is gone":
        (History().write("m1", 0, None).read("m1", 1, 2).read("", 3, 4), {"lost"}),
    "of one seq two histories are told":
        (History().write("m1", 0, None).write("m2", 0, 2, "g.1")
            .feed("snapshot", 0, 1, None, "e.1", [1, A, "m1"]), {"lost"}),
}

SOUND = {
    "nothing happened": History(),
    "an action that is seen": History().write("m1", 0, 1, "e.1").read("m1", 2, 3, "e.1"),
    "an action without an answer that never happened": History().write("m1", 0, None).read("", 1, 2).read("", 5, 6),
    "an action without an answer that happened late":
        History().write("m1", 0, None).read("", 1, 2).read("m1", 3, 4, "e.1").read("m1", 5, 6),
    "an action without an answer that nobody saw, and another after it":
        History().write("m1", 0, None).write("m2", 1, 2, "e.2").read("m2", 3, 4),
    "reads at the same time as the action, before and after it":
        History().write("m1", 0, 9, "e.1").read("m1", 1, 4, "e.1").read("", 2, 3, "e.0").read("m1", 5, 6, "e.1"),
    "a key that is answered again": History().write("m1", 0, 1, "e.1").write("m2", 1, 2, "e.2").write("m1", 3, 4, "e.1"),
    "a key that was lost and acknowledged at the second try":
        History().write("m1", 0, None).write("m1", 1, 2, "e.1").read("m1", 3, 4),
    "an action that was refused and then done":
        History().write("m1", 0, 1, result="refused").write("m1", 2, 3, "e.1").read("m1", 3, 4),
    "a fail-over: the next action begins an epoch":
        History().write("m1", 0, 1, "e.1").write("m2", 1, None).write("m3", 2, 3, "g.2").read("m3", 3, 4, "g.2"),
    "polls that leave out what was written over":
        History().feed("snapshot", 0, 1, None, "e.0", [0, A, ""]).write("m1", 1, 2, "e.1").write("m2", 2, 3, "e.2")
            .feed("delta", 3, 4, "e.0", "e.2", [2, A, "m2"]).feed("idle", 4, 6, "e.2", "e.2"),
    "a cursor that is not known any more, and a snapshot":
        History().feed("snapshot", 0, 1, None, "e.0", [0, A, ""]).write("m1", 1, 2, "g.1")
            .feed("snapshot", 3, 4, "e.0", "g.1", [1, A, "m1"]),
    "a 304 of what is there": History().write("m1", 0, 1, "e.1").add("unchanged", 2, 3, at="e.1", of=[A]),
    "a session that is gone after its end": History().add("delete", 0, 1).add("gone", 2, 3),
    "a session whose end was not answered, served and then gone":
        History().add("delete", 0, None, result="unknown").read("", 1, 2).add("gone", 3, 4),
}


class Planted(unittest.TestCase):
    def test_each_planted_fault_is_flagged_as_what_it_is(self):
        for name, (history, laws) in PLANTED.items():
            with self.subTest(name):
                verdict = history.verdict()
                self.assertEqual({fault.law for fault in verdict.faults}, laws, [str(each) for each in verdict.faults])

    def test_sound_histories_are_not_flagged(self):
        for name, history in SOUND.items():
            with self.subTest(name):
                self.assertEqual([str(fault) for fault in history.verdict().faults], [])

    def test_what_is_no_history_is_refused(self):
        for line in "{", "[]", '{"op":"guess"}', '{"op":"write","session":"s","begin":0,"end":1}':
            with self.subTest(line), self.assertRaises(Unreadable):
                judge([line])


class World:
    """A service as it should be, and clients that act at once; one fault can be planted in it."""

    def __init__(self, seed, fault=None):
        self.random, self.fault = random.Random(seed), fault
        self.history, self.now = History(), 0.0
        # Of each seq the output and what it became, from the start on.
        self.log = [("start", None)]
        self.number = 0
        self.outcomes = {}
        self.planted = False
        self.followers = {}

    def run(self, steps=120):
        """Lets each operation happen at a moment between its begin and its end."""
        happenings, order = [], 0
        for number in range(steps):
            begin = self.random.uniform(0, steps / 6)
            moment = begin + self.random.expovariate(2)
            end = moment + self.random.expovariate(2)
            kind = self.random.choice(["write", "count", "read", "read", "poll"])
            heapq.heappush(happenings, (moment, order := order + 1, kind, number, begin, end))
        while happenings:
            moment, _, kind, number, begin, end = heapq.heappop(happenings)
            getattr(self, kind)(number, begin, end)
        # When all is over everybody looks once more.
        for chain in list(self.followers):
            self.poll(chain, 2 * steps, 2 * steps + 1)
        self.read(0, 2 * steps, 2 * steps + 1)
        return self.history.verdict()

    def state(self, seq=None):
        state = {A: ("", 0), NUMBER: ("0", 0)}
        for place, (output, value) in enumerate(self.log[:None if seq is None else seq + 1]):
            if place:
                state[output] = (value, place)
        return state

    def plants(self, fault, chance=0.2):
        """Whether this is the moment for the fault."""
        if self.fault != fault or self.planted or len(self.log) < 4 or self.random.random() > chance:
            return False
        self.planted = True
        return True

    def act(self, key, output, value, begin, end, tell):
        is_answered = self.random.random() < 0.8
        if not is_answered and self.random.random() < 0.5:
            return tell(begin, None)
        self.log.append((output, value))
        if self.plants("doubled"):
            self.log.append((output, value if output == A else str(int(value) + 1)))
            self.number += output == NUMBER
        seq = len(self.log) - 1
        if self.plants("lost") and is_answered:
            self.log.pop()
            self.number -= output == NUMBER
        tell(begin, end if is_answered else None, f"e.{seq}" if is_answered else None)

    def write(self, number, begin, end):
        mark = f"m{number}"
        self.act(mark, A, mark, begin, end, lambda begin, end, at=None: self.history.write(mark, begin, end, at))

    def count(self, number, begin, end):
        def tell(begin, end, at=None):
            self.history.count(f"k{number}", begin, end, at, value)

        value = self.number + 1
        before = len(self.log)
        self.number += 1
        self.act(f"k{number}", NUMBER, str(value), begin, end, tell)
        if len(self.log) == before and self.number == value:
            self.number -= 1

    def read(self, number, begin, end):
        output = self.random.choice([A, NUMBER])
        value, seq = self.state()[output]
        if self.plants("stale") and seq > 0:
            # As it was at the beginning: somebody has been told of more.
            value, seq = self.state(0)[output]
        self.history.read(value, begin, end, f"e.{seq}", output)

    def poll(self, number, begin, end):
        chain = f"f{number if isinstance(number, int) and number < 3 else self.random.randrange(3)}"
        chain = number if isinstance(number, str) else chain
        since, over = self.followers.get(chain, (None, -1))
        if begin < over:
            return
        last = len(self.log) - 1
        changes = sorted(
            [seq, output, value] for output, (value, seq) in self.state().items() if since is None or seq > since)
        if self.plants("gap") and since is not None and changes:
            changes.pop()
        kind = "snapshot" if since is None else "delta" if changes else "idle"
        self.history.feed(
            kind, begin, end, None if since is None else f"e.{since}", f"e.{last}", *changes, chain=chain, of=(A, NUMBER))
        self.followers[chain] = (last, end)


class Worlds(unittest.TestCase):
    SEEDS = 150
    # How many are found at least: an action without an answer may hide one that was done twice, and where nobody was told of
    # a change nobody misses it.
    FOUND = (("lost", 0.8), ("doubled", 0.5), ("gap", 0.6), ("stale", 0.7))

    def test_what_a_sound_service_tells_is_never_flagged(self):
        for seed in range(self.SEEDS):
            with self.subTest(seed):
                self.assertEqual([str(fault) for fault in World(seed).run().faults], [])

    def test_what_an_unsound_one_tells_is_flagged(self):
        for fault, share in self.FOUND:
            planted = flagged = 0
            for seed in range(self.SEEDS):
                world = World(seed, fault)
                verdict = world.run()
                planted += world.planted
                flagged += world.planted and not verdict.is_sound
            with self.subTest(fault):
                self.assertGreater(planted, self.SEEDS // 2)
                self.assertGreater(flagged, planted * share)


class Zones(unittest.TestCase):
    def test_zones_find_an_order_where_there_is_one_and_only_there(self):
        chance = random.Random(1)
        found = []
        for _ in range(3000):
            operations = [self.operation(chance, place) for place in range(chance.randint(2, 6))]
            values = {value for kind, value, *_ in operations if kind == "write"}
            operations = [each for each in operations if each[0] == "write" or each[1] in values | {0}]
            history = History()
            history.lines = []
            history.add("start", -1, -1, at="e.0", shows={A: 0})
            for kind, value, begin, end in operations:
                if kind == "write":
                    history.add("write", begin, end, key=str(value), sets={A: value}, result="done" if end else "unknown", at="e.9")
                else:
                    history.read(value, begin, end)
            laws = {fault.law for fault in history.verdict().faults}
            has_order = self.has_order(operations)
            found.append(has_order)
            self.assertEqual(not laws & {"stale", "unwritten"} and not self.is_lost(history), has_order, history.lines)
        self.assertGreater(min(found.count(True), found.count(False)), 500)

    def is_lost(self, history):
        return any(fault.law == "lost" and "had gone" in fault.text for fault in history.verdict().faults)

    def operation(self, chance, place):
        begin = chance.uniform(0, 3)
        if chance.random() < 0.5:
            return "write", place + 1, begin, begin + chance.uniform(0.1, 2) if chance.random() < 0.8 else None
        return "read", chance.randrange(7), begin, begin + chance.uniform(0.1, 2)

    def has_order(self, operations):
        """By trying all."""
        for size in range(len(operations) + 1):
            # Those without an answer may be left out.
            for left_out in itertools.combinations([each for each in operations if each[3] is None], size):
                kept = [each for each in operations if each not in left_out]
                if any(self.is_order(some) for some in itertools.permutations(kept)):
                    return True
        return False

    def is_order(self, operations):
        shown, latest = 0, 0
        for kind, value, begin, end in operations:
            if end is not None and end < latest:
                return False
            latest = max(latest, begin)
            if kind == "write":
                shown = value
            elif shown != value:
                return False
        return True


if __name__ == "__main__":
    unittest.main()
