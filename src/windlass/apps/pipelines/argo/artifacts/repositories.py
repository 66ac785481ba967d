"""The repository of a Workflow's artifacts (`artifactRepositoryRef`): a store for outputs that name none. Pure.

What is found in the ConfigMap is kept in the status, so that all nodes of a Workflow use the same.
"""

from windlass.apps.pipelines.argo.artifacts.archive_formats import stored_name
from windlass.apps.pipelines.argo.artifacts.artifact_places import KEY_FIELDS, store_of
from windlass.apps.pipelines.argo.config_maps import BadConfigMap, ConfigMaps
from windlass.apps.pipelines.argo.language.scope import Scope
from windlass.apps.pipelines.argo.language.tags import substitute_text
from windlass.apps.pipelines.argo.manifests import BadManifest, read_manifest
from windlass.apps.pipelines.artifact_stores import STORES
from windlass.kube.json import Object, dig, dig_object, is_object

CONFIG_MAP = "artifact-repositories"
DEFAULT_ANNOTATION = "workflows.argoproj.io/default-artifact-repository"
STATUS_FIELD = "artifactRepositoryRef"
KEY_FORMAT = "{{workflow.name}}/{{pod.name}}"
_FORMATS = {"s3": "keyFormat", "gcs": "keyFormat", "azure": "blobNameFormat"}
_FIELDS = {
    "s3": ("endpoint", "bucket", "region", "insecure", "accessKeySecret", "secretKeySecret", "keyFormat", "keyPrefix"),
    "gcs": ("bucket", "serviceAccountKeySecret", "keyFormat"),
    "azure": ("endpoint", "container", "accountKeySecret", "blobNameFormat"),
}


def repository_status(spec: Object, status: Object, config_maps: ConfigMaps, namespace: str) -> Object:
    """The field of the status with the repository; empty if the Workflow names none.

    Raises Awaited and BadConfigMap.
    """
    known, reference = dig_object(status, STATUS_FIELD), spec.get(STATUS_FIELD)
    if known or not is_object(reference):
        return known
    name = str(reference.get("configMap") or CONFIG_MAP)
    found = config_maps.get(name)
    if found is None:
        raise BadConfigMap(f"{STATUS_FIELD}: the ConfigMap {name} does not exist")
    key = str(reference.get("key") or dig(found, "metadata", "annotations", DEFAULT_ANNOTATION) or "")
    if not key:
        raise BadConfigMap(
            f"{STATUS_FIELD}.key: required, as the ConfigMap {name} has no annotation {DEFAULT_ANNOTATION}"
        )
    text = dig(found, "data", key)
    if not isinstance(text, str):
        raise BadConfigMap(f"{STATUS_FIELD}: the ConfigMap {name} has no key {key!r}")
    repository = _checked(text, f"{STATUS_FIELD}: the ConfigMap {name}, {key}")
    return {"configMap": name, "key": key, "namespace": namespace, "artifactRepository": repository}


def _checked(text: str, where: str) -> Object:
    try:
        repository = read_manifest(text)
    except BadManifest as error:
        raise BadConfigMap(f"{where}: {error}") from None
    unknown = [name for name in repository if name not in (*STORES, "archiveLogs")]
    if unknown:
        raise BadConfigMap(f"{where}: {unknown[0]} is not supported")
    stores = [store for store in STORES if repository.get(store) is not None]
    if len(stores) != 1:
        raise BadConfigMap(f"{where}: one of {', '.join(STORES)} is required")
    store = repository[stores[0]]
    if not is_object(store):
        raise BadConfigMap(f"{where}: {stores[0]} is not an object")
    for name in store:
        if name not in _FIELDS[stores[0]]:
            raise BadConfigMap(f"{where}: {stores[0]}.{name} is not supported")
    return repository


def archives_logs(reference: Object) -> bool:
    """Whether the repository keeps logs; `reference` is the field of the status."""
    return dig(reference, "artifactRepository", "archiveLogs") is True


def located_output(artifact: Object, reference: Object, scope: Scope) -> Object:
    """An output artifact with all of its location: what it leaves out is that of the repository. Raises TagError."""
    repository = dig_object(reference, "artifactRepository")
    store = store_of(repository)
    if not store or not artifact.get("path"):
        return artifact
    if store_of(artifact):
        return located(artifact, reference)
    given = dig_object(repository, store)
    form = str(given.get(_FORMATS[store]) or "")
    if not form and given.get("keyPrefix"):
        form = f"{str(given['keyPrefix']).rstrip('/')}/{KEY_FORMAT}"
    folder = substitute_text(form or KEY_FORMAT, scope).strip("/")
    key = f"{folder}/{stored_name(artifact)}"
    return {**artifact, store: {**_location(given), KEY_FIELDS[store]: key}}


def located(artifact: Object, reference: Object) -> Object:
    """An artifact with all of its location."""
    repository = dig_object(reference, "artifactRepository")
    store = store_of(artifact)
    if not store or repository.get(store) is None or dig(artifact, store, "endpoint"):
        return artifact
    own = {name: value for name, value in dig_object(artifact, store).items() if value not in (None, "")}
    return {**artifact, store: {**_location(dig_object(repository, store)), **own}}


def _location(store: Object) -> Object:
    return {name: value for name, value in store.items() if name not in ("keyFormat", "keyPrefix", "blobNameFormat")}
