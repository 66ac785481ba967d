"""The pod of a container, script or other template that runs one."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from posixpath import basename, dirname

from windlass.apis.images import IMAGE_PROGRAM
from windlass.apis.wellknown import HOSTNAME_LABEL
from windlass.apps.pipelines.argo.artifacts.archive_formats import LOG_ARTIFACT, stored_name
from windlass.apps.pipelines.argo.artifacts.artifact_places import (
    is_download,
    is_in_own_store,
    is_placed,
    output_place,
    path_of,
    place_problem,
    placed_artifact,
    store_of,
)
from windlass.apps.pipelines.argo.inputs import Inputs
from windlass.apps.pipelines.argo.manifests import BadManifest, read_manifest
from windlass.apps.pipelines.argo.observation import PodPlaces
from windlass.apps.pipelines.argo.pods import container_sets, downloads
from windlass.apps.pipelines.argo.pods.wrapper import (
    ARTIFACTS,
    INPUTS_FOLDER,
    KEY_FOLDERS,
    LOG_FILE,
    OUTPUTS_FOLDER,
    STATE,
    Files,
    wrapped,
)
from windlass.apps.pipelines.artifacts.stores.store_locations import PlacedArtifact
from windlass.apps.pipelines.names import (
    ARTIFACTS_CLAIM,
    MAIN,
    RETRIES_ANNOTATION,
    RUN_ID_LABEL,
    WORKFLOW_LABEL,
)
from windlass.kube.definitions import schema_of
from windlass.kube.json import Object, dig, dig_list, dig_object, is_object
from windlass.kube.patch import PatchError, strategic

VOLUME = "argo-artifacts"
BUCKET = "mlpipeline"
CLAIM_ROOT = f"minio/{BUCKET}"
"""Where the claim of a namespace has the keys of artifacts."""
STATE_ROOT = ".argo"
NODE_ID, NODE_NAME, NODE_TYPE = (f"workflows.argoproj.io/node-{one}" for one in ("id", "name", "type"))
_NAME = re.compile(r"[A-Za-z0-9_][-A-Za-z0-9_.]*")
_FROM_BOTH = ("tolerations", "volumes", "hostAliases", "imagePullSecrets")
_FROM_EITHER = (
    "nodeSelector",
    "affinity",
    "securityContext",
    "schedulerName",
    "serviceAccountName",
    "automountServiceAccountToken",
    "hostNetwork",
    "dnsPolicy",
    "dnsConfig",
)

__all__ = ["BUCKET", "CLAIM_ROOT", "STATE_ROOT", "BadPod", "PodContext", "artifact_key", "build_pod"]


class BadPod(ValueError):
    """Why no pod can be made of the template."""


@dataclass(frozen=True, kw_only=True)
class PodContext:
    """What a pod takes from its Workflow and node."""

    workflow: str
    namespace: str
    created: datetime
    spec: Object
    """The spec of the Workflow."""
    node_id: str
    node_name: str
    pod_name: str
    retries: str = ""
    run_id: str = ""
    claims: Sequence[Object] = field(default_factory=list[Object])
    """Volumes of the Workflow's own claims."""
    keeps_result: bool = False
    avoided_hosts: Sequence[str] = ()
    """Nodes of the cluster on which the pod must not run."""


def artifact_key(workflow: str, created: datetime, pod: str, name: str) -> str:
    """The key under which an artifact of a pod is kept; Kubeflow's format. `name` is its `stored_name`."""
    return f"artifacts/{workflow}/{created:%Y/%m/%d}/{pod}/{name}"


def build_pod(template: Object, inputs: Inputs, context: PodContext) -> Object:
    """The manifest of the pod. Raises BadPod."""
    files = _files(template, inputs, context)
    main = _main(template, files)
    downloaded = {name: artifact for name, artifact in inputs.artifacts.items() if is_download(artifact)}
    containers = [_with_mounts(main, template, inputs, files, context)]
    if template.get("containerSet") is not None:
        containers = _set_of(template, inputs, files, context)
    containers = [_with_last_words(container) for container in containers]
    init = [_user_container(container, main) for container in dig_list(template, "initContainers")]
    # A container that outlives the main one would keep the pod alive; Kubernetes ends restartable init containers.
    sidecars = [
        {**_user_container(container, main), "restartPolicy": "Always"} for container in dig_list(template, "sidecars")
    ]
    spec: Object = {
        **_shared(template, context.spec),
        "restartPolicy": "Never",
        "containers": containers,
    }
    spec["volumes"] = [*_volumes(template, context), *context.claims, *(_claim_volume() if files.needs_claim else [])]
    if template.get("containerSet") is not None:
        spec["volumes"] += container_sets.volumes()
    if downloaded:
        mount = _mount(STATE, f"{STATE_ROOT}/{context.pod_name}")
        download = downloads.container(downloaded, mount, f"{STATE}/{INPUTS_FOLDER}")
        init = [_with_last_words(download), *init]
    if init or sidecars:
        spec["initContainers"] = [*init, *sidecars]
    if not spec["volumes"]:
        del spec["volumes"]
    if context.avoided_hosts:
        spec["affinity"] = _away_from(context.avoided_hosts, dig_object(spec, "affinity"))
    for patch in (context.spec.get("podSpecPatch"), template.get("podSpecPatch")):
        spec = _patched(spec, patch) if patch else spec
    return {"apiVersion": "v1", "kind": "Pod", "metadata": _metadata(template, context), "spec": spec}


def stored_texts(template: Object, inputs: Inputs, context: PodContext) -> dict[str, str]:
    """Texts that are too long for the pod's command, by their path in the claim. Raises BadPod."""
    folder = f"{STATE_ROOT}/{context.pod_name}"
    return {f"{folder}/{name}": text for name, text in _files(template, inputs, context).stored.items()}


def pod_places(template: Object, inputs: Inputs, context: PodContext) -> PodPlaces:
    """Artifacts of the pod that name their stores. Raises ValueError."""
    folder = f"{STATE_ROOT}/{context.pod_name}"
    return PodPlaces(
        inputs=tuple(
            placed_artifact(artifact, f"{folder}/{INPUTS_FOLDER}/{name}")
            for name, artifact in inputs.artifacts.items()
            if is_placed(artifact)
        ),
        outputs=tuple(published_outputs(template, context.pod_name).values()),
    )


def published_outputs(template: Object, pod_name: str) -> dict[str, PlacedArtifact]:
    """Output artifacts that name their stores, by name. Raises ValueError."""
    folder = f"{STATE_ROOT}/{pod_name}/{OUTPUTS_FOLDER}"
    return {
        str(item["name"]): placed_artifact(item, f"{folder}/{item['name']}")
        for item in dig_list(template, "outputs", "artifacts")
        if item.get("path") and is_placed(item)
    }


def _away_from(hosts: Sequence[str], affinity: Object) -> Object:
    """Further rules of an affinity: each of its alternatives excludes the hosts."""
    place = ("nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    rule: Object = {"key": HOSTNAME_LABEL, "operator": "NotIn", "values": list(hosts)}
    terms: list[Object] = dig_list(affinity, *place, "nodeSelectorTerms") or [{}]
    changed = [{**term, "matchExpressions": [*dig_list(term, "matchExpressions"), rule]} for term in terms]
    node_affinity: Object = {**dig_object(affinity, "nodeAffinity"), place[1]: {"nodeSelectorTerms": changed}}
    return {**affinity, "nodeAffinity": node_affinity}


def keeps_result(template: Object, *, is_used: bool) -> bool:
    """Whether the standard output is kept: of a script always, of a container if the Workflow uses results."""
    if template.get("containerSet") is not None:
        return is_used and any(dig(each, "name") == MAIN for each in dig_list(template, "containerSet", "containers"))
    return template.get("script") is not None or (is_used and bool(dig_list(template, "container", "command")))


def with_log(template: Object) -> Object:
    """The template with what its container prints as an output artifact."""
    artifact: Object = {"name": LOG_ARTIFACT, "path": f"{STATE}/{LOG_FILE}", "archive": {"none": {}}, "optional": True}
    outputs = dig_object(template, "outputs")
    return {**template, "outputs": {**outputs, "artifacts": [*dig_list(outputs, "artifacts"), artifact]}}


def _files(template: Object, inputs: Inputs, context: PodContext) -> Files:
    raw, copied, modes = dict[str, str](), dict[str, str](), dict[str, int]()
    optional, recursive = set[str](), set[str]()
    for name, artifact in inputs.artifacts.items():
        path = str(artifact.get("path") or "")
        if not path.startswith("/"):
            raise BadPod(f"inputs.artifacts.{name}.path: {path!r} is not an absolute path")
        if artifact.get("raw") is not None:
            raw[path] = str(dig(artifact, "raw", "data") or "")
        elif is_in_own_store(artifact):
            copied[path] = f"{ARTIFACTS}/inputs/{name}"
        else:
            copied[path] = f"{STATE}/{INPUTS_FOLDER}/{name}"
        if artifact.get("optional") and is_download(artifact):
            optional.add(path)
        if artifact.get("mode") is not None:
            modes[path] = int(artifact["mode"]) & 0o7777
            recursive |= {path} if artifact.get("recurseMode") else set()
    outputs = dig_object(template, "outputs")
    _check_names([*dig_list(outputs, "parameters"), *dig_list(outputs, "artifacts")], "outputs")
    _check_names(inputs.artifacts.values(), "inputs.artifacts")
    parameters = {
        str(item["name"]): str(item["valueFrom"]["path"])
        for item in dig_list(outputs, "parameters")
        if dig(item, "valueFrom", "path")
    }
    artifacts = [item for item in dig_list(outputs, "artifacts") if item.get("path")]
    for item in artifacts:
        if problem := place_problem(item):
            raise BadPod(f"outputs.artifacts.{problem}")
    source = dig(template, "script", "source") if template.get("script") is not None else None
    return Files(
        raw=raw,
        copied=copied,
        optional=frozenset(optional),
        modes=modes,
        recursive_modes=frozenset(recursive),
        parameters=parameters,
        artifacts={stored_name(item): str(item["path"]) for item in artifacts if not store_of(item)},
        placed={str(item["name"]): (str(item["path"]), _target(item)) for item in artifacts if is_in_own_store(item)},
        published={str(item["name"]): str(item["path"]) for item in artifacts if is_placed(item)},
        script=None if source is None else str(source),
        has_result=keeps_result(template, is_used=context.keeps_result),
        has_log=any(item["name"] == LOG_ARTIFACT for item in artifacts),
    )


def _target(artifact: Object) -> str:
    """Where the container sees the place of an output artifact that names it."""
    return f"{KEY_FOLDERS}/{artifact['name']}/{basename(path_of(output_place(artifact)))}"


def _check_names(items: Iterable[Object], where: str) -> None:
    """Names become names of files."""
    for item in items:
        if not _NAME.fullmatch(str(item.get("name"))):
            raise BadPod(
                f"{where}: {item.get('name')!r} is not a name of letters, digits, dashes, dots and underscores"
            )


def _set_of(template: Object, inputs: Inputs, files: Files, context: PodContext) -> list[Object]:
    names = [str(container["name"]) for container in dig_list(template, "containerSet", "containers")]
    if files.is_needed and MAIN not in names:
        raise BadPod(f"containerSet.containers: one named {MAIN} is required where a template has artifacts or outputs")

    def wrap_main(container: Object) -> Object:
        return _with_mounts(_main({"container": container}, files), template, inputs, files, context)

    try:
        return container_sets.ordered_containers(template, wrap_main)
    except BadPod:
        raise
    except ValueError as error:
        raise BadPod(str(error)) from None


def _main(template: Object, files: Files) -> Object:
    if template.get("containerSet") is not None:
        return {}
    given = dig_object(template, "container") or dig_object(template, "script")
    main = {**{name: value for name, value in given.items() if name != "source"}, "name": MAIN}
    if not files.is_needed:
        return main
    command = [str(word) for word in dig_list(given, "command")]
    if not command and template.get("script") is not None:
        raise BadPod("script.command: required")
    if not command:  # the args stay: the node puts them after the image's entrypoint
        main["command"] = wrapped([IMAGE_PROGRAM], files)
        return main
    main["command"] = wrapped(command, files, [str(word) for word in dig_list(given, "args")])
    main.pop("args", None)
    return main


def _with_mounts(main: Object, template: Object, inputs: Inputs, files: Files, context: PodContext) -> Object:
    if not files.needs_claim:
        return main
    mounts = [_mount(STATE, f"{STATE_ROOT}/{context.pod_name}")]
    if files.artifacts:
        folder = artifact_key(context.workflow, context.created, context.pod_name, "").rstrip("/")
        mounts.append(_mount(f"{ARTIFACTS}/outputs", f"{CLAIM_ROOT}/{folder}"))
    for item in dig_list(template, "outputs", "artifacts"):
        if item.get("path") and is_in_own_store(item):
            mounts.append(_mount(f"{KEY_FOLDERS}/{item['name']}", dirname(path_of(output_place(item)))))
    for name, artifact in inputs.artifacts.items():
        if is_in_own_store(artifact):
            path = path_of(dig_object(artifact, "s3"))
            mounts.append({**_mount(f"{ARTIFACTS}/inputs/{name}", path), "readOnly": True})
    return {**main, "volumeMounts": [*dig_list(main, "volumeMounts"), *mounts]}


def _mount(path: str, sub_path: str) -> Object:
    return {"name": VOLUME, "mountPath": path, "subPath": sub_path}


def _claim_volume() -> list[Object]:
    return [{"name": VOLUME, "persistentVolumeClaim": {"claimName": ARTIFACTS_CLAIM}}]


def _user_container(container: Object, main: Object) -> Object:
    made = {name: value for name, value in container.items() if name != "mirrorVolumeMounts"}
    if container.get("mirrorVolumeMounts"):
        made["volumeMounts"] = [*dig_list(made, "volumeMounts"), *dig_list(main, "volumeMounts")]
    return _with_last_words(made)


def _with_last_words(container: Object) -> Object:
    """The container with the last line of its log in the message of its failure, unless the template says otherwise."""
    return {"terminationMessagePolicy": "FallbackToLogsOnError", **container}


def _shared(template: Object, spec: Object) -> Object:
    made: Object = {}
    for name in _FROM_EITHER:
        value = template.get(name, spec.get(name))
        if value not in (None, "", {}):
            made[name] = value
    for name in _FROM_BOTH:
        if name != "volumes" and (values := [*dig_list(spec, name), *dig_list(template, name)]):
            made[name] = values
    if priority := template.get("priorityClassName") or spec.get("podPriorityClassName"):
        made["priorityClassName"] = priority
    deadline = template.get("activeDeadlineSeconds")
    if deadline not in (None, "") and template.get("dag") is None:
        try:
            made["activeDeadlineSeconds"] = max(1, int(str(deadline)))
        except ValueError:
            raise BadPod(f"activeDeadlineSeconds: {deadline!r} is not a number") from None
    return made


def _volumes(template: Object, context: PodContext) -> list[Object]:
    """Volumes of the Workflow and the template; of two of one name the template's counts."""
    found = {str(dig(volume, "name")): volume for volume in dig_list(context.spec, "volumes")}
    found |= {str(dig(volume, "name")): volume for volume in dig_list(template, "volumes")}
    return [volume for volume in found.values() if is_object(volume)]


def _patched(spec: Object, patch: str) -> Object:
    try:
        return strategic.apply(spec, read_manifest(patch), schema_of("io.k8s.api.core.v1.PodSpec"))
    except (BadManifest, PatchError) as error:
        raise BadPod(f"podSpecPatch: {error}") from None


def _metadata(template: Object, context: PodContext) -> Object:
    shared, own = dig_object(context.spec, "podMetadata"), dig_object(template, "metadata")
    annotations = {
        **dig_object(shared, "annotations"),
        **dig_object(own, "annotations"),
        NODE_ID: context.node_id,
        NODE_NAME: context.node_name,
        NODE_TYPE: "Pod",
    }
    labels = {**dig_object(shared, "labels"), **dig_object(own, "labels"), WORKFLOW_LABEL: context.workflow}
    if context.run_id:
        labels[RUN_ID_LABEL] = context.run_id
    if context.retries:
        annotations[RETRIES_ANNOTATION] = context.retries
    return {"name": context.pod_name, "namespace": context.namespace, "labels": labels, "annotations": annotations}
