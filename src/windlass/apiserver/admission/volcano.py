"""Volcano's kinds are filled in and checked as its webhooks do it, in the same words and without a webhook."""

from collections.abc import Mapping
from typing import ClassVar

from windlass.apis.volcano import admission
from windlass.apis.volcano.pod_validation import pod_problem
from windlass.apiserver.admission.chain import Attributes, Plugin
from windlass.apiserver.admission.reviews import Refusal
from windlass.apiserver.api import Api
from windlass.apiserver.builtin.volcano_checks import CHECKS
from windlass.kube.json import Object, dig

_CRDS = "apiextensions.k8s.io/customresourcedefinitions"
_QUEUES = "scheduling.volcano.sh/queues"


class VolcanoObjects(Plugin):
    """Each kind by its own rules, which stand in `windlass.apis.volcano.admission`."""

    operations: ClassVar[frozenset[str]] = frozenset({"CREATE", "UPDATE", "DELETE"})
    kinds = frozenset(
        {
            "batch.volcano.sh/jobs",
            "batch.volcano.sh/cronjobs",
            "flow.volcano.sh/jobflows",
            "scheduling.volcano.sh/podgroups",
            _QUEUES,
            "topology.volcano.sh/hypernodes",
        }
    )

    def __init__(self, api: Api) -> None:
        self._facts = _Stored(api)

    def mutate(self, attributes: Attributes) -> None:
        obj = attributes.obj
        if obj is not None and attributes.operation == "CREATE":
            obj.update(admission.filled(attributes.resource.kind, obj, attributes.namespace, self._facts))

    def validate(self, attributes: Attributes) -> None:
        kind, obj, old = attributes.resource.kind, attributes.obj, attributes.old
        if obj is not None:
            _warn(attributes, admission.warnings(kind, obj, old))
            found = admission.problem(kind, obj, old, self._facts, CHECKS)
        elif kind == "Queue" and self._facts.queues_are_going():
            found = ""  # all of them go with their kind
        else:
            found = admission.removal_problem(kind, attributes.name, self._facts)
        if found:
            raise Refusal(f"validate{kind.lower()}.volcano.sh", {"message": found})


class _Stored:
    """The facts, from the store."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def queues(self) -> Mapping[str, Object]:
        return {queue["metadata"]["name"]: queue for queue in self._api.read_all(_QUEUES)}

    def queue(self, name: str) -> Object | None:
        return self._api.read(_QUEUES, "", name)

    def namespace(self, name: str) -> Object | None:
        return self._api.read("/namespaces", "", name)

    def queues_are_going(self) -> bool:
        definition = self._api.read(_CRDS, "", "queues.scheduling.volcano.sh")
        return bool(dig(definition, "metadata", "deletionTimestamp"))


class VolcanoPods(Plugin):
    """Pods that name Volcano's scheduler."""

    kinds = frozenset({"/pods"})

    def validate(self, attributes: Attributes) -> None:
        found = pod_problem(attributes.obj or {})
        if found:
            raise Refusal("validatepod.volcano.sh", {"message": found})


def _warn(attributes: Attributes, found: list[str]) -> None:
    """Once, however often this is asked: twice, where webhooks are configured."""
    attributes.warnings += [told for told in found if told not in attributes.warnings]
