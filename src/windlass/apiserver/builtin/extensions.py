"""API extensions: `apiextensions.k8s.io` (CustomResourceDefinition) and `apiregistration.k8s.io` (APIService)."""

from functools import partial

from windlass.apiserver.builtin.fields import Causes
from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Plain
from windlass.apiserver.crds.definition import CrdStrategy
from windlass.kube.errors import Cause, invalid, required
from windlass.kube.json import Object, dig
from windlass.kube.names import path_segment_errors

_PRIORITIES = (("groupPriorityMinimum", 20000), ("versionPriority", 1000))


class ApiServices(Plain):
    allows_unconditional_update = False
    written_with_status = ()

    def validate_name(self, name: str) -> list[str]:
        return path_segment_errors(name)  # the core group's is `v1.`, which is no DNS name

    def default(self, obj: Object) -> None:
        service = dig(obj, "spec", "service")
        if service is not None:
            service.setdefault("port", 443)

    def validate(self, obj: Object) -> list[Cause]:
        spec: Object = obj.get("spec") or {}
        causes: Causes = []
        name, wanted = dig(obj, "metadata", "name") or "", f"{spec.get('version', '')}.{spec.get('group', '')}"
        if name != wanted:
            causes.append(invalid("metadata.name", name, f'must be `spec.version+"."+spec.group`: "{wanted}"'))
        if not spec.get("version"):
            causes.append(required("spec.version"))
        for field, most in _PRIORITIES:
            value = spec.get(field, 0)
            if not 0 < value <= most:
                causes.append(invalid(f"spec.{field}", value, f"must be positive and less than {most}"))
        if spec.get("service") is None:
            if spec.get("caBundle"):
                causes.append(invalid("spec.caBundle", spec["caBundle"], "local APIServices may not have a caBundle"))
            if spec.get("insecureSkipTLSVerify"):
                why = "local APIServices may not have insecureSkipTLSVerify"
                causes.append(invalid("spec.insecureSkipTLSVerify", True, why))
        return causes


_extension = partial(resource, namespaced=False, categories=("api-extensions",), subresources=("status",))

RESOURCES = (
    _extension(
        "apiextensions.k8s.io",
        "v1",
        "CustomResourceDefinition",
        "customresourcedefinitions",
        "crd",
        "crds",
        strategy=CrdStrategy,
    ),
    _extension("apiregistration.k8s.io", "v1", "APIService", "apiservices", strategy=ApiServices),
)
