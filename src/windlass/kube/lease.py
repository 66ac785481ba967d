"""Leader election on a Lease, by client-go's rules, so that of several managers one works.

The holder renews every 2 s. A candidate looks at the lease at least every 2 s and takes it 15 s after it last saw it
change, by its own clock: clocks need not agree, only run equally fast. So another leads at most 17 s after the holder
was killed. A holder that could not renew for 10 s stops leading before that. `next_claim` and `next_check` are the
decisions; `Election` carries them out.
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
RELEASE_PAUSES_SECONDS = (0.0, 0.1, 0.5)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Seconds, as kube-controller-manager has them."""

    duration: float = 15.0
    renew_within: float = 10.0
    retry_every: float = 2.0


class LostLeadership(Exception):
    """The lease was not renewed in time, or another holds it; the message says which. This process must stop."""


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


def next_check(spec: Json, unchanged_for: float, terms: Terms, jitter: float) -> float:
    """Seconds until a candidate looks at another's lease again: when it lapses, and every `retry_every` until then.

    `jitter`, from 0 to 1, shortens the period by up to a fifth, so that candidates do not all ask together.
    """
    period = terms.retry_every * (1 - 0.2 * jitter)
    if not spec.get("holderIdentity"):
        return period
    lapses_in = float(spec.get("leaseDurationSeconds") or terms.duration) - unchanged_for
    return min(period, lapses_in) if lapses_in > 0 else period


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
        self._failure: errors.ApiError | None = None  # of the last try

    @property
    def stands_by(self) -> bool:
        """Whether another is known to lead."""
        return self._taken()

    async def acquire(self) -> None:
        while True:
            if await self._try():
                break
            unchanged_for = self._clock() - self._observed_at
            await asyncio.sleep(next_check(self._observed, unchanged_for, self._terms, random.random()))
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
            elif self._taken():
                raise LostLeadership(f"the lease {self._key} is held by {self._observed['holderIdentity']} now")
            elif self._clock() - renewed >= self._terms.renew_within:
                raise LostLeadership(self._not_renewed())

    def _not_renewed(self) -> str:
        why = self._failure or "the API server does not answer in time"
        return f"the lease {self._key} could not be renewed for {self._terms.renew_within:g} s: {why}"

    async def release(self) -> None:
        """Let another lead at once."""
        try:
            for pause in RELEASE_PAUSES_SECONDS:
                try:
                    return await self._let_go()
                except errors.Conflict:  # with a renewal that is still under way
                    await asyncio.sleep(pause)
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
            held = await self._claim()
        except errors.ApiError as error:
            self._failure = error
            log.info("could not claim the lease lease=%s error=%s", self._key, error)
            return False
        self._failure = None
        return held

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
