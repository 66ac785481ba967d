"""What the controller observed of a Workflow: pods, files, objects, other templates. Data only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from windlass.apps.pipelines.artifacts.stores.store_locations import Place, PlacedArtifact
from windlass.kube.json import Object


@dataclass(frozen=True, slots=True, kw_only=True)
class PodState:
    """The state of a node's pod, as far as it decides about the node."""

    name: str
    phase: str = "Pending"
    message: str = ""
    """Why it does not start, or why it failed."""
    exit_code: int | None = None
    """Of the main container, once it has ended."""
    is_system_failure: bool = False
    """Whether the pod failed for another reason than its main container."""
    gives_up_at: datetime | None = None
    """When a pod whose container cannot start, as for a wrong image, counts as failed."""
    is_deleting: bool = False
    retries: str = ""
    """The user's retry of the Workflow for which the pod was created."""
    is_ready: bool = False
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    ip: str = ""
    host: str = ""
    finished_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PodOutputs:
    """What a pod left behind; None and False for what it did not write."""

    parameters: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    artifacts: Mapping[str, bool] = field(default_factory=dict[str, bool])
    result: str | None = None
    error: str = ""
    """Why nothing could be read, or an artifact was not published."""
    is_pending: bool = False
    """Whether artifacts are being published: the controller asks again when that is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputsRequest:
    """Outputs to read before the Workflow can advance."""

    pod: str
    parameters: tuple[str, ...] = ()
    artifacts: Mapping[str, str] = field(default_factory=dict[str, str])
    """URIs in the store, by name."""
    placed: frozenset[str] = frozenset()
    """Names of artifacts whose key the Workflow chose, where an object may be that the pod has not written."""
    published: Mapping[str, PlacedArtifact] = field(default_factory=dict[str, PlacedArtifact])
    """Artifacts to publish into the stores that they name, by name."""
    round: str = ""
    """As of an InputFetch."""
    has_result: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class InputLookup:
    """A search for an input artifact, before the pod that reads it is created."""

    uri: str
    is_optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class InputFetch:
    """An input artifact to fetch from the store that it names, before the pod that reads it is created."""

    pod: str
    name: str
    artifact: PlacedArtifact
    is_optional: bool = False
    round: str = ""
    """Distinguishes pods of one name: the uid of the Workflow, and the retry of it by its user."""

    @property
    def id(self) -> str:
        return f"{self.pod}/{self.name}/{self.round}"


@dataclass(frozen=True, slots=True, kw_only=True)
class InputAnswer:
    """Whether the store has an input artifact."""

    exists: bool = True
    error: str = ""
    """Why that is not known."""
    is_pending: bool = False
    """Whether it is being fetched: the controller asks again when that is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PodPlaces:
    """Artifacts of a pod that name their stores."""

    inputs: tuple[PlacedArtifact, ...] = ()
    outputs: tuple[PlacedArtifact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Names of objects that a node asks for: below a URI of the store of Windlass, or below a place."""

    node_id: str
    uri: str = ""
    place: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListingAnswer:
    keys: Sequence[str] = ()
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """An output artifact whose content is to be removed: at a URI of the store of Windlass, or in a place."""

    node_id: str
    name: str
    uri: str = ""
    place: Place | None = None

    @property
    def id(self) -> tuple[str, str]:
        return self.node_id, self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceAction:
    """An action on an object, carried out with the permissions of the Workflow's service account."""

    node_id: str
    action: str
    manifest: Object
    merge_strategy: str = "strategic"
    operations: Sequence[Object] = ()
    """Of a JSON patch; the manifest only names the object then."""
    selector: str = ""
    """Labels of the objects to delete; the manifest has only their kind then."""
    is_started: bool = False
    """Whether the action was carried out before: then the object is only read."""
    ignores_missing: bool = False
    waits: bool = True
    """Whether a deletion waits until the object is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceAnswer:
    """The object after the action; None with an error, or when the object was deleted."""

    obj: Object | None = None
    error: str = ""
    is_pending: bool = False
    """Whether the action is not over yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheLookup:
    """A search for outputs of an earlier pod of a v1 run, before a pod is created."""

    key: str
    template: Object
    """With the annotation that limits the age of outputs."""
    has_result: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedOutputs:
    """Outputs of an earlier pod whose artifacts still exist."""

    task_id: str
    """The task that made them."""
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])
    artifacts: Mapping[str, str] = field(default_factory=dict[str, str])
    """Keys in the store, by name."""
    result: str | None = None


@dataclass(frozen=True, kw_only=True)
class Observation:
    """Everything that a turn of the engine depends on besides the Workflow."""

    now: datetime
    pods: Mapping[str, PodState] = field(default_factory=dict[str, PodState])
    outputs: Mapping[str, PodOutputs] = field(default_factory=dict[str, PodOutputs])
    resources: Mapping[str, ResourceAnswer] = field(default_factory=dict[str, ResourceAnswer])
    refusals: Mapping[str, str] = field(default_factory=dict[str, str])
    """Why the server refuses pods, by their name, and other objects, as `<kind>/<name>`."""
    cached: Mapping[str, CachedOutputs | None] = field(default_factory=dict[str, CachedOutputs | None])
    """What was found by cache lookups, by their key; None for nothing."""
    config_maps: Mapping[str, Object | None] = field(default_factory=dict[str, Object | None])
    """ConfigMaps of the namespace that were read, by name; None for one that does not exist."""
    inputs: Mapping[str, InputAnswer] = field(default_factory=dict[str, InputAnswer])
    """Input artifacts that were looked up, by their URI."""
    fetches: Mapping[str, InputAnswer] = field(default_factory=dict[str, InputAnswer])
    """Input artifacts that were fetched, by the id of the request."""
    listings: Mapping[str, ListingAnswer] = field(default_factory=dict[str, ListingAnswer])
    """By the id of the node that asked."""
    removals: Mapping[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    """Why artifacts could not be removed, by their node and name; empty for those that were."""
    locks: Mapping[str, bool] = field(default_factory=dict[str, bool])
    """Whether nodes got the locks that they asked for, by the node's id; empty for those of the Workflow."""
    templates: Mapping[tuple[str, bool], Object | None] = field(default_factory=dict[tuple[str, bool], Object | None])
    """Specs of WorkflowTemplates, by name and whether they are of the cluster; None for one that does not exist."""


class Outputs(Protocol):
    """Reads what pods left behind in the claim of their namespace, without following links."""

    async def parameter(self, namespace: str, pod: str, name: str) -> str | None:
        """The content of an output parameter's file; None if there is none."""
        ...

    async def artifact_exists(self, namespace: str, uri: str) -> bool: ...

    async def is_placed(self, namespace: str, pod: str, name: str) -> bool:
        """Whether the pod has written an artifact whose key the Workflow chose."""
        ...

    async def result(self, namespace: str, pod: str) -> str | None:
        """What the pod's main container wrote to its standard output, at most 256 KiB."""
        ...
