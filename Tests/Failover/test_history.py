"""The judge of histories: it finds each planted fault as what it is, and nothing in sound histories."""

import itertools
import json
import random
import unittest

from history import Verdict

A, NUMBER = "profile.paramB", "counter.text"
MARK, COUNT = "desks/main.paramB", "desks/main.text"


class History:
    """Lines of a history, told in few words; a cursor is a seq, or a seq with a nonce."""

    def __init__(self, mark=A, count=NUMBER):
        self.lines = []
        self.add("start", -1, -1, at=0, shows={mark: "", count: "0"})

    def add(self, op, begin, end, **members):
        record = {"op": op, "session": "s", "client": "c", "begin": begin, "end": end, **members}
        for name in "at", "since":
            if isinstance(record.get(name), int):
                record[name] = f"{record[name]}.n"
        self.lines.append(json.dumps(record))
        return self

    def write(self, mark, begin, end, at=None):
        answer = {"result": "unknown"} if at is None else {"at": at, "shows": {A: mark}}
        return self.add("write", begin, end, key=mark, sets={A: mark}, **answer)

    def count(self, key, begin, end, at=None, number=None):
        answer = {"result": "unknown"} if at is None else {"at": at, "shows": {NUMBER: str(number)}}
        return self.add("write", begin, end, key=key, counts=NUMBER, **answer)

    def read(self, value, begin, end, at, output=A):
        return self.add("read", begin, end, shows={output: value}, at=at)

    def whole(self, value, begin, end, at):
        return self.add("read", begin, end, shows={A: value}, at=at, whole=True)

    def feed(self, kind, begin, end, since, at, *changes, of=(A,)):
        return self.add("feed", begin, end, chain="f", kind=kind, since=since, at=at, changes=changes, of=list(of))

    def desk(self, *values):
        """Reads of a desk, at one seq after the other."""
        for seq, (mark, count) in enumerate(values, 1):
            self.add("write", 0, None, key=mark, sets={MARK: mark}, result="unknown")
            self.add("write", 0, None, key=f"k{seq}", counts=COUNT, result="unknown")
            self.add("read", seq, seq + 0.5, at=seq, shows={MARK: mark, COUNT: count})
        return self

    def effects(self, runs=((1, "e1", "1"), (2, "e2", "1"), (2, "e2", "2")), done=4, ticks=2, open=(), wrong=()):
        """What became of the effects of two counts."""
        ledger = {"open": open, "ticks": ticks, "asked": 4, "wrong": wrong}
        return self.add("effects", 5, 5, effects={"count": 2, "ledger": ledger, "done": done, "runs": runs})

    def begun(self, *others, of=(A,)):
        """The first answer of the feed."""
        return self.feed("snapshot", 0, 1, None, 0, [0, A, ""], *others, of=of)

    def faults(self):
        return Verdict(self.lines).faults


ZERO = [0, NUMBER, "0"]
PLANTED = {
    "an acknowledged action is lost, and nothing comes after it":
        (History().write("m1", 0, 1, 1).read("", 2, 3, 0), {"lost"}),
    "an acknowledged action is lost, and another has its seq":
        (History().write("m1", 0, 1, 1).write("m2", 2, 3, "1.other").read("m2", 4, 5, "1.other"), {"lost"}),
    "two acknowledged counts have one number":
        (History().count("k1", 0, 1, 1, 1).count("k2", 2, 3, 2, 1), {"lost", "doubled"}),
    "an action without an answer was seen and is gone":
        (History().write("m1", 0, None).read("m1", 1, 2, 1).read("", 3, 4, 0), {"lost"}),
    "one seq has two stamps":
        (History().whole("", 1, 2, 3).whole("", 3, 4, "3.other"), {"lost"}),
    "a session is gone, and nobody ended it":
        (History().write("m1", 0, 1, 1).add("gone", 2, 3), {"lost"}),
    "a count happened twice":
        (History().count("k1", 0, 1, 1, 1).count("k2", 2, 3, 2, 3), {"doubled"}),
    "a count without an answer happened twice":
        (History().count("k1", 0, None).read("2", 2, 3, 2, NUMBER), {"doubled"}),
    "an action happened again":
        (History().write("m1", 0, 1, 1).read("m1", 2, 3, 2), {"doubled"}),
    "an action happened again after another one":
        (History().write("m1", 0, 1, 1).write("m2", 2, 3, 2).read("m1", 4, 5, 3), {"lost", "doubled"}),
    "a read is stale":
        (History().write("m1", 0, 1, 1).read("", 2, 3, 0).read("m1", 4, 5, 1), {"stale"}),
    "a read is staler than one before it, of an action without an answer":
        (History().write("m1", 0, None).read("m1", 1, 2, 1).read("", 3, 4, 0).read("m1", 5, 6, 1), {"stale"}),
    "a 304 is stale":
        (History().write("m1", 0, 1, 1).write("m2", 2, 3, 2).add("unchanged", 4, 5, at=1, of=[A]).read("m2", 6, 7, 2), {"stale"}),
    "a poll is stale":
        (History().begun().write("m1", 2, 3, 1).feed("idle", 4, 5, 0, 0).read("m1", 6, 7, 1), {"stale"}),
    "a session is served after its end":
        (History().write("m1", 0, 1, 1).add("delete", 2, 3).read("m1", 4, 5, 1), {"ended"}),
    "a session that was gone is back":
        (History().add("delete", 0, None, result="unknown").add("gone", 1, 2).read("", 3, 4, 0), {"ended"}),
    "a key is answered with another state":
        (History().count("k1", 0, 1, 1, 1).add(
            "write", 2, 3, key="k1", counts=NUMBER, at=1, shows={NUMBER: "0"}), {"answer", "lost", "doubled"}),
    "a key is answered with another ETag":
        (History().write("m1", 0, 1, 1).write("m1", 2, 3, 2), {"answer", "doubled"}),
    "a cursor goes back":
        (History().begun().feed("idle", 1, 2, 0, 5).feed("idle", 2, 3, 5, 4), {"cursor"}),
    "a snapshot goes back":
        (History().begun().feed("idle", 1, 2, 0, 5).feed("snapshot", 2, 3, 5, 4, [0, A, ""]), {"cursor"}),
    "a client uses a cursor that it was not given":
        (History().begun().feed("idle", 5, 6, "0.other", 0), {"cursor"}),
    "a delta comes twice":
        (History().begun().write("m1", 1, 2, 1).feed("delta", 0, 3, 0, 1, [1, A, "m1"])
            .feed("delta", 0, 4, 1, 1, [1, A, "m1"]), {"cursor"}),
    "a delta is out of order":
        (History().begun(ZERO).write("m1", 1, 2, 1).count("k1", 1, 2, 2, 1)
            .feed("delta", 0, 3, 0, 2, [2, NUMBER, "1"], [1, A, "m1"]), {"cursor"}),
    "a delta leaves out a change":
        (History().begun(ZERO, of=(A, NUMBER)).write("m1", 1, 2, 1).count("k1", 1, 2, 2, 1)
            .feed("delta", 1, 4, 0, 2, [2, NUMBER, "1"], of=(A, NUMBER)), {"gap"}),
    "a ping moves the cursor past a change":
        (History().begun().write("m1", 1, 2, 1).feed("ping", 0, 3, 0, 1), {"gap"}),
    "a snapshot leaves out an output": (History().begun(of=(A, NUMBER)), {"gap"}),
    "a session shows another state than its cursor's":
        (History().write("m1", 0, 9, 1).whole("", 1, 2, 1), {"gap"}),
    "a mark of a desk comes back": (History(MARK, COUNT).desk(("m1", "0"), ("m2", "0"), ("m1", "0")), {"doubled", "lost"}),
    "a work has no result": (History().effects(open=[2]), {"lost"}),
    "a timer did not come": (History().effects(ticks=1), {"lost"}),
    "a timer came twice": (History().effects(ticks=3), {"doubled"}),
    "an act is lost": (History().effects(done=3), {"lost"}),
    "an act came twice": (History().effects(wrong=["act 1 of main came after act 1"]), {"doubled"}),
    "an attempt ran twice": (History().effects([(1, "e1", "1"), (2, "e2", "1"), (2, "e2", "1")]), {"doubled"}),
    "a work ran whose action is not stored": (History().effects([(1, "e1", "1"), (2, "e2", "1"), (2, "e3", "1")]), {"unwritten"}),
    "a work ran that no action started": (History().effects([(1, "e1", "1"), (2, "e2", "1"), (3, "e3", "1")]), {"unwritten"}),
    "a result without a run": (History().effects([(1, "e1", "1")]), {"unwritten"}),
    "a value that nobody wrote": (History().write("m1", 0, 1, 1).read("x", 0, 1, 0), {"unwritten"}),
    "a value before it was written": (History().read("m1", 0, 1, 1).write("m1", 2, 3, 1), {"unwritten"}),
    "two actions are in the wrong order": (History().write("m1", 0, 1, 2).write("m2", 2, 3, 1), {"order"}),
    "two counts are in the wrong order": (History().count("k1", 0, 1, 2, 2).count("k2", 2, 3, 1, 1), {"order"}),
}
SOUND = {
    "an action that is seen": History().write("m1", 0, 1, 1).read("m1", 2, 3, 1),
    "an action without an answer that never happened": History().write("m1", 0, None).read("", 1, 2, 0).read("", 5, 6, 0),
    "an action without an answer that happened late":
        History().write("m1", 0, None).read("", 1, 2, 0).read("m1", 3, 4, 1).read("m1", 5, 6, 1),
    "an action without an answer that nobody saw, and another after it":
        History().write("m1", 0, None).write("m2", 1, 2, 2).read("m2", 3, 4, 2),
    "a count without an answer that happened once": History().count("k1", 0, None).count("k2", 1, 2, 2, 2),
    "reads during the action, before and after it":
        History().write("m1", 0, 9, 1).read("m1", 1, 4, 1).read("", 2, 3, 0).read("m1", 5, 6, 1),
    "a key that is answered again": History().write("m1", 0, 1, 1).write("m2", 1, 2, 2).write("m1", 3, 4, 1),
    "a key that is acknowledged at the second try":
        History().write("m1", 0, None).write("m1", 1, 2, 1).read("m1", 3, 4, 1),
    "commits that change nothing": History().begun().write("m1", 0, 1, 3).feed("delta", 0, 2, 0, 5, [3, A, "m1"]),
    "a delta that leaves out what was written over":
        History().begun().write("m1", 1, 2, 1).write("m2", 2, 3, 2).feed("delta", 3, 4, 0, 2, [2, A, "m2"]),
    "a cursor that is not known any more": History().begun().write("m1", 1, 2, 1).feed("snapshot", 3, 4, 0, 1, [1, A, "m1"]),
    "the outputs of a desk, which change one after the other":
        History(MARK, COUNT).desk(("m1", "0"), ("m1", "1"), ("m2", "1")),
    "effects that came once, one of them at the second attempt": History().effects(),
    "a 304 of the present state": History().write("m1", 0, 1, 1).add("unchanged", 2, 3, at=1, of=[A]),
    "a session that is gone after its end": History().add("delete", 0, 1).add("gone", 2, 3),
    "a session whose end was not answered, served and then gone":
        History().add("delete", 0, None, result="unknown").read("", 1, 2, 0).add("gone", 3, 4),
}


class Planted(unittest.TestCase):
    def test_each_planted_fault_is_found_as_what_it_is(self):
        for name, (history, laws) in PLANTED.items():
            with self.subTest(name):
                self.assertEqual({law for law, _ in history.faults()}, laws, history.faults())

    def test_nothing_is_found_in_sound_histories(self):
        for name, history in SOUND.items():
            with self.subTest(name):
                self.assertEqual(history.faults(), [])


class Zones(unittest.TestCase):
    def test_zones_find_an_order_where_there_is_one_and_only_there(self):
        chance, found = random.Random(1), []
        for _ in range(2000):
            operations = [self.operation(chance, place) for place in range(chance.randint(2, 6))]
            values = {0} | {value for kind, value, *_ in operations if kind == "write"}
            operations = [each for each in operations if each[1] in values]
            history = History()
            history.lines = []
            history.add("start", -1, -1, at=0, shows={A: 0})
            for kind, value, begin, end in operations:
                if kind == "write":
                    history.write(value, begin, end, value if end else None)
                else:
                    history.read(value, begin, end, value)
            wrong = any(law in ("stale", "unwritten") or "had gone" in text for law, text in history.faults())
            found.append(self.has_order(operations))
            self.assertEqual(not wrong, found[-1], history.lines)
        self.assertGreater(min(found.count(True), found.count(False)), 300)

    def operation(self, chance, place):
        begin = chance.uniform(0, 3)
        if chance.random() < 0.5:
            return "write", place + 1, begin, begin + chance.uniform(0.1, 2) if chance.random() < 0.8 else None
        return "read", chance.randrange(7), begin, begin + chance.uniform(0.1, 2)

    def has_order(self, operations):
        """Tries all orders, with and without each action that has no answer."""
        open_ones = [each for each in operations if each[3] is None]
        return any(
            self.is_order(order) for size in range(len(open_ones) + 1)
            for left_out in itertools.combinations(open_ones, size)
            for order in itertools.permutations([each for each in operations if each not in left_out]))

    def is_order(self, operations):
        shown = latest = 0
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
