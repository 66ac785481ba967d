"""Runs the scheduler's own code over the cluster as it is: explanations, forecasts, questions of what if.

The whole cluster is read with the gateway's rights, at most every few seconds for all pages together; what a user may
not see is masked where the answer becomes a view. Each simulation runs in a thread, one at a time, and is given up
after a few seconds. The scheduler's modules are loaded by the first question: they need NumPy, and most pages do not.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from windlass.apis.user_error import UserError
from windlass.apps.training.web.structs.forecasts import ForecastView, WhatIfRequest, WhatIfView
from windlass.formats import yaml_reader
from windlass.gateway.views.reading import name_of, namespace_of, text
from windlass.gateway.views.visibility import Visible
from windlass.kube.client import Client
from windlass.kube.errors import BadRequest, TooManyRequests
from windlass.kube.json import Object, dig, is_list, is_object
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key

if TYPE_CHECKING:
    from windlass.apps.training.web.views.timeline_blocks import Outlook
    from windlass.scheduler.explain.answer import Explanation
    from windlass.scheduler.model.observed import Observed

SIMULATOR_MODULES = (
    "windlass.apps.training.web.views.forecast_rows",
    "windlass.apps.training.web.views.timeline_blocks",
    "windlass.apps.training.web.views.what_if",
    "windlass.apps.training.jobs.explain.explain",
    "windlass.apps.training.jobs.explain.forecast",
    "windlass.apps.training.jobs.explain.observe",
    "windlass.apps.training.jobs.explain.owners",
    "windlass.apps.trainer.simulated_pods",
    "windlass.scheduler.simulate.outlook",
)
OBSERVED_AGE = timedelta(seconds=3)
ANSWER_AGE = timedelta(seconds=5)
TIMELINE_AGE = timedelta(seconds=15)
TIMEOUT_SECONDS = 4.0
MAX_ANSWERS = 64
MAX_MANIFEST = 128 << 10
"""Characters of YAML, which is read in pure Python where libyaml is missing."""
MAX_QUESTIONS = 8
"""Forecasts and questions that may wait for their turn."""
T = TypeVar("T")


class Simulations:
    def __init__(self, client: Client) -> None:
        self._client = client
        self._one_at_a_time = asyncio.Semaphore(1)
        self._questions = 0
        self._is_loaded = False
        self._answers: OrderedDict[str, tuple[float, asyncio.Future[Any]]] = OrderedDict()

    async def _load(self) -> None:
        """Import the scheduler in a thread: with NumPy that takes a second, in which others are to be answered."""
        if not self._is_loaded:
            await asyncio.to_thread(lambda: [import_module(name) for name in SIMULATOR_MODULES])
            self._is_loaded = True

    async def observed(self) -> "Observed":
        await self._load()
        from windlass.apps.training.jobs.explain.observe import observe

        return await self._shared("observed", OBSERVED_AGE, lambda: observe(self._client))

    async def explain(self, job: Object) -> "Explanation | None":
        """None if there is nothing to explain any more."""
        key = f"explain {text(dig(job, 'metadata', 'uid'))}"
        return await self._shared(key, ANSWER_AGE, lambda: self._explain(job))

    async def _explain(self, job: Object) -> "Explanation | None":
        await self._load()
        from windlass.apps.training.jobs.explain.explain import explain_observed
        from windlass.apps.training.jobs.explain.forecast import conf_in_force
        from windlass.scheduler.explain.lookup import Unknown

        observed = await self.observed()
        key = Key(namespace_of(job), name_of(job))

        def run() -> "Explanation | None":
            try:
                return explain_observed(observed, conf_in_force(observed), "job", key, job, TIMEOUT_SECONDS)
            except Unknown:
                return None

        return await self._in_thread(run)

    async def timeline_outlook(self) -> "Outlook":
        """What becomes of everything that runs and waits, for the timeline."""
        return await self._shared("timeline", TIMELINE_AGE, self._timeline_outlook)

    async def _timeline_outlook(self) -> "Outlook":
        await self._load()
        from windlass.apps.training.jobs.explain.forecast import conf_in_force
        from windlass.apps.training.web.views.timeline_blocks import FUTURE, Expected, Outlook
        from windlass.scheduler.simulate.outlook import outlook

        observed = await self.observed()
        now, until = time.time(), time.monotonic() + TIMEOUT_SECONDS

        def run() -> Outlook:
            forecast = outlook(
                observed,
                conf_in_force(observed),
                now,
                until=now + FUTURE.total_seconds(),
                give_up=lambda: time.monotonic() > until,
            )
            return Outlook(
                blocks=[Expected(one.gang, one.node, one.start, one.end, one.pods) for one in forecast.stays],
                never=[gang for gang, after in forecast.starts.items() if after is None],
                assumptions=forecast.assumptions,
            )

        return await self._in_thread(run)

    async def forecast(
        self, user: Client, documents: Sequence[Object], namespace: str, visible: Visible
    ) -> ForecastView:
        """Of a job that is not there yet, as `documents_of` reads it. Raises BadRequest and TooManyRequests."""
        await self._load()
        from windlass.apps.training.jobs.explain.forecast import conf_in_force, explain_added
        from windlass.apps.training.web.views.forecast_rows import forecast_view
        from windlass.scheduler.simulate.yaml_positions import BadDescription

        expanded = await self._expanded(user, documents, namespace)
        observed = await self.observed()
        try:
            explanation, pods = await self._answered(
                lambda: explain_added(
                    observed, expanded, namespace, conf_in_force(observed), time.time(), TIMEOUT_SECONDS
                )
            )
        except BadDescription as error:
            raise BadRequest(f"manifest: {error}") from error
        return forecast_view(explanation, pods, visible, datetime.now(UTC))

    async def what_if(
        self, user: Client, request: WhatIfRequest, documents: Sequence[Object], visible: Visible
    ) -> WhatIfView:
        """`documents`: those of the job that is added. Raises BadRequest and TooManyRequests."""
        await self._load()
        from windlass.apps.training.jobs.explain.forecast import conf_in_force
        from windlass.apps.training.jobs.explain.owners import owners_of
        from windlass.apps.training.web.views.what_if import changed, compared
        from windlass.scheduler.simulate.job_manifest import read_added
        from windlass.scheduler.simulate.outlook import outlook
        from windlass.scheduler.simulate.yaml_positions import BadDescription

        expanded = await self._expanded(user, documents, request.namespace)
        observed = await self.observed()
        other, now = changed(observed, request), time.time()

        def run() -> WhatIfView:
            conf, until = conf_in_force(observed), time.monotonic() + 2 * TIMEOUT_SECONDS
            halfway = until - TIMEOUT_SECONDS
            added = read_added(expanded, request.namespace, observed.priorities, now) if expanded else None
            before = outlook(observed, conf, now, give_up=lambda: time.monotonic() > halfway)
            after = outlook(other, conf, now, added=added, give_up=lambda: time.monotonic() > until)
            return compared(before, after, visible, owners_of(observed.groups))

        try:
            return await self._answered(run)
        except BadDescription as error:
            raise BadRequest(f"manifest: {error}") from error

    async def _expanded(self, user: Client, documents: Sequence[Object], namespace: str) -> list[Object]:
        """The documents, TrainJobs with the pods of their runtime, which the user must be able to get."""
        from windlass.apps.trainer.simulated_pods import with_pods

        try:
            return await with_pods(user, documents, namespace)
        except UserError as error:
            raise BadRequest(f"manifest: {error}") from error

    async def _answered(self, run: Callable[[], T]) -> T:
        """The answer to a question of a user: those that come too often are refused, since views wait behind them."""
        if self._questions >= MAX_QUESTIONS:
            raise TooManyRequests("the simulator is busy. Try again in a moment")
        self._questions += 1
        try:
            return await self._in_thread(run)
        finally:
            self._questions -= 1

    async def _in_thread(self, run: Callable[[], T]) -> T:
        async with self._one_at_a_time:
            return await asyncio.to_thread(run)

    async def _shared(self, key: str, age: timedelta, make: Callable[[], Awaitable[T]]) -> T:
        """One answer for all who ask within `age`, and for those who ask while it is made."""
        now = time.monotonic()
        known = self._answers.get(key)
        if known is None or (known[1].done() and (known[0] < now - age.total_seconds() or _failed(known[1]))):
            known = (now, asyncio.ensure_future(make()))
            self._answers[key] = known
            self._answers.move_to_end(key)
            while len(self._answers) > MAX_ANSWERS:
                self._answers.popitem(last=False)
        return await asyncio.shield(known[1])


def _failed(answer: asyncio.Future[Any]) -> bool:
    return answer.cancelled() or answer.exception() is not None


async def documents_of(manifest: object) -> Sequence[Object]:
    """The objects of a manifest: an object, a list of them, or YAML. Raises BadRequest."""
    if isinstance(manifest, str):
        manifest = await asyncio.to_thread(_parsed, manifest)
    listed: list[Any] = manifest if is_list(manifest) else [manifest]
    documents = [document for document in listed if document is not None]
    if not documents:
        raise BadRequest("manifest: there is no object")
    for document in documents:
        if not is_object(document):
            raise BadRequest("manifest: must be an object, or several")
        _check_shape(document)
    return documents


def _check_shape(document: Object) -> None:
    """Raises BadRequest, which names the field that is not what its kind has there."""
    for field in ("apiVersion", "kind"):
        if not isinstance(document.get(field, ""), str):
            raise BadRequest(f"manifest: {field} must be a text")
    for field in ("metadata", "spec"):
        if not is_object(document.get(field, {})):
            raise BadRequest(f"manifest: {field} must be an object")
    kind = KINDS.find(document.get("apiVersion", ""), document.get("kind", ""))
    if kind is not None and kind.struct is not None:
        try:
            msgspec.convert(document, kind.struct)
        except msgspec.ValidationError as error:
            raise BadRequest(f"manifest: {error}") from error


def _parsed(manifest: str) -> list[Any]:
    if len(manifest) > MAX_MANIFEST:
        raise BadRequest(f"manifest: is longer than {MAX_MANIFEST} characters")
    try:
        return yaml_reader.as_json(yaml_reader.read_all(manifest))
    except yaml_reader.BadYaml as error:
        raise BadRequest(f"manifest: {error}") from error
