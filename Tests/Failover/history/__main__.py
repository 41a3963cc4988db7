"""Judges a history: python3 Tests/Failover/history [--json] [HISTORY.jsonl], standard input where none is named."""

import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from history.judge import judge
from history.records import Unreadable


def main():
    parser = argparse.ArgumentParser(
        prog="Tests/Failover/history", description="Judges what clients saw; README.md says what a history is.",
        epilog="Exit status: 0 sound, 1 faults were found, 2 it cannot be read.")
    parser.add_argument("--json", action="store_true", help="say it as one JSON object")
    parser.add_argument("--faults", type=int, default=20, help="tell so many of them in full (20)")
    parser.add_argument("history", nargs="?", type=argparse.FileType(encoding="utf-8"), default=sys.stdin)
    options = parser.parse_args()
    try:
        verdict = judge(options.history)
    except Unreadable as error:
        print(f"Tests/Failover/history: {error}", file=sys.stderr)
        sys.exit(2)
    if options.json:
        faults = [{"law": fault.law, "session": fault.session, "text": fault.text} for fault in verdict.faults]
        print(json.dumps({"sound": verdict.is_sound, "figures": verdict.figures, "faults": faults}))
    else:
        for fault in verdict.faults[:options.faults]:
            print(fault)
        print(", ".join(f"{name} {count}" for name, count in (verdict.figures | verdict.counts).items()))
    sys.exit(0 if verdict.is_sound else 1)


main()
