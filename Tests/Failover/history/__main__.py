"""Judges a history: python3 Tests/Failover/history HISTORY.jsonl; exit status 1 where faults were found."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from history import Verdict

with open(sys.argv[1], encoding="utf-8") as lines:
    verdict = Verdict(lines)
verdict.print()
sys.exit(bool(verdict.faults))
