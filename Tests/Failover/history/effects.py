"""The laws of effects: each count of a desk has one result and one tick, and each act is done once, in its order."""

from collections import Counter


def judge(count, ledger, done, runs):
    """What is wrong with the effects of a desk, as (law, text), when all have come."""
    for number in ledger["open"]:
        yield "lost", f"count {number} has no result"
    for what, asked, came in ("ticks", count, ledger["ticks"]), ("acts", ledger["asked"], done):
        if came != asked:
            yield "lost" if came < asked else "doubled", f"{came} of {asked} {what} have come"
    for text in ledger["wrong"]:
        yield "doubled", text
    ids = {}
    for number, effect, attempt in runs:
        if number > count or ids.setdefault(number, effect) != effect:
            yield "unwritten", f"the work of count {number} has run as {effect}, which no stored action started"
    for (number, effect, attempt), times in Counter(map(tuple, runs)).items():
        if times > 1:
            yield "doubled", f"attempt {attempt} of {effect}, for count {number}, has run {times} times"
    for number in set(range(1, count + 1)) - {*ids, *ledger["open"]}:
        yield "unwritten", f"count {number} has a result, and its work has not run"
