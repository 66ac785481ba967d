"""Admission of Volcano's kinds: answers to AdmissionReviews, at the paths and in the words of Volcano's webhooks."""

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, TypeAlias

from windlass.apis.batch_volcano_v1alpha1 import CronJob, Job
from windlass.apis.core_v1 import Pod
from windlass.apis.flow_volcano_v1alpha1 import JobFlow
from windlass.apis.scheduling_volcano_v1beta1 import PodGroup, Queue
from windlass.apis.topology_volcano_v1alpha1 import HyperNode
from windlass.apis.volcano import admission
from windlass.apis.volcano.admission import Checks
from windlass.apis.volcano.pod_validation import pod_problem
from windlass.kube.errors import ApiError, BadRequest
from windlass.kube.json import Object, dig, dig_object, encode, is_object
from windlass.kube.kind import KINDS, Kind
from windlass.webhooks.asked import Role

Need: TypeAlias = Literal["", "queues", "namespace"]


@dataclass(frozen=True)
class Known:
    """The facts that were asked for before."""

    all_queues: Mapping[str, Object] = field(default_factory=dict[str, Object])
    its_namespace: Object | None = None

    def queues(self) -> Mapping[str, Object]:
        return self.all_queues

    def queue(self, name: str) -> Object | None:
        return self.all_queues.get(name)

    def namespace(self, name: str) -> Object | None:
        return self.its_namespace


Decide: TypeAlias = Callable[[Object, Known, Checks], Object]
"""From a review's `request` to its `response`, but for the uid."""
DecideOf: TypeAlias = Callable[[str, Object, Known, Checks], Object]
"""The same for any kind."""


@dataclass(frozen=True, kw_only=True)
class Review:
    """One webhook: what it is asked about and where, what it must know, and how it decides."""

    kind: Kind
    role: Role
    operations: tuple[str, ...]
    needs: Need
    decide: Decide

    @property
    def path(self) -> str:
        return f"/{self.kind.plural}/{self.role}"

    @property
    def name(self) -> str:
        return f"{self.role}{self.kind.name.lower()}.volcano.sh"


def mutate(kind: str, request: Object, known: Known, checks: Checks) -> Object:
    """With a patch where something is filled in."""
    obj = request.get("object")
    if request.get("operation") != "CREATE" or not is_object(obj):
        return {"allowed": True}
    made = admission.filled(kind, obj, str(request.get("namespace") or ""), known)
    patch = [
        {"op": "add", "path": "/" + "/".join(path), "value": value}
        for path in (("spec",), ("metadata", "annotations"))
        if (value := dig(made, *path)) != dig(obj, *path)
    ]
    if not patch:
        return {"allowed": True}
    return {"allowed": True, "patchType": "JSONPatch", "patch": base64.b64encode(encode(patch)).decode()}


def validate(kind: str, request: Object, known: Known, checks: Checks) -> Object:
    """Whether the write may be done; what is accepted and has no effect is warned of."""
    obj, old = request.get("object"), request.get("oldObject")
    if request.get("operation") == "DELETE":
        return _answer(admission.removal_problem(kind, str(request.get("name") or ""), known))
    before = old if is_object(old) else None
    try:
        if not is_object(obj) or obj.get("kind") != kind:
            raise BadRequest(f"a {kind} is checked here, not a {dig(obj, 'kind')}")
        found = admission.problem(kind, obj, before, known, checks)
    except ApiError as error:
        return {"allowed": False, "status": error.status()}
    told = admission.warnings(kind, obj, before)
    return {**_answer(found), **({"warnings": told} if told else {})}


def validate_pod(kind: str, request: Object, known: Known, checks: Checks) -> Object:
    return _answer(pod_problem(dig_object(request, "object")))


def _answer(problem: str) -> Object:
    return {"allowed": False, "status": {"message": problem}} if problem else {"allowed": True}


def _review(struct: type, role: Role, operations: tuple[str, ...], decide: DecideOf, needs: Need = "") -> Review:
    kind = KINDS.of(struct)
    return Review(kind=kind, role=role, operations=operations, needs=needs, decide=partial(decide, kind.name))


NEW, WRITTEN = ("CREATE",), ("CREATE", "UPDATE")
REVIEWS = (
    _review(Job, "mutate", NEW, mutate),
    _review(Job, "validate", WRITTEN, validate, "queues"),
    _review(CronJob, "validate", WRITTEN, validate, "queues"),
    _review(JobFlow, "validate", WRITTEN, validate),
    _review(PodGroup, "mutate", NEW, mutate, "namespace"),
    _review(PodGroup, "validate", NEW, validate, "queues"),
    _review(Queue, "mutate", NEW, mutate),
    _review(Queue, "validate", (*WRITTEN, "DELETE"), validate, "queues"),
    _review(HyperNode, "validate", WRITTEN, validate),
    _review(Pod, "validate", NEW, validate_pod),
)
