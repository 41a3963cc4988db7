"""Fuzzes the front door: a table of known heads, then new streams that h11 and llhttp read, too."""

import argparse
import itertools
import multiprocessing
import random
import re
import sys
import time

import generator
import heads
from client import PATIENCE, Connection, Echo
from oracles import Readings

# Processes, how many streams one connection takes, and the failures after which a process ends.
LANES, USES, MOST_FAILURES = 12, 64, 3
# What 0.9.75 alone takes for the end of a line, or for an empty line.
NULS = re.compile(rb"(?:^|[\r\n])\0|\0[\r\n]|[\r\n]:[\r\n]")


def run(lane: int, port: int, is_modern: bool, options: argparse.Namespace) -> tuple[int, int, list[str]]:
    """The streams of one lane: how many, the requests accepted of them, and the failures."""
    until = time.monotonic() + (options.seconds or float("inf"))
    done, accepted, failures, connection = 0, 0, [], None
    numbers = range(lane, options.streams or 1 << 62, LANES)
    if options.only is not None:
        numbers = [options.only] if options.only % LANES == lane else []
    for number in numbers:
        if time.monotonic() >= until or len(failures) >= MOST_FAILURES:
            break
        rng = random.Random(f"{options.seed}/{number}")
        data, cuts = generator.stream(rng)
        # A request of our own ends the stream. Half of the odd streams end with FIN in the same burst.
        finishes = lane % 2 == 1 and rng.random() < 0.5
        sentinel = b"GET /sentinel/%d HTTP/1.1\r\nHost: door\r\n\r\n" % number
        readings = Readings(data + sentinel)
        # 0.9.75 skips a line that begins with NUL before a request, also right behind a body.
        if not is_modern and (NULS.search(data) or readings.rest.startswith(b"\0")):
            continue
        pieces = [data[start:end] for start, end in itertools.pairwise([0, *cuts, len(data)])]
        pieces[-1:] = [pieces[-1] + sentinel] if rng.random() < 0.5 else [pieces[-1], sentinel]
        connection = connection or Connection(port)
        outcome = connection.run(pieces, readings.methods, readings.whole, finishes, 1.0 if finishes else PATIENCE)
        # libmicrohttpd overlooks a FIN in one burst with other bytes: an incomplete request then waits for its deadline.
        is_lost = outcome.end == "silent" and outcome.is_finished and (
            len(outcome.answers) >= readings.whole or (finishes and not is_modern))
        if not is_lost and (complaint := readings.complaint(outcome)):
            parts = "\n".join(f"    {part!r}"[:2000] for part in (data + sentinel, *readings.all, outcome))
            failures.append(f"FAILED --seed {options.seed} --only {number}: {complaint}\n{parts}")
        done += 1
        accepted += sum(answer.status == 200 for answer in outcome.answers)
        connection.uses += 1
        is_answered = outcome.answers and b"/sentinel/%d\n" % number in outcome.answers[-1].body
        if not is_answered or outcome.end != "open" or outcome.is_finished or connection.uses == USES:
            connection.socket.close()
            connection = None
    return done, accepted, failures


def main() -> int:
    """The table, then new streams; 1 if something failed."""
    parser = argparse.ArgumentParser(prog="Tests/Fuzz/Door", description=__doc__)
    parser.add_argument("--streams", type=int, help="how many new streams")
    parser.add_argument("--seconds", type=float, help="how long new streams are made")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32), help="the same streams again")
    parser.add_argument("--only", type=int, help="only the stream of this number")
    parser.add_argument("binary", help="a built door-echo")
    options = parser.parse_args()
    # The second server gets the streams with a FIN: 0.9.75 may lose the answer to a request in the same burst.
    echoes = [Echo(options.binary), Echo(options.binary)]
    accepted, failures, is_modern = [0, 0], [], echoes[0].is_modern
    if options.only is None:
        accepted[0], wrong, failures = heads.check(echoes[0])
        print(f"libmicrohttpd {echoes[0].library}: {len(wrong)} of {len(heads.BAD)} bad heads wrong", flush=True)
        print(*(f"    {name}: {what}\n" for name, what in wrong.items()), sep="", end="", flush=True)
        failures += [f"FAILED {name}: {what}" for name, what in wrong.items() if is_modern or name not in heads.KNOWN]
    if options.streams or options.seconds or options.only is not None:
        start, done = time.monotonic(), 0
        lanes = [(lane, echoes[lane % 2].port, is_modern, options) for lane in range(LANES)]
        with multiprocessing.Pool(LANES) as pool:
            for lane, (count, taken, found) in enumerate(pool.starmap(run, lanes, chunksize=1)):
                done += count
                accepted[lane % 2] += taken
                failures += found
        speed = done / (time.monotonic() - start)
        print(f"seed {options.seed}: {done} streams, {sum(accepted)} requests accepted, {speed:.0f} streams/s", flush=True)
    for echo, answered in zip(echoes, accepted):
        handled, complaints = echo.stop()
        failures += complaints
        if not complaints and handled != answered and (echo is echoes[0] or is_modern):
            failures.append(f"FAILED: {handled} requests were handled, {answered} answers came")
    print(*failures, f"{len(failures)} failures", sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
