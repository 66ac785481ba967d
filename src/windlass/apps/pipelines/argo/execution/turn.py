"""One turn of the engine: the nodes as they become, and what is to be done about pods and objects."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from windlass.apps.pipelines.argo.artifacts.repositories import repository_status
from windlass.apps.pipelines.argo.config_maps import ConfigMaps
from windlass.apps.pipelines.argo.language.scope import Scope
from windlass.apps.pipelines.argo.language.tags import substitute
from windlass.apps.pipelines.argo.locks import Lock, held_locks
from windlass.apps.pipelines.argo.naming import node_id
from windlass.apps.pipelines.argo.nodes import FINAL, PENDING, RUNNING
from windlass.apps.pipelines.argo.observation import (
    CacheLookup,
    InputFetch,
    InputLookup,
    Listing,
    Observation,
    OutputsRequest,
    PodPlaces,
    ResourceAction,
)
from windlass.apps.pipelines.argo.templates import Home, Templates
from windlass.apps.pipelines.argo.times import moment
from windlass.apps.pipelines.argo.workflow_scope import global_outputs, workflow_scope
from windlass.apps.pipelines.names import RUN_ID_LABEL
from windlass.kube.json import Object, dig, dig_list, dig_object, encode, timestamp

LATER_FIELDS = ("templates", "templateDefaults", "arguments")
"""Fields of a Workflow whose tags are replaced where they are used."""
RESOLVED_FIELDS = (
    "entrypoint",
    "volumeClaimTemplates",
    "volumes",
    "serviceAccountName",
    "nodeSelector",
    "affinity",
    "tolerations",
    "imagePullSecrets",
    "podDisruptionBudget",
)
"""Fields of a Workflow whose tags all have a value before anything starts."""
MAX_DEPTH = 100
"""Templates that may call each other, one inside the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memo:
    """Outputs to keep for later Workflows: the value of a key in a ConfigMap."""

    config_map: str
    key: str
    value: str


@dataclass(frozen=True, kw_only=True)
class Call:
    """One execution of a template: the node's name, and where it belongs."""

    name: str
    template: Object
    home: Home
    arguments: Object
    scope: Scope
    """What the arguments' artifacts refer to."""
    boundary: str = ""
    display: str = ""
    depth: int = 0
    is_exit: bool = False
    """Whether the node belongs to an exit handler, which also runs when the Workflow is stopped."""
    deadline: datetime | None = None
    attempt: int | None = None
    """The number of the attempt, of a template with a retryStrategy."""
    avoided_hosts: tuple[str, ...] = ()
    """Nodes of the cluster on which earlier attempts failed."""
    parallelism: int = 0
    """How many nodes inside its boundary may be active; 0 without a limit."""


@dataclass
class Turn:
    """Deterministic: what it becomes follows from the Workflow and the observation."""

    workflow: Object
    spec: Object
    """That of the Workflow, merged with its WorkflowTemplate."""
    observation: Observation
    templates: Templates
    nodes: dict[str, Object]
    retries: str = ""
    """The user's retry that the nodes belong to: pods of an earlier one are left over."""
    creates: dict[str, Object] = field(default_factory=dict[str, Object])
    files: dict[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    """Texts by their path in the claim, which have to be there before a pod starts; by the pod's name."""
    deletes: set[str] = field(default_factory=set[str])
    reads: list[OutputsRequest] = field(default_factory=list[OutputsRequest])
    lookups: list[CacheLookup] = field(default_factory=list[CacheLookup])
    input_lookups: list[InputLookup] = field(default_factory=list[InputLookup])
    fetches: list[InputFetch] = field(default_factory=list[InputFetch])
    listings: list[Listing] = field(default_factory=list[Listing])
    places: dict[str, PodPlaces] = field(default_factory=dict[str, PodPlaces])
    """Artifacts that name their stores, by the pod that reads or writes them."""
    actions: list[ResourceAction] = field(default_factory=list[ResourceAction])
    memos: list[Memo] = field(default_factory=list[Memo])
    lock_requests: dict[str, tuple[Lock, ...]] = field(default_factory=dict[str, tuple[Lock, ...]])
    """Locks that nodes need before they start, by the node's id."""
    wake_at: datetime | None = None
    stop_message: str = ""
    """Why nothing new may start and what runs is ended; empty while the Workflow runs."""
    stops_exit_handlers: bool = False

    def __post_init__(self) -> None:
        metadata = self.workflow["metadata"]
        self.name = str(metadata["name"])
        self.namespace = str(metadata.get("namespace", ""))
        self.now = self.observation.now
        self.config_maps = ConfigMaps(self.observation.config_maps)
        self.held = held_locks(dig_object(self.workflow, "status"))
        """Ids of nodes by the lock that they hold."""
        self.created = moment(metadata.get("creationTimestamp"))
        self.run_id = str(dig(metadata, "labels", RUN_ID_LABEL) or "")
        self.globals = workflow_scope(self.workflow, self.spec, self.config_maps, self.now)
        self.repository = repository_status(
            self.spec, dig_object(self.workflow, "status"), self.config_maps, self.namespace
        )
        """The field `artifactRepositoryRef` of the status; empty without a repository of the Workflow's own."""
        self._text = encode([self.spec, self.templates.specs]).decode()
        self.keeps_results = self.mentions(".outputs.result")
        self.claim_volumes = [
            {"name": claim["metadata"]["name"], "persistentVolumeClaim": {"claimName": self.claim_name(claim)}}
            for claim in dig_list(self.spec, "volumeClaimTemplates")
        ]
        self.is_suspended = bool(self.spec.get("suspend"))
        self.halted: set[str] = set()
        """Ids of nodes in which nothing new starts, because something in them failed."""
        self._children: dict[str, set[str]] = {}
        self._active_pods = 0
        self._active_in: Counter[str] = Counter()
        for node in self.nodes.values():
            self._count(node, 1)

    def resolve_spec(self) -> None:
        """Replace the tags of the Workflow's own fields. Raises TagError for one without a value in pods or claims."""
        fields: Object = {name: value for name, value in self.spec.items() if name not in LATER_FIELDS}
        resolved: Object = {name: fields.pop(name) for name in RESOLVED_FIELDS if name in fields}
        others: Object = substitute(fields, self.globals, allow_unresolved=True)
        self.spec = {**self.spec, **substitute(resolved, self.globals), **others}

    def mentions(self, tag: str) -> bool:
        """Whether the Workflow, or a WorkflowTemplate that it refers to, has the tag or a part of one."""
        return tag in self._text

    # --- nodes

    def node(self, name: str) -> Object | None:
        return self.nodes.get(node_id(self.name, name))

    def add(self, call: Call, type: str, phase: str, message: str = "", **fields: Any) -> Object:
        """Add a node for a call."""
        return self.add_node(
            call.name,
            type,
            phase,
            message,
            boundary=call.boundary,
            display=call.display,
            templateName=str(call.template.get("name") or ""),
            templateScope=f"local/{self.name}" if not call.home.name else f"namespaced/{call.home.name}",
            **fields,
        )

    def add_node(
        self,
        name: str,
        type: str,
        phase: str,
        message: str = "",
        *,
        boundary: str = "",
        display: str = "",
        **fields: Any,
    ) -> Object:
        now = timestamp(self.now)
        node: Object = {
            "id": node_id(self.name, name),
            "name": name,
            "displayName": display or name,
            "type": type,
            "phase": phase,
            "startedAt": now,
            **({"boundaryID": boundary} if boundary else {}),
            **({"message": message} if message else {}),
            **{field: value for field, value in fields.items() if value not in (None, "", {}, [])},
        }
        if phase in FINAL:
            node["finishedAt"] = now
        self.nodes[node["id"]] = node
        self._count(node, 1)
        return node

    def _count(self, node: Object, change: int) -> None:
        if node["phase"] in (PENDING, RUNNING) and node["type"] in ("Pod", "DAG", "Steps"):
            self._active_in[str(node.get("boundaryID", ""))] += change
            self._active_pods += change if node["type"] == "Pod" else 0

    def change(self, node: Object, **fields: Any) -> Object:
        """Change fields of a node; an empty value removes one."""
        for name, value in fields.items():
            if value in (None, "", {}, []):
                node.pop(name, None)
            else:
                node[name] = value
        return node

    def finish(self, node: Object, phase: str, message: str = "", finished_at: str = "", **fields: Any) -> Object:
        self._count(node, -1)
        self.globals = self.globals.merged(global_outputs(fields))
        return self.change(node, phase=phase, message=message, finishedAt=finished_at or timestamp(self.now), **fields)

    def connect(self, parent: Object, child: Object) -> None:
        """Show the child after the parent."""
        children = self._children.get(parent["id"])
        if children is None:
            children = self._children[parent["id"]] = set(parent.get("children", []))
            parent["children"] = [*parent.get("children", [])]
        if child["id"] not in children:
            children.add(child["id"])
            parent["children"].append(child["id"])

    # --- whether something may start

    def is_stopped(self, call: Call) -> bool:
        """Whether the node has to end."""
        return bool(self.stop_message) and (not call.is_exit or self.stops_exit_handlers)

    def is_halted(self, call: Call) -> bool:
        """Whether nothing new may start there any more."""
        return self.is_stopped(call) or call.boundary in self.halted

    def may_start(self, call: Call, *, is_pod: bool = False) -> bool:
        """Whether a new node may start now: not while suspended, and within the limits of parallelism."""
        if self.is_suspended or self.is_halted(call):
            return False
        limit = self.spec.get("parallelism")
        if is_pod and isinstance(limit, int) and limit > 0 and self._active_pods >= limit:
            return False
        return not call.parallelism or self._active_in[call.boundary] < call.parallelism

    @property
    def round(self) -> str:
        """Distinguishes pods of one name: the uid of the Workflow, and the retry of it by its user."""
        return f"{dig(self.workflow, 'metadata', 'uid')}/{self.retries}"

    def wake(self, at: datetime) -> None:
        """Run again then, even if nothing changes."""
        if self.wake_at is None or at < self.wake_at:
            self.wake_at = at

    def claim_name(self, claim: Object) -> str:
        """The name of the claim that is made of a template."""
        return f"{self.name}-{dig(claim, 'metadata', 'name')}"

    def owner(self) -> Object:
        """The owner reference of what belongs to the Workflow."""
        metadata = dig_object(self.workflow, "metadata")
        return {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Workflow",
            "name": self.name,
            "uid": metadata.get("uid", ""),
            "controller": True,
            "blockOwnerDeletion": True,
        }
