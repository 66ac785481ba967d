"""Leader election on a Lease, by client-go's rules, so that of several managers one works.

The holder renews every 2 s. Another may take the lease 15 s after it last saw it change, by its own clock: clocks need
not agree, only run equally fast. A holder that could not renew for 10 s counts itself out before that. `next_claim` is
the decision; `Election` carries it out.
"""

import asyncio
import logging
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from windlass.kube import errors
from windlass.kube.client import Client
from windlass.kube.json import Object as Json
from windlass.kube.json import dig_object, micro_timestamp
from windlass.kube.kind import Kind
from windlass.kube.meta import Key

LEASE = Kind(group="coordination.k8s.io", version="v1", name="Lease", plural="leases")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Seconds, as kube-controller-manager has them."""

    duration: float = 15.0
    renew_within: float = 10.0
    retry_every: float = 2.0


class LostLeadership(Exception):
    """The lease could not be renewed in time: another may lead now, so this process must stop."""


def next_claim(spec: Json, identity: str, unchanged_for: float, now: datetime, terms: Terms) -> Json | None:
    """The lease's next spec if `identity` may hold it; None while another's claim stands."""
    holder = str(spec.get("holderIdentity") or "")
    if holder and holder != identity and unchanged_for < float(spec.get("leaseDurationSeconds") or terms.duration):
        return None
    claim: Json = {
        "holderIdentity": identity,
        "leaseDurationSeconds": int(terms.duration),
        "acquireTime": micro_timestamp(now),
        "renewTime": micro_timestamp(now),
        "leaseTransitions": int(spec.get("leaseTransitions") or 0) + (1 if spec and holder != identity else 0),
    }
    if holder == identity:
        claim["acquireTime"] = spec.get("acquireTime") or claim["acquireTime"]
    return claim


class Election:
    """One candidate. `acquire` returns once it leads; `hold` returns never and raises when it leads no more."""

    def __init__(
        self,
        client: Client,
        key: Key,
        identity: str,
        *,
        terms: Terms | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client, self._key, self._clock = client, key, clock
        self.identity = identity
        self._terms = terms or Terms()
        self._observed: Json = {}
        self._observed_at = clock()

    @property
    def stands_by(self) -> bool:
        """Whether another is known to lead."""
        return self._taken()

    async def acquire(self) -> None:
        while True:
            if await self._try():
                break
            await asyncio.sleep(self._terms.retry_every * (1 + 0.2 * random.random()))
        log.info("became the leader lease=%s identity=%s", self._key, self.identity)

    async def hold(self) -> None:
        renewed = self._clock()
        while True:
            await asyncio.sleep(self._terms.retry_every)
            try:
                async with asyncio.timeout(max(0.0, renewed + self._terms.renew_within - self._clock())):
                    held = await self._try()
            except TimeoutError:
                held = False
            if held:
                renewed = self._clock()
            elif self._clock() - renewed >= self._terms.renew_within or self._taken():
                raise LostLeadership(f"the lease {self._key} was not renewed within {self._terms.renew_within:g} s")

    async def release(self) -> None:
        """Let another lead at once."""
        try:
            try:
                await self._let_go()
            except errors.Conflict:  # with a renewal that was still under way
                await self._let_go()
        except errors.ApiError as error:
            log.warning("could not release the lease, it will lapse lease=%s error=%s", self._key, error)

    async def _let_go(self) -> None:
        lease = await self._client.get(LEASE, self._key.name, self._key.namespace)
        if dig_object(lease, "spec").get("holderIdentity") != self.identity:
            return
        moment = micro_timestamp(datetime.now(UTC))
        lease["spec"] |= {"holderIdentity": "", "leaseDurationSeconds": 1, "acquireTime": moment, "renewTime": moment}
        await self._client.update(lease, kind=LEASE)

    def _taken(self) -> bool:
        return self._observed.get("holderIdentity") not in (None, "", self.identity)

    async def _try(self) -> bool:
        try:
            return await self._claim()
        except errors.ApiError as error:
            log.info("could not claim the lease lease=%s error=%s", self._key, error)
            return False

    async def _claim(self) -> bool:
        try:
            lease = await self._client.get(LEASE, self._key.name, self._key.namespace)
        except errors.NotFound:
            return await self._create()
        spec = dig_object(lease, "spec")
        if spec != self._observed:
            self._observed, self._observed_at = spec, self._clock()
        claim = next_claim(spec, self.identity, self._clock() - self._observed_at, datetime.now(UTC), self._terms)
        if claim is None:
            return False
        await self._client.update(lease | {"spec": spec | claim}, kind=LEASE)  # refused if another was faster
        self._observed, self._observed_at = spec | claim, self._clock()
        return True

    async def _create(self) -> bool:
        claim = next_claim({}, self.identity, 0, datetime.now(UTC), self._terms)
        metadata = {"name": self._key.name, "namespace": self._key.namespace}
        lease: Json = {"apiVersion": LEASE.api_version, "kind": LEASE.name, "metadata": metadata, "spec": claim}
        await self._client.create(lease, kind=LEASE)
        self._observed, self._observed_at = claim or {}, self._clock()
        return True
