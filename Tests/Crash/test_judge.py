"""The judge of the crash test: it finds each kind of planted fault, and nothing in what a sound server tells."""

import contextlib
import io
import unittest

from clients import Follower
from ledger import Faults, Ledger


def ledger(*counts):
    """A session whose increments were answered with these counts, each at the seq of its place."""
    session = Ledger("session", "token", Faults())
    for place, count in enumerate(counts, 1):
        session.acknowledge(f"key {place}", count, place)
    return session


def followed(session, *messages):
    """A follower that was told (kind, seq, entries of the counter as (seq, count)), and the audit of what it knew."""
    follower = Follower(session, 0, ["poll"])
    for kind, seq, *entries in messages:
        changes = [{"seq": at, "viewModel": "counter", "output": "text", "value": str(count)} for at, count in entries]
        follower.take(kind, f"{seq}.nonce", {"changes": changes})
    session.audit_feed("follower", follower.shown)
    return session


def audited(session, count):
    session.audit(count)
    return session


START = ("snapshot", 0, (0, 0))
PLANTED = {
    "an acknowledged action is not stored": (lambda: audited(ledger(1, 2, 3), 2), "lost"),
    "two actions have one step": (lambda: audited(ledger(1, 2, 2), 2), "lost"),
    "an action is done twice": (lambda: audited(ledger(1, 3), 3), "doubled"),
    "what was shown is taken back": (lambda: followed(ledger(), ("snapshot", 2, (2, 2)), ("delta", 3, (3, 1))), "stale"),
    "a delta leaves out a change": (lambda: followed(ledger(1, 2), START, ("delta", 2, (1, 1))), "gaps"),
    "an idle answer passes over a change": (lambda: followed(ledger(1), START, ("idle", 1)), "gaps"),
    "a delta comes twice":
        (lambda: followed(ledger(1), START, ("delta", 1, (1, 1)), ("delta", 1, (1, 1))), "gaps"),
    "a cursor goes back": (lambda: followed(ledger(), ("snapshot", 2, (0, 0)), ("idle", 1)), "gaps"),
    "a recent cursor is not believed": (lambda: followed(ledger(), START, ("snapshot", 15, (0, 0))), "gaps"),
    "the session is gone":
        (lambda: followed(ledger(), START, ("session-ended", 0)), "lost"),
}
SOUND = {
    "each key has a step": lambda: audited(ledger(1, 2, 3), 3),
    "a delta that leaves out what was written over": lambda: followed(ledger(1, 2), START, ("delta", 2, (2, 2))),
    "an old cursor gets a snapshot": lambda: followed(ledger(1), START, ("snapshot", 16, (1, 1))),
    "commits that change nothing visible": lambda: followed(ledger(1), START, ("delta", 1, (1, 1)), ("idle", 4)),
}


class Judge(unittest.TestCase):
    def test_each_planted_fault_is_found_as_what_it_is(self):
        for name, (story, kind) in PLANTED.items():
            with self.subTest(name), contextlib.redirect_stdout(io.StringIO()):
                found = {kind for kind, count in story().faults.counts.items() if count}
                self.assertEqual(found, {kind})

    def test_nothing_is_found_in_what_a_sound_server_tells(self):
        for name, story in SOUND.items():
            with self.subTest(name):
                self.assertFalse(story().faults)
