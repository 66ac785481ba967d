"""Answers what the engine asks for while it advances a Workflow: files of pods, objects, locks, and stores.

The engine decides with what it has been answered, and asks for more; it is called again until it asks for nothing new.
"""

from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from windlass.apis.core_v1 import ConfigMap, Pod
from windlass.apps.pipelines.argo.observation import (
    CachedOutputs,
    CacheLookup,
    InputAnswer,
    InputFetch,
    InputLookup,
    Listing,
    ListingAnswer,
    Observation,
    OutputsRequest,
    PodOutputs,
    PodState,
    Removal,
    ResourceAnswer,
)
from windlass.apps.pipelines.argo.workflow import Advance
from windlass.apps.pipelines.artifacts.stores.remote_store import StoreError
from windlass.apps.pipelines.runs.workflows.locks import WorkflowLocks
from windlass.apps.pipelines.runs.workflows.output_cache import WorkflowCache
from windlass.apps.pipelines.runs.workflows.pod_outputs import ClaimOutputs, find_input, read_outputs
from windlass.apps.pipelines.runs.workflows.resource_actions import carry_out
from windlass.kube import errors
from windlass.kube.api import Api
from windlass.kube.cache import Store
from windlass.kube.json import Object, dig
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.objects import key_of
from windlass.kube.view import untyped

if TYPE_CHECKING:
    from windlass.apps.pipelines.runs.workflows.pod_transfers import WorkflowTransfers
    from windlass.apps.pipelines.runs.workflows.store_places import WorkflowPlaces

NO_CLAIM = "artifacts and outputs of Workflows need an artifact claim or an object store"
CONFIG_MAPS = untyped(KINDS.of(ConfigMap))
Q = TypeVar("Q")
A = TypeVar("A")
K = TypeVar("K", bound=Hashable)


@dataclass
class Answers:
    """What was answered in one step of a Workflow."""

    outputs: dict[str, PodOutputs] = field(default_factory=dict[str, PodOutputs])
    resources: dict[str, ResourceAnswer] = field(default_factory=dict[str, ResourceAnswer])
    cached: dict[str, CachedOutputs | None] = field(default_factory=dict[str, CachedOutputs | None])
    config_maps: dict[str, Object | None] = field(default_factory=dict[str, Object | None])
    inputs: dict[str, InputAnswer] = field(default_factory=dict[str, InputAnswer])
    fetches: dict[str, InputAnswer] = field(default_factory=dict[str, InputAnswer])
    listings: dict[str, ListingAnswer] = field(default_factory=dict[str, ListingAnswer])
    removals: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    locks: dict[str, bool] = field(default_factory=dict[str, bool])
    templates: dict[tuple[str, bool], Object | None] = field(default_factory=dict[tuple[str, bool], Object | None])

    def observation(
        self,
        now: datetime,
        pods: Iterable[PodState],
        refusals: Mapping[str, str],
        templates: Mapping[tuple[str, bool], Object],
    ) -> Observation:
        return Observation(
            now=now,
            pods={pod.name: pod for pod in pods},
            refusals=refusals,
            templates={**templates, **self.templates},
            outputs=self.outputs,
            resources=self.resources,
            cached=self.cached,
            config_maps=self.config_maps,
            inputs=self.inputs,
            fetches=self.fetches,
            listings=self.listings,
            removals=self.removals,
            locks=self.locks,
        )


@dataclass(frozen=True, kw_only=True)
class Answerer:
    """Reads and acts with the rights of the manager."""

    api: Api
    pods: Store[Pod]
    locks: WorkflowLocks
    places: "Callable[[], WorkflowPlaces | None]"
    """Opens the stores that artifacts name, at the first of them."""
    template: Callable[[str, tuple[str, bool]], Object | None]
    """The spec of a WorkflowTemplate of a namespace, or of the cluster."""
    outputs: ClaimOutputs | None = None
    transfers: "WorkflowTransfers | None" = None
    """On a cluster, in place of `outputs`."""
    cache: WorkflowCache | None = None

    async def answer(self, workflow: Object, made: Advance, known: Answers) -> bool:
        """Answer what is asked for and not `known` yet; False if that is nothing."""
        key, account = key_of(workflow), str(dig(workflow, "spec", "serviceAccountName") or "")
        namespace = key.namespace
        answered = [
            self.locks.answer(workflow, made, known.locks),
            await _add(known.fetches, made.fetches, lambda fetch: fetch.id, lambda fetch: self._fetch(key, fetch)),
            await _add(
                known.listings, made.listings, lambda listing: listing.node_id, lambda one: self._list(namespace, one)
            ),
            await _add(
                known.removals, made.removals, lambda removal: removal.id, lambda one: self.remove(namespace, one)
            ),
            await _add(known.templates, made.templates, lambda key: key, lambda key: self._template(namespace, key)),
            await _add(known.config_maps, made.config_maps, str, lambda name: self._config_map(namespace, name)),
            await _add(known.cached, made.lookups, lambda lookup: lookup.key, lambda one: self._cached(namespace, one)),
            await _add(
                known.inputs, made.input_lookups, lambda lookup: lookup.uri, lambda one: self._find(namespace, one)
            ),
            await _add(known.outputs, made.reads, lambda read: read.pod, lambda read: self._read(key, read)),
            await _add(
                known.resources,
                made.actions,
                lambda action: action.node_id,
                lambda action: carry_out(self.api, action, namespace, account),
            ),
        ]
        return any(answered)

    # --- stores that artifacts name

    async def _fetch(self, key: Key, fetch: InputFetch) -> InputAnswer:
        places = self.places()
        return await places.fetch(key, fetch) if places is not None else InputAnswer(error=NO_CLAIM)

    async def _list(self, namespace: str, listing: Listing) -> ListingAnswer:
        places = self.places()
        return await places.list(namespace, listing) if places is not None else ListingAnswer(error=NO_CLAIM)

    async def remove(self, namespace: str, removal: Removal) -> str:
        """Why an artifact could not be removed; empty if it was."""
        places = self.places()
        return await places.remove(namespace, removal) if places is not None else NO_CLAIM

    # --- the claim or store of the namespace

    async def _read(self, key: Key, request: OutputsRequest) -> PodOutputs:
        """What a pod has left behind; pending while its artifacts are published into stores that they name."""
        published: dict[str, bool] | None = {}
        problem = ""
        if request.published and self.outputs is not None and (places := self.places()) is not None:
            try:
                published = await places.publish(key, request)
            except StoreError as error:
                problem = str(error)
        if published is None:
            return PodOutputs(is_pending=True)
        if self.outputs is not None:
            read = await read_outputs(self.outputs, key.namespace, request)
            return replace(read, artifacts={**read.artifacts, **published}, error=read.error or problem)
        if self.transfers is not None:
            return await self.transfers.read(key.namespace, self.pods.get(Key(key.namespace, request.pod)), request)
        return PodOutputs(error=NO_CLAIM)

    async def _find(self, namespace: str, lookup: InputLookup) -> InputAnswer:
        if self.outputs is not None:
            return await find_input(self.outputs, namespace, lookup)
        return await self.transfers.find_input(namespace, lookup) if self.transfers is not None else InputAnswer()

    # --- the history, and objects

    async def _cached(self, namespace: str, lookup: CacheLookup) -> CachedOutputs | None:
        return await self.cache.find(namespace, lookup) if self.cache is not None else None

    async def _template(self, namespace: str, key: tuple[str, bool]) -> Object | None:
        return self.template(namespace, key)

    async def _config_map(self, namespace: str, name: str) -> Object | None:
        if not name:
            return None
        try:
            return await self.api.get(CONFIG_MAPS, name, namespace)
        except (errors.NotFound, errors.BadRequest, errors.Invalid):
            return None


async def _add(
    known: dict[K, Any], asked: Iterable[Q], id_of: Callable[[Q], K], answer: Callable[[Q], Awaitable[A]]
) -> bool:
    """Whether something was asked that was not known."""
    before = len(known)
    for question in asked:
        if id_of(question) not in known:
            known[id_of(question)] = await answer(question)
    return len(known) > before
