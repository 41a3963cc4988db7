"""What is done to the servers under the load, and how it is mended; each returns a few words on it."""

import asyncio
import random
import time


class Faults:
    """One of a kind a round, in an order that the seed decides."""

    def __init__(self, world, kinds, seed):
        self.world, self.kinds, self.bag = world, kinds, []
        # Not that of the clients, who ask for numbers as the servers answer.
        self.random = random.Random(seed)
        # When the latest began: what clients notice is measured from there.
        self.since = 0

    async def rest(self, longest):
        """Leaves all alone for a while."""
        await asyncio.sleep(self.random.uniform(0.3, longest))

    async def strike(self):
        if not self.bag:
            self.bag = self.random.sample(self.kinds, len(self.kinds))
        kind = self.bag.pop()
        # Now and then a replica goes at the same time.
        is_double = kind != "replica" and self.random.random() < 0.2
        self.since = time.monotonic()
        if not is_double:
            return kind, await getattr(self, kind)()
        texts = await asyncio.gather(getattr(self, kind)(), self.replica())
        return kind, "; ".join(texts)

    async def replica(self):
        """A replica is killed, or asked to end, and started again."""
        replica = self.random.choice(self.world.replicas)
        is_killed = self.random.random() < 0.7
        if is_killed:
            replica.kill_now()
        else:
            replica.terminate()
            status = await asyncio.to_thread(replica.wait)
            if status:
                raise RuntimeError(f"{replica.directory.name} ended on SIGTERM with status {status}")
        away = self.random.uniform(0, 1.5)
        await asyncio.sleep(away)
        await replica.start_until_it_runs()
        return f"a replica was {'killed' if is_killed else 'stopped'}, and started again after {away:.1f} s"

    async def primary(self):
        """The primary is lost, and the standby takes its place; what was the primary becomes the standby."""
        pair = self.world.pair
        await asyncio.to_thread(pair.primary.kill)
        noticed = self.random.uniform(0, 1)
        await asyncio.sleep(noticed)
        await asyncio.to_thread(pair.promote)
        promoted = time.monotonic() - self.since
        await asyncio.sleep(self.random.uniform(0, 1))
        how = self.random.choice([pair.rewind, pair.copy])
        await asyncio.to_thread(how)
        await asyncio.to_thread(pair.wait_in_sync)
        return (
            f"the primary was killed, the standby promoted after {promoted:.1f} s, and a standby made by {how.__name__} "
            f"was in sync after {time.monotonic() - self.since:.1f} s")

    async def restart(self):
        """The primary crashes, and is started again."""
        pair = self.world.pair
        await asyncio.to_thread(pair.primary.kill)
        away = self.random.uniform(0, 1.5)
        await asyncio.sleep(away)
        await asyncio.to_thread(pair.primary.start)
        await asyncio.to_thread(pair.wait_in_sync)
        return f"the primary was killed, and started again after {away:.1f} s"

    async def both(self, is_cut=False):
        """The standby is lost, so that commits wait, then the primary; the standby comes back and takes its place."""
        pair = self.world.pair
        await asyncio.to_thread(pair.standby.kill)
        alone = self.random.choice([self.random.uniform(0.2, 2), self.random.uniform(5.2, 6.5)])
        await asyncio.sleep(alone)
        if is_cut:
            await asyncio.to_thread(pair.cut)
            await asyncio.sleep(self.random.uniform(0.5, 1))
        await asyncio.to_thread(pair.primary.kill)
        await asyncio.to_thread(pair.standby.start, pair.primary)
        await asyncio.to_thread(pair.promote)
        promoted = time.monotonic() - self.since
        await asyncio.to_thread(pair.rewind)
        await asyncio.to_thread(pair.wait_in_sync)
        return (
            f"the standby was killed, {alone:.1f} s later {'all connections ended and ' if is_cut else ''}the primary; the "
            f"standby came back and was promoted after {promoted:.1f} s, and the other in sync after "
            f"{time.monotonic() - self.since:.1f} s")

    async def cut(self):
        """All connections to the database are ended."""
        times, cut = self.random.randint(1, 4), 0
        for _ in range(times):
            cut += await asyncio.to_thread(self.world.pair.cut)
            await asyncio.sleep(self.random.uniform(0, 0.4))
        return f"{cut} connections to the database were ended, in {times} goes"

    async def stall(self):
        """The standby stands still: commits wait for it."""
        return await self.freeze_for(self.world.pair.standby, "standby")

    async def freeze(self):
        """The primary stands still."""
        return await self.freeze_for(self.world.pair.primary, "primary")

    async def freeze_for(self, node, name):
        # Up to some seconds longer than a commit waits (5 s).
        still = self.random.choice([self.random.uniform(0.2, 2), self.random.uniform(5.2, 7)])
        await asyncio.to_thread(node.freeze)
        await asyncio.sleep(still)
        await asyncio.to_thread(node.thaw)
        await asyncio.to_thread(self.world.pair.wait_in_sync)
        return f"the {name} stood still for {still:.1f} s"

    async def proxy(self):
        """All connections of the proxy are cut."""
        times = self.random.randint(1, 3)
        for _ in range(times):
            self.world.front.cut()
            await asyncio.sleep(self.random.uniform(0, 0.4))
        return f"the proxy's connections were cut {times} times"

    # What nobody should do; for who wants to see what comes of it.

    async def split(self):
        """The primary stands still, the standby is promoted, and then the primary of the past goes on for a while."""
        pair = self.world.pair
        old = pair.primary
        await asyncio.to_thread(old.freeze)
        await asyncio.sleep(self.random.uniform(0, 1))
        await asyncio.to_thread(pair.promote)
        still = self.random.uniform(0, 7)
        await asyncio.sleep(still)
        await asyncio.to_thread(old.thaw)
        await asyncio.sleep(self.random.uniform(1, 3))
        await asyncio.to_thread(old.kill)
        await asyncio.to_thread(pair.copy)
        await asyncio.to_thread(pair.wait_in_sync)
        return f"the primary stood still, the standby was promoted, and {still:.1f} s later the old primary went on for a while"

    async def abandon(self):
        """As `both`, and the waits of commits for the standby are ended before: PostgreSQL then shows what it loses."""
        return await self.both(is_cut=True)


KINDS = ["replica", "primary", "cut", "stall", "proxy", "restart", "freeze", "both"]
BY_HAND = ["split", "abandon"]
