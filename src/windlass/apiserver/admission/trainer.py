"""Training jobs and runtimes are filled in and checked as upstream's webhooks do it, in the same words."""

from datetime import UTC, datetime
from typing import ClassVar

from windlass.apis.trainer import admission
from windlass.apis.trainer.admission import Known
from windlass.apis.trainer.snapshots import kept_runtime, snapshot_name
from windlass.apis.trainer.validation import NAMESPACED, reference, unsupported
from windlass.apis.trainer_v1alpha1 import GROUP
from windlass.apiserver.admission.chain import Attributes, Plugin
from windlass.apiserver.admission.reviews import Refusal
from windlass.apiserver.api import Api
from windlass.kube.json import Object

_JOBS, _RUNTIMES, _CLUSTER_RUNTIMES = (
    f"{GROUP}/{plural}" for plural in ("trainjobs", "trainingruntimes", "clustertrainingruntimes")
)
_JOB_SETS = "jobset.x-k8s.io/jobsets"


class TrainerObjects(Plugin):
    """By the rules in `windlass.apis.trainer.admission`."""

    kinds = frozenset({_JOBS, _RUNTIMES, _CLUSTER_RUNTIMES})
    operations: ClassVar[frozenset[str]] = frozenset({"CREATE", "UPDATE"})

    def __init__(self, api: Api) -> None:
        self._api = api

    def mutate(self, attributes: Attributes) -> None:
        obj, old = attributes.obj, attributes.old
        if obj is not None:
            obj.update(admission.filled(attributes.resource.kind, obj, old, datetime.now(UTC)))

    def validate(self, attributes: Attributes) -> None:
        kind, obj, old = attributes.resource.kind, attributes.obj, attributes.old
        assert obj is not None
        known = self._known(attributes, obj) if kind == "TrainJob" and not unsupported(obj) else Known()
        found = admission.problem(kind, obj, old, known)
        if found:
            raise Refusal(admission.webhook(kind), {"message": found, "reason": "Forbidden", "code": 403})
        told = admission.warnings(kind, obj, old, known)
        attributes.warnings += [one for one in told if one not in attributes.warnings]

    def _known(self, attributes: Attributes, job: Object) -> Known:
        """A job that has begun keeps to the runtime as it was then."""
        _, kind, name = reference(job)
        namespace = attributes.namespace
        if attributes.old is None:
            return Known(runtime=self._runtime(kind, namespace, name))
        kept = kept_runtime(self._api.read("/configmaps", namespace, snapshot_name(attributes.name)))
        return Known(
            runtime=kept or self._runtime(kind, namespace, name),
            job_set=self._api.read(_JOB_SETS, namespace, attributes.name),
        )

    def _runtime(self, kind: str, namespace: str, name: str) -> Object | None:
        if kind == NAMESPACED:
            return self._api.read(_RUNTIMES, namespace, name)
        return self._api.read(_CLUSTER_RUNTIMES, "", name)
