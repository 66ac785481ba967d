"""Ask the API server what a user may do, and remember the answers for a moment.

Answers are dropped as soon as any role or binding changes, and after ten seconds in any case, since group memberships
and authorizers of a cluster change without an object that could be watched.
"""

import asyncio
import time
from collections.abc import Callable
from datetime import timedelta

from windlass.apis.access import Access, PathAccess
from windlass.gateway.request import Identity
from windlass.kube.client import Client
from windlass.kube.json import Object, dig
from windlass.kube.kind import Kind

ANSWERS_LAST = timedelta(seconds=10)
MAX_ANSWERS = 10_000
AUTHENTICATED = "system:authenticated"

REVIEWS = Kind(
    group="authorization.k8s.io",
    version="v1",
    name="SubjectAccessReview",
    plural="subjectaccessreviews",
    namespaced=False,
)


class AccessReviews:
    """Answers by user, groups and access. Equal questions that arrive together are asked once."""

    def __init__(self, client: Client, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._clock = clock
        self._answers: dict[tuple[str, tuple[str, ...], Access | PathAccess], tuple[float, asyncio.Future[bool]]] = {}

    async def allows(self, identity: Identity, access: Access | PathAccess) -> bool:
        """Raises ApiError where the server does not answer: then nobody is let through."""
        key = (identity.user, identity.rbac_groups, access)
        now = self._clock()
        known = self._answers.get(key)
        if known is not None and known[0] > now:
            if known[1].done():
                return known[1].result()
            return await asyncio.shield(known[1])
        if len(self._answers) >= MAX_ANSWERS:
            self._answers.clear()
        asking = asyncio.ensure_future(self._ask(identity, access))
        self._answers[key] = (now + ANSWERS_LAST.total_seconds(), asking)
        try:
            return await asyncio.shield(asking)
        except BaseException:
            if asking.done() and self._answers.get(key, (0.0, None))[1] is asking:
                del self._answers[key]
            raise

    def forget(self) -> None:
        """Drop all answers: a role or binding has changed."""
        self._answers.clear()

    async def _ask(self, identity: Identity, access: Access | PathAccess) -> bool:
        review: Object = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": REVIEWS.name,
            "metadata": {},
            "spec": {
                "user": identity.user,
                "groups": [*identity.rbac_groups, AUTHENTICATED],
                **access.attributes(),
            },
        }
        answer = await self._client.create(review, kind=REVIEWS)
        return dig(answer, "status", "allowed") is True
