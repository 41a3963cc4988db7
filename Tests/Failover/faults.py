"""What is done to the servers under the load, and undone; each fault returns a few words about itself."""

import asyncio
import random
import time

KINDS = ["replica", "primary", "cut", "stall", "proxy", "restart", "freeze", "both"]


class Faults:
    """One of a kind each round, in an order that the seed decides."""

    def __init__(self, world, kinds, seed):
        self.world, self.kinds, self.bag = world, kinds, []
        # Not the clients' generator: they draw from theirs as the servers answer.
        self.random = random.Random(seed)
        # When the latest fault began.
        self.since = 0

    async def rest(self, longest):
        await asyncio.sleep(self.random.uniform(0.3, longest))

    async def strike(self):
        if not self.bag:
            self.bag = self.random.sample(self.kinds, len(self.kinds))
        kind = self.bag.pop()
        self.since = time.monotonic()
        # Now and then a replica fails at the same time.
        if kind == "replica" or self.random.random() >= 0.2:
            return kind, await getattr(self, kind)()
        return kind, "; ".join(await asyncio.gather(getattr(self, kind)(), self.replica()))

    async def pause(self, *limits):
        """Lets some seconds pass, and returns how many."""
        seconds = self.random.uniform(*limits)
        await asyncio.sleep(seconds)
        return seconds

    async def still(self):
        """Half of the times longer than a commit waits (5 s)."""
        return await self.pause(*self.random.choice([(0.2, 2), (5.2, 7)]))

    async def in_sync(self):
        await asyncio.to_thread(self.world.pair.wait_in_sync)

    async def replica(self):
        """A replica is killed or stopped, and started again."""
        replica, is_killed = self.random.choice(self.world.replicas), self.random.random() < 0.7
        if is_killed:
            replica.crash()
        else:
            replica.terminate()
            if status := await asyncio.to_thread(replica.wait):
                raise RuntimeError(f"{replica.directory.name} ended on SIGTERM with status {status}")
        away = await self.pause(0, 1.5)
        await replica.start_until_it_runs()
        return f"a replica was {'killed' if is_killed else 'stopped'}, and started again after {away:.1f} s"

    async def primary(self):
        """The primary is lost and the standby promoted; the former primary becomes the standby."""
        pair = self.world.pair
        await asyncio.to_thread(pair.primary.kill)
        await self.pause(0, 1)
        return await self.promote(self.random.choice([pair.rewind, pair.copy]), "the primary was killed")

    async def promote(self, make_standby, text):
        pair = self.world.pair
        await asyncio.to_thread(pair.promote)
        promoted = time.monotonic() - self.since
        await self.pause(0, 1)
        await asyncio.to_thread(make_standby)
        await self.in_sync()
        return (
            f"{text}, the standby promoted after {promoted:.1f} s, and a standby made by {make_standby.__name__} in sync "
            f"after {time.monotonic() - self.since:.1f} s")

    async def restart(self):
        """The primary crashes, and is started again."""
        pair = self.world.pair
        await asyncio.to_thread(pair.primary.kill)
        away = await self.pause(0, 1.5)
        await asyncio.to_thread(pair.primary.start)
        await self.in_sync()
        return f"the primary was killed, and started again after {away:.1f} s"

    async def both(self):
        """The standby is lost, so that commits wait, then the primary; the standby comes back and is promoted."""
        pair = self.world.pair
        await asyncio.to_thread(pair.standby.kill)
        alone = await self.still()
        await asyncio.to_thread(pair.primary.kill)
        await asyncio.to_thread(pair.standby.start, pair.primary)
        return await self.promote(pair.rewind, f"the standby was killed, and {alone:.1f} s later the primary")

    async def cut(self):
        """All connections to the database are ended."""
        times, cut = self.random.randint(1, 4), 0
        for _ in range(times):
            cut += await asyncio.to_thread(self.world.pair.cut)
            await self.pause(0, 0.4)
        return f"{cut} connections to the database were ended, in {times} goes"

    async def stall(self):
        """The standby stands still: commits wait for it."""
        return await self.freeze_for(self.world.pair.standby, "standby")

    async def freeze(self):
        """The primary stands still."""
        return await self.freeze_for(self.world.pair.primary, "primary")

    async def freeze_for(self, node, name):
        await asyncio.to_thread(node.freeze)
        still = await self.still()
        await asyncio.to_thread(node.thaw)
        await self.in_sync()
        return f"the {name} stood still for {still:.1f} s"

    async def proxy(self):
        """All connections of the proxy are cut."""
        times = self.random.randint(1, 3)
        for _ in range(times):
            self.world.front.cut()
            await self.pause(0, 0.4)
        return f"the proxy's connections were cut {times} times"
