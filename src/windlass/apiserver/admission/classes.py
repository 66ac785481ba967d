"""Admission for classes of pods and Ingresses: the overhead of a RuntimeClass, and the default IngressClass."""

from typing import Any

from windlass.apiserver.admission.chain import Attributes, Plugin
from windlass.apiserver.api import Api
from windlass.apiserver.builtin.fields import canonicalize
from windlass.kube.json import Object, dig, dig_list, dig_object

_DEFAULT_INGRESS_CLASS = "ingressclass.kubernetes.io/is-default-class"
_OLD_INGRESS_CLASS = "kubernetes.io/ingress.class"


class RuntimeClasses(Plugin):
    """Gives a pod the overhead of its RuntimeClass, and restricts it to nodes with that runtime."""

    kinds = frozenset({"/pods"})

    def __init__(self, api: Api) -> None:
        self._api = api

    def mutate(self, attributes: Attributes) -> None:
        assert attributes.obj is not None
        spec: Object = attributes.obj["spec"]
        name = spec.get("runtimeClassName")
        if name is None:
            return
        found = self._api.read("node.k8s.io/runtimeclasses", "", name)
        if found is None:
            raise attributes.forbid(f'pod rejected: RuntimeClass "{name}" not found')
        overhead = dig_object(found, "overhead", "podFixed")
        given = spec.get("overhead")
        if given:
            canonicalize(given)
        if overhead:
            if given and given != overhead:
                raise attributes.forbid("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
            spec["overhead"] = dict(overhead)
        _steer(attributes, spec, dig_object(found, "scheduling"))

    def validate(self, attributes: Attributes) -> None:
        assert attributes.obj is not None
        spec: Object = attributes.obj["spec"]
        if spec.get("overhead") and not spec.get("runtimeClassName"):
            why = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
            raise attributes.forbid(why)


def _steer(attributes: Attributes, spec: Object, scheduling: Object) -> None:
    """Merge the node selector and tolerations of the class into the pod's."""
    wanted = dig_object(scheduling, "nodeSelector")
    selector = dig_object(spec, "nodeSelector")
    for key, value in wanted.items():
        if selector.get(key, value) != value:
            raise attributes.forbid(
                "conflict: runtimeClass.scheduling.nodeSelector conflicts with pod.spec.nodeSelector; "
                f"pod.spec.nodeSelector[{key}]={selector[key]}, runtimeClass.scheduling.nodeSelector[{key}]={value}"
            )
    if wanted:
        spec["nodeSelector"] = {**selector, **wanted}
    tolerations: list[Any] = dig_list(spec, "tolerations")
    added = [toleration for toleration in dig_list(scheduling, "tolerations") if toleration not in tolerations]
    if added:
        spec["tolerations"] = [*tolerations, *added]


class DefaultIngressClass(Plugin):
    """Sets the default class of an Ingress that names none; the newest if several are the default."""

    kinds = frozenset({"networking.k8s.io/ingresses"})

    def __init__(self, api: Api) -> None:
        self._api = api

    def mutate(self, attributes: Attributes) -> None:
        assert attributes.obj is not None
        spec: Object = attributes.obj.setdefault("spec", {})
        if spec.get("ingressClassName") is not None or _OLD_INGRESS_CLASS in dig_object(
            attributes.obj, "metadata", "annotations"
        ):
            return
        marked = [
            found["metadata"]
            for found in self._api.read_all("networking.k8s.io/ingressclasses")
            if dig(found, "metadata", "annotations", _DEFAULT_INGRESS_CLASS) == "true"
        ]
        if marked:
            marked.sort(key=lambda metadata: str(metadata["name"]))
            spec["ingressClassName"] = max(marked, key=lambda metadata: str(metadata["creationTimestamp"]))["name"]
