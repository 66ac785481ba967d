"""Runs Workflows with the real engine and pods that are only simulated: each ends as the test says."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from windlass.apps.pipelines.argo.execution.turn import Memo
from windlass.apps.pipelines.argo.locks import LockTable, held_locks, holder_of
from windlass.apps.pipelines.argo.observation import (
    CachedOutputs,
    InputAnswer,
    InputFetch,
    ListingAnswer,
    Observation,
    PodOutputs,
    PodState,
    ResourceAction,
    ResourceAnswer,
)
from windlass.apps.pipelines.argo.workflow import Advance, advance
from windlass.apps.pipelines.artifacts.stores.store_locations import PlacedArtifact
from windlass.kube.json import Object, dig, dig_list
from windlass.kube.meta import Key

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@dataclass(frozen=True)
class End:
    """How a pod ends, and what it leaves behind."""

    exit_code: int = 0
    parameters: dict[str, str] = field(default_factory=dict)
    artifacts: tuple[str, ...] = ()
    result: str | None = None


Behaviour = Callable[[Object], End]


def succeed(pod: Object) -> End:
    return End()


@dataclass
class Simulation:
    """A Workflow and its pods. Every turn is made from the stored object, as after a restart."""

    workflow: Object
    behaviour: Behaviour = succeed
    templates: dict[tuple[str, bool], Object] = field(default_factory=dict)
    unmentioned: dict[tuple[str, bool], Object] = field(default_factory=dict)
    """WorkflowTemplates that the Workflow does not refer to by their names."""
    act: Callable[[ResourceAction], ResourceAnswer] = lambda action: ResourceAnswer(obj=action.manifest)
    cached: dict[str, CachedOutputs] = field(default_factory=dict)
    """Outputs that may be reused, by their key."""
    config_maps: dict[str, Object] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()
    """URIs of input artifacts that the store does not have."""
    objects: dict[str, list[str]] = field(default_factory=dict)
    """Keys of objects that `data` templates list, by the URI of the folder."""
    unreachable: dict[str, str] = field(default_factory=dict)
    """Why artifacts at URIs of other stores can be neither fetched nor removed."""
    locks: LockTable = field(default_factory=LockTable)
    """Shared by the Workflows of one namespace."""
    now: datetime = START
    random: Random = field(default_factory=lambda: Random(1))

    def __post_init__(self) -> None:
        self.workflow = json.loads(json.dumps(self.workflow))
        self.workflow["metadata"].setdefault("creationTimestamp", "2026-01-02T03:04:05Z")
        self.workflow["metadata"].setdefault("uid", "1")
        self.pods: dict[str, PodState] = {}
        self.manifests: dict[str, Object] = {}
        self.ends: dict[str, End] = {}
        self.order: list[str] = []
        """Node names, in the order in which their pods were created."""
        self.max_active = 0
        self.actions: list[ResourceAction] = []
        self.memos: list[Memo] = []
        self.fetched: list[str] = []
        self.published: dict[str, PlacedArtifact] = {}
        self.removed: list[str] = []
        self.last: Advance | None = None

    # --- the controller's side

    def turn(self) -> Advance:
        """One reconcile: advance, read, act, store, create and delete."""
        outputs: dict[str, PodOutputs] = {}
        answers: dict[str, ResourceAnswer] = {}
        looked_up: dict[str, CachedOutputs | None] = {}
        config_maps: dict[str, Object | None] = {}
        found: dict[str, InputAnswer] = {}
        granted: dict[str, bool] = {}
        fetches: dict[str, InputAnswer] = {}
        listings: dict[str, ListingAnswer] = {}
        removals: dict[tuple[str, str], str] = {}
        templates: dict[tuple[str, bool], Object | None] = dict(self.templates)
        while True:
            observation = Observation(
                now=self.now,
                pods=dict(self.pods),
                outputs=outputs,
                resources=answers,
                templates=templates,
                cached=looked_up,
                config_maps=config_maps,
                inputs=found,
                fetches=fetches,
                listings=listings,
                removals=removals,
                locks=granted,
            )
            made = advance(self.workflow, observation)
            new_reads = [read for read in made.reads if read.pod not in outputs]
            new_actions = [action for action in made.actions if action.node_id not in answers]
            new_lookups = [lookup.key for lookup in made.lookups if lookup.key not in looked_up]
            new_names = [name for name in made.config_maps if name not in config_maps]
            new_inputs = [lookup.uri for lookup in made.input_lookups if lookup.uri not in found]
            new_locks = [node for node in made.lock_requests if node not in granted]
            new_fetches = [fetch for fetch in made.fetches if fetch.id not in fetches]
            new_listings = [listing for listing in made.listings if listing.node_id not in listings]
            new_removals = [removal for removal in made.removals if removal.id not in removals]
            new_templates = [key for key in made.templates if key not in templates]
            others = (new_fetches, new_listings, new_removals, new_templates)
            if not (new_reads or new_actions or new_lookups or new_names or new_inputs or new_locks or any(others)):
                break
            fetches |= {fetch.id: self._fetch(fetch) for fetch in new_fetches}
            for listing in new_listings:
                uri = listing.place.uri if listing.place is not None else listing.uri
                listings[listing.node_id] = ListingAnswer(
                    keys=self.objects.get(uri, []), error=self.unreachable.get(uri, "")
                )
            for removal in new_removals:
                uri = removal.place.uri if removal.place is not None else removal.uri
                removals[removal.id] = self.unreachable.get(uri, "")
                self.removed += [] if uri in self.unreachable else [uri]
            templates |= {key: self.unmentioned.get(key) for key in new_templates}
            config_maps |= {name: self.config_maps.get(name) for name in new_names}
            found |= {uri: InputAnswer(exists=uri not in self.missing) for uri in new_inputs}
            for node in new_locks:
                granted[node] = self.locks.acquire(holder_of(self.workflow, node), made.lock_requests[node])
            looked_up |= {key: self.cached.get(key) for key in new_lookups}
            for read in new_reads:
                self.published |= read.published
                end = self.ends[read.pod]
                outputs[read.pod] = PodOutputs(
                    parameters={name: end.parameters.get(name) for name in read.parameters},
                    artifacts={name: name in end.artifacts for name in (*read.artifacts, *read.published)},
                    result=end.result if read.has_result else None,
                )
            for action in new_actions:
                self.actions.append(action)
                answers[action.node_id] = self.act(action)
        self.workflow = json.loads(json.dumps({**self.workflow, "status": made.status}))
        self.locks.settle(self.key, held_locks(self.status), made.lock_requests)
        self.memos += made.memos
        for pod in made.creates:
            self._create(pod)
        for name in made.deletes:
            self.pods.pop(name, None)
        self.last = made
        return made

    def _create(self, pod: Object) -> None:
        name = pod["metadata"]["name"]
        if name in self.pods:
            return
        self.order.append(pod["metadata"]["annotations"]["workflows.argoproj.io/node-name"])
        retries = pod["metadata"]["annotations"].get("pipelines.windlass.dev/retries", "")
        self.pods[name] = PodState(name=name, retries=retries, labels=pod["metadata"]["labels"])
        self.manifests[name] = pod
        active = sum(state.phase in ("Pending", "Running") for state in self.pods.values())
        self.max_active = max(self.max_active, active)

    def _fetch(self, fetch: InputFetch) -> InputAnswer:
        uri = fetch.artifact.place.uri
        self.fetched.append(uri)
        return InputAnswer(exists=uri not in self.missing, error=self.unreachable.get(uri, ""))

    # --- the node's side

    def end_pod(self, name: str) -> None:
        end = self.behaviour(self.manifests[name])
        self.ends[name] = end
        phase = "Failed" if end.exit_code else "Succeeded"
        message = f"Error (exit code {end.exit_code})" if end.exit_code else ""
        finished = self.now.strftime("%Y-%m-%dT%H:%M:%SZ")
        self.pods[name] = replace(
            self.pods[name], phase=phase, exit_code=end.exit_code, message=message, finished_at=finished
        )

    def active_pods(self) -> list[str]:
        return sorted(name for name, state in self.pods.items() if state.phase in ("Pending", "Running"))

    def run(self, limit: int = 2000) -> "Simulation":
        """Until the Workflow is over: pods end one after the other, in random order; else time passes."""
        for _ in range(limit):
            made = self.turn()
            if made.status["phase"] in ("Succeeded", "Failed", "Error"):
                return self
            active = self.active_pods()
            if active and self.random.random() < 0.8:
                self.end_pod(self.random.choice(active))
            elif not active:
                assert made.wake_at is not None or made.creates or made.deletes, f"stuck: {self.phases()}"
                if made.wake_at is not None:
                    self.now = max(self.now, made.wake_at)
            self.now += timedelta(seconds=1)
        raise AssertionError(f"still running: {self.phases()}")

    # --- what became of it

    @property
    def key(self) -> Key:
        return Key(self.workflow["metadata"]["namespace"], self.workflow["metadata"]["name"])

    @property
    def status(self) -> Object:
        return self.workflow["status"]

    @property
    def phase(self) -> str:
        return self.status["phase"]

    def nodes(self) -> list[Object]:
        return list(self.status["nodes"].values())

    def phases(self) -> dict[str, str]:
        """Phases by the node's name without that of the Workflow."""
        prefix = self.workflow["metadata"]["name"]
        return {
            node["name"].removeprefix(prefix).lstrip("."): node["phase"]
            for node in (self.workflow.get("status") or {}).get("nodes", {}).values()
        }

    def node(self, name: str) -> Object:
        prefix = self.workflow["metadata"]["name"]
        return next(node for node in self.nodes() if node["name"].removeprefix(prefix).lstrip(".") == name)

    def pod_of(self, name: str) -> Object:
        full = f"{self.workflow['metadata']['name']}.{name}" if name else self.workflow["metadata"]["name"]
        full = full.replace(".[", "[")
        return next(
            pod
            for pod in self.manifests.values()
            if pod["metadata"]["annotations"]["workflows.argoproj.io/node-name"] == full
        )

    def command_of(self, name: str) -> list[str]:
        return dig_list(self.pod_of(name)["spec"]["containers"][0], "command")

    def outputs(self, name: str) -> dict[str, Any]:
        return {item["name"]: item["value"] for item in dig_list(self.node(name), "outputs", "parameters")}


def template_of(pod: Object) -> str:
    """The last part of the pod's node name: its task or step."""
    name = str(dig(pod, "metadata", "annotations", "workflows.argoproj.io/node-name"))
    return name.rpartition(".")[2]


def by_task(**ends: End) -> Behaviour:
    """Pods of these tasks end so; others succeed."""
    return lambda pod: ends.get(template_of(pod).partition("(")[0].replace("-", "_"), End())
