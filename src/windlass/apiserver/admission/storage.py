"""Storage admission: finalizers for volumes and claims in use, and limits on resizing claims."""

from windlass.apis.wellknown import PV_PROTECTION_FINALIZER
from windlass.apiserver.admission.chain import Attributes, Plugin
from windlass.apiserver.api import Api
from windlass.kube.json import dig
from windlass.kube.quantity import Quantity

FINALIZERS = {
    "/persistentvolumes": PV_PROTECTION_FINALIZER,
    "/persistentvolumeclaims": "kubernetes.io/pvc-protection",
}


class StorageInUse(Plugin):
    """Adds the protection finalizer to every new volume and claim."""

    kinds = frozenset(FINALIZERS)

    def mutate(self, attributes: Attributes) -> None:
        assert attributes.obj is not None
        finalizer = FINALIZERS[attributes.resource.store_key]
        finalizers: list[str] = attributes.obj["metadata"].setdefault("finalizers", [])
        if finalizer not in finalizers:
            finalizers.append(finalizer)


class ClaimResize(Plugin):
    """Allows a claim to grow only if its StorageClass allows expansion."""

    kinds = frozenset({"/persistentvolumeclaims"})
    operations = frozenset({"UPDATE"})

    def __init__(self, api: Api) -> None:
        self._api = api

    def validate(self, attributes: Attributes) -> None:
        new, old = _size(attributes.obj), _size(attributes.old)
        if new is None or old is None or new <= old:
            return
        if dig(attributes.old, "status", "phase") != "Bound":
            raise attributes.forbid("Only bound persistent volume claims can be expanded")
        name = dig(attributes.obj, "spec", "storageClassName")
        found = self._api.read("storage.k8s.io/storageclasses", "", name) if name else None
        if found is None or not found.get("allowVolumeExpansion"):
            why = "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize"  # noqa: E501 - Kubernetes' sentence
            raise attributes.forbid(why)


def _size(claim: object) -> Quantity | None:
    try:
        return Quantity.parse(dig(claim, "spec", "resources", "requests", "storage"))
    except ValueError:
        return None
