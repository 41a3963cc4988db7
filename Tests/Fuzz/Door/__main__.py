"""Differential fuzzing of the front door: see script/fuzz."""

import argparse
import asyncio
import itertools
import multiprocessing
import random
import sys
import time

import corpus
import probe
from echo import Echo
from lanes import Run


def work(run: Run, results: multiprocessing.Queue) -> None:
    """One process."""
    try:
        asyncio.run(run.all())
    except OSError as error:
        run.failures.append(f"FAILED: the server does not answer any more: {error}")
    results.put((run.done, run.accepted, run.failures))


def fuzz(port: int, options: argparse.Namespace) -> tuple[int, int, list[str]]:
    """New streams, in two processes; how many there were, the requests accepted of them, and the failures."""
    until = time.monotonic() + (options.seconds or float("inf"))
    runs = []
    for worker in range(options.workers):
        numbers = itertools.count(worker, options.workers)
        if options.streams:
            numbers = range(worker, options.streams, options.workers)
        if options.only is not None:
            numbers = [options.only] if worker == 0 else []
        runs.append(Run(port, options.seed, numbers, until, options.failures))
    results = multiprocessing.Queue()
    processes = [multiprocessing.Process(target=work, args=(run, results)) for run in runs]
    for process in processes:
        process.start()
    done = [results.get() for _ in processes]
    for process in processes:
        process.join()
    return sum(d[0] for d in done), sum(d[1] for d in done), list(itertools.chain(*(d[2] for d in done)))


def main() -> int:
    """The corpus, then new streams; 1 where a stream failed."""
    parser = argparse.ArgumentParser(prog="script/fuzz", description=__doc__)
    parser.add_argument("--streams", type=int, help="how many new streams")
    parser.add_argument("--seconds", type=float, help="how long new streams are made")
    parser.add_argument(
        "--seed", type=int, default=random.SystemRandom().randrange(2**32), help="makes the same streams again"
    )
    parser.add_argument("--only", type=int, help="only the stream of this number")
    parser.add_argument("--failures", type=int, default=5, help="end after so many, for each process (5)")
    parser.add_argument("--patience", type=float, help="seconds that a stream may take (10)")
    parser.add_argument("--workers", type=int, default=2, help="processes (2)")
    parser.add_argument("binary", help="a built door-echo")
    options = parser.parse_args()
    probe.PATIENCE = options.patience or probe.PATIENCE
    echo = Echo(options.binary)
    failures = []
    if options.only is None:
        failures = asyncio.run(corpus.check(echo.port))
        print(f"corpus: {len(corpus.CASES)} heads, {len(failures)} failures", flush=True)
    if options.streams or options.seconds or options.only is not None:
        print(f"seed {options.seed}", flush=True)
        start = time.monotonic()
        done, accepted, found = fuzz(echo.port, options)
        seconds = time.monotonic() - start
        print(f"{done} streams, {accepted} requests accepted, {len(found)} failures, {done / seconds:.0f} streams/s")
        failures += found
    for failure in failures:
        print(failure)
    if complaint := echo.stop():
        failures.append(complaint)
        print(complaint)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
