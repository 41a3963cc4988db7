"""Judges a history as a whole."""

from .laws import Session
from .records import read
from .verdict import Verdict


def judge(lines):
    """What is wrong with a history, given as lines of JSON."""
    verdict = Verdict()
    for name, records in sorted(read(lines).items()):
        Session(name, records, verdict).judge()
    return verdict
