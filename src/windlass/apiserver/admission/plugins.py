"""Small built-in admission plugins: namespaces, service accounts, priorities, tolerations, default storage class."""

from collections.abc import Iterable
from random import choices
from typing import Any

from windlass.apis.local_provisioners import class_for, requirements_of
from windlass.apis.wellknown import (
    BETA_STORAGE_CLASS_ANNOTATION,
    DEFAULT_STORAGE_CLASS_ANNOTATION,
    MIRROR_POD_ANNOTATION,
)
from windlass.apiserver.admission.chain import Attributes, Plugin
from windlass.apiserver.api import Api
from windlass.apiserver.builtin.pods import TOKEN_VOLUME
from windlass.apiserver.store import Row
from windlass.kube.errors import NAMESPACE_TERMINATING, Cause, NotFound
from windlass.kube.json import Object, dig, dig_object

PROTECTED_NAMESPACES = ("default", "kube-system", "kube-public")
TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_PODS = frozenset({"/pods"})


class NamespaceLifecycle(Plugin):
    """Refuses new objects in a namespace that does not exist or is terminating; protects three from deletion."""

    operations = frozenset({"CREATE", "UPDATE", "DELETE"})

    def __init__(self, api: Api) -> None:
        self._api = api

    def validate(self, attributes: Attributes) -> None:
        if attributes.resource.store_key == "/namespaces":
            if attributes.operation == "DELETE" and attributes.name in PROTECTED_NAMESPACES:
                raise attributes.forbid("this namespace may not be deleted")
            return
        if attributes.operation != "CREATE" or not attributes.resource.namespaced:
            return
        name = attributes.namespace
        namespace = self._api.read("/namespaces", "", name)
        if namespace is None:
            raise NotFound(f'namespaces "{name}" not found', kind="namespaces", name=name)
        if namespace["metadata"].get("deletionTimestamp"):
            cause = Cause("metadata.namespace", f"namespace {name} is being terminated", NAMESPACE_TERMINATING)
            why = f"unable to create new content in namespace {name} because it is being terminated"
            raise attributes.forbid(why, causes=[cause])


class ServiceAccounts(Plugin):
    """Assigns a service account of the namespace to each pod, and mounts its token at the standard path."""

    kinds = _PODS

    def __init__(self, api: Api) -> None:
        self._api = api

    def mutate(self, attributes: Attributes) -> None:
        pod = attributes.obj
        assert pod is not None
        spec: Object = pod["spec"]
        if dig(pod, "metadata", "annotations", MIRROR_POD_ANNOTATION) is not None:
            return
        name: str = spec.get("serviceAccountName") or spec.get("serviceAccount") or "default"
        spec["serviceAccountName"] = spec["serviceAccount"] = name
        account = self._api.read("/serviceaccounts", attributes.namespace, name)
        if account is None:
            why = f'error looking up service account {attributes.namespace}/{name}: serviceaccount "{name}" not found'
            raise attributes.forbid(why)
        if not spec.get("imagePullSecrets") and account.get("imagePullSecrets"):
            spec["imagePullSecrets"] = account["imagePullSecrets"]
        automount = spec.get("automountServiceAccountToken", account.get("automountServiceAccountToken", True))
        if automount:
            _mount_token(spec)


def _mount_token(spec: Object) -> None:
    name = ""
    for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
        mounts: list[Any] = container.setdefault("volumeMounts", [])
        if TOKEN_PATH not in [mount.get("mountPath") for mount in mounts]:
            name = name or _ensure_token_volume(spec)
            mounts.append({"name": name, "readOnly": True, "mountPath": TOKEN_PATH})


def _ensure_token_volume(spec: Object) -> str:
    """Return the name of the volume with the token; add the volume where there is none."""
    volumes: list[Any] = spec.setdefault("volumes", [])
    for volume in volumes:
        if str(volume.get("name", "")).startswith(TOKEN_VOLUME):
            return volume["name"]
    name = TOKEN_VOLUME + "".join(choices(_ALPHABET, k=5))
    volumes.append({"name": name, "projected": _token_volume()})
    return name


def _token_volume() -> Object:
    namespace = {"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}
    return {
        "sources": [
            {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
            {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
            {"downwardAPI": {"items": [namespace]}},
        ],
        "defaultMode": 420,
    }


class Priorities(Plugin):
    """Sets a pod's priority from its PriorityClass, or from the default class."""

    kinds = _PODS
    _SYSTEM = {"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}

    def __init__(self, api: Api) -> None:
        self._api = api
        self._rows: Iterable[Row] = ()
        self._default: Object | None = None

    def mutate(self, attributes: Attributes) -> None:
        assert attributes.obj is not None
        spec: Object = attributes.obj["spec"]
        name = spec.get("priorityClassName")
        value, policy = 0, "PreemptLowerPriority"
        if name:
            found = self._api.read("scheduling.k8s.io/priorityclasses", "", name)
            if found is None:
                raise attributes.forbid(f"no PriorityClass with name {name} was found")
        else:
            found = self._default_class()
            if found is not None:
                spec["priorityClassName"] = found["metadata"]["name"]
        if found is not None:
            value, policy = found.get("value", 0), found.get("preemptionPolicy") or policy
        given = spec.get("priority")
        if given is not None and given != value:
            why = f"the integer value of priority ({given}) must not be provided in pod spec; priority admission controller computed {value} from the given PriorityClass name"  # noqa: E501 - Kubernetes' sentence
            raise attributes.forbid(why)
        spec["priority"] = value
        spec["preemptionPolicy"] = spec.get("preemptionPolicy") or policy

    def _default_class(self) -> Object | None:
        rows = self._api.store.newest_rows("scheduling.k8s.io/priorityclasses")
        if rows is not self._rows:  # the store answers the same list until a class changes
            marked = [found for found in map(self._api.decoded, rows) if found.get("globalDefault")]
            self._rows, self._default = rows, min(marked, key=lambda found: found["value"], default=None)
        return self._default


class OneDefaultPriority(Plugin):
    """Allows at most one default PriorityClass."""

    kinds = frozenset({"scheduling.k8s.io/priorityclasses"})
    operations = frozenset({"CREATE", "UPDATE"})

    def __init__(self, api: Api) -> None:
        self._api = api

    def validate(self, attributes: Attributes) -> None:
        if attributes.obj is None or not attributes.obj.get("globalDefault"):
            return
        for found in self._api.read_all("scheduling.k8s.io/priorityclasses"):
            other = found["metadata"]["name"]
            if found.get("globalDefault") and other != attributes.name:
                why = f"PriorityClass {other} is already marked as default. Only one default can exist"
                raise attributes.forbid(why)


class DefaultTolerations(Plugin):
    """Adds tolerations of five minutes for nodes that are not ready or unreachable, unless the pod has its own."""

    kinds = _PODS
    _KEYS = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")

    def mutate(self, attributes: Attributes) -> None:
        assert attributes.obj is not None
        tolerations: list[Any] = attributes.obj["spec"].setdefault("tolerations", [])
        for key in self._KEYS:
            if not any(_tolerates(toleration, key) for toleration in tolerations):
                tolerations.append({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300})


def _tolerates(toleration: Object, key: str) -> bool:
    return toleration.get("key", key) in (key, "") and toleration.get("effect", "NoExecute") in ("NoExecute", "")


class DefaultStorageClass(Plugin):
    """Sets the class of a claim that names none: the default one, or the shared one where only that can serve it."""

    kinds = frozenset({"/persistentvolumeclaims"})
    _MARK = DEFAULT_STORAGE_CLASS_ANNOTATION

    def __init__(self, api: Api) -> None:
        self._api = api

    def mutate(self, attributes: Attributes) -> None:
        assert attributes.obj is not None
        spec = dig_object(attributes.obj, "spec")
        if "storageClassName" in spec or dig(attributes.obj, "metadata", "annotations", BETA_STORAGE_CLASS_ANNOTATION):
            return
        classes = list(self._api.read_all("storage.k8s.io/storageclasses"))
        marked = [each for each in classes if dig(each, "metadata", "annotations", self._MARK) == "true"]
        if marked and "spec" in attributes.obj:
            newest = max(marked, key=lambda each: (each["metadata"]["creationTimestamp"], each["metadata"]["name"]))
            provisioners = {each["metadata"]["name"]: str(each["provisioner"]) for each in classes}
            spec["storageClassName"] = class_for(requirements_of(spec), newest["metadata"]["name"], provisioners)


class CertificateSubjects(Plugin):
    """Records the author of a certificate request, and refuses system:masters from the client signer."""

    kinds = frozenset({"certificates.k8s.io/certificatesigningrequests"})

    def mutate(self, attributes: Attributes) -> None:
        assert attributes.obj is not None
        spec = dig_object(attributes.obj, "spec")
        for name in ("username", "uid", "groups", "extra"):
            spec.pop(name, None)
        spec.update(attributes.user.info())

    def validate(self, attributes: Attributes) -> None:
        assert attributes.obj is not None
        spec = dig_object(attributes.obj, "spec")
        if spec.get("signerName") != "kubernetes.io/kube-apiserver-client":
            return
        from windlass.apiserver.auth.csr import organizations

        if "system:masters" in organizations(str(spec.get("request", ""))):
            why = "use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed"
            raise attributes.forbid(why)
