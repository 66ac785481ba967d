"""The pod of a container task."""

import hashlib
import re

from windlass.apis.pod_packages import PACKAGES_ANNOTATION
from windlass.apps.pipelines.artifacts.transfer_containers import PUBLISH_SECONDS
from windlass.apps.pipelines.executor.command import PAUSES_PATH, Command, task_command
from windlass.apps.pipelines.executor.context import Json, TaskContext
from windlass.apps.pipelines.executor.executor_input import scope
from windlass.apps.pipelines.executor.packages import packages
from windlass.apps.pipelines.executor.placeholders import Scope, resolve_text
from windlass.apps.pipelines.executor.platform.environment import pod_variables, unique
from windlass.apps.pipelines.executor.platform.fields import integer, items, labels, mapping, object_name
from windlass.apps.pipelines.executor.platform.server_settings import (
    CA_PATH,
    CA_VOLUME,
    ca_bundle,
    host_users,
    proxy_variables,
    security_context,
)
from windlass.apps.pipelines.executor.platform.task_config import PodSettings, own_settings
from windlass.apps.pipelines.executor.platform.volumes import Volumes
from windlass.apps.pipelines.executor.storage import ClusterStorage, EmbeddedStorage, Storage
from windlass.apps.pipelines.executor.values import section
from windlass.apps.pipelines.model import Run, Task
from windlass.apps.pipelines.names import (
    MAIN,
    RUN_ID_LABEL,
    RUN_NAME_ANNOTATION,
    TASK_LABEL,
    V2_COMPONENT,
)

__all__ = ["ClusterStorage", "EmbeddedStorage", "Storage", "pod", "pod_name"]

PULL_POLICIES = ("Always", "Never", "IfNotPresent")


def pod_name(run: Run, task: Task) -> str:
    """Return the name of the pod of the task's current attempt: always the same, and a DNS label."""
    digest = hashlib.sha256(f"{run.run_id}/{task.path}/{task.attempt}".encode(errors="replace")).hexdigest()[:10]
    words = [re.sub(r"[^a-z0-9]+", "-", word.lower()).strip("-") for word in (run.resource_name, task.name)]
    readable = "-".join(word[:25].strip("-") for word in words if word)
    return f"{readable or 'task'}-{digest}"


def pod(context: TaskContext, storage: Storage, *, owner: Json, pod_name: str) -> Json:
    """Return the manifest of the task's pod. Raises ValueError with the field for what cannot be built."""
    names = scope(context)
    settings = own_settings(context, names)
    command = task_command(context, names)
    volumes, transfers = _volumes(context, storage, settings, command), storage.transfers(context)
    spec: Json = {
        "restartPolicy": "Never",
        "containers": [_container(context, names, settings, command, volumes)],
        "volumes": [*volumes.volumes, *transfers.volumes],
    }
    if transfers.init_containers:
        spec["initContainers"] = transfers.init_containers
    if transfers.has_sidecar:
        spec["terminationGracePeriodSeconds"] = PUBLISH_SECONDS
    if context.run.service_account:
        spec["serviceAccountName"] = context.run.service_account
    spec |= _placement(settings) | _pod_options(context)
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _metadata(context, owner, pod_name),
        "spec": spec,
    }


def _metadata(context: TaskContext, owner: Json, name: str) -> Json:
    run = context.run
    given = mapping(context.platform.get("podMetadata"), "podMetadata")
    annotations = labels(given.get("annotations"), "podMetadata.annotations")
    installed = packages(section(context.executor, "container").get("command") or [])
    if installed:
        annotations[PACKAGES_ANNOTATION] = installed
    return {
        "name": name,
        "namespace": run.namespace,
        "labels": {
            **labels(given.get("labels"), "podMetadata.labels"),
            RUN_ID_LABEL: run.run_id,
            TASK_LABEL: context.task.task_id,
            V2_COMPONENT: "true",
        },
        "annotations": {**annotations, RUN_NAME_ANNOTATION: run.display_name, V2_COMPONENT: "true"},
        "ownerReferences": [owner],
    }


def _container(context: TaskContext, names: Scope, settings: PodSettings, command: Command, volumes: Volumes) -> Json:
    image = resolve_text(str(section(context.executor, "container").get("image") or ""), names).strip()
    if not image:
        raise ValueError("container.image is empty")
    variables = [*proxy_variables(context.defaults), *pod_variables(context), *settings.env]
    container: Json = {
        "name": MAIN,
        "image": image,
        "env": unique(variables),
        "volumeMounts": volumes.mounts,
        "securityContext": security_context(context),
        "terminationMessagePolicy": "FallbackToLogsOnError",  # so that the task's error has the last line of its log
    }
    policy = context.platform.get("imagePullPolicy")
    if policy and policy not in PULL_POLICIES:
        raise ValueError(f"imagePullPolicy: {policy!r} is none of {', '.join(PULL_POLICIES)}")
    optional = {
        "imagePullPolicy": policy,
        "command": command.command,
        "args": command.args,
        "resources": settings.resources,
    }
    return container | {key: value for key, value in optional.items() if value}


def _volumes(context: TaskContext, storage: Storage, settings: PodSettings, command: Command) -> Volumes:
    found = Volumes()
    found.extend(storage.attach(context), "storage")
    bundle = ca_bundle(context.defaults)
    if bundle is not None:
        found.add(CA_VOLUME, bundle, CA_PATH, "CABUNDLE_SECRET_NAME")
    if command.pauses:
        found.add("argo-pauses", {"emptyDir": {}}, PAUSES_PATH, "set_debug_pause")
    found.extend(settings.volumes, "platform spec")
    return found


def _placement(settings: PodSettings) -> Json:
    placement = {
        "nodeSelector": settings.node_selector,
        "tolerations": settings.tolerations,
        "affinity": settings.affinity,
    }
    return {key: value for key, value in placement.items() if value}


def _pod_options(context: TaskContext) -> Json:
    options: Json = {}
    deadline = integer(context.platform.get("activeDeadlineSeconds"), "activeDeadlineSeconds")
    if deadline is not None and deadline < 0:
        raise ValueError("activeDeadlineSeconds must not be negative")
    if deadline:
        options["activeDeadlineSeconds"] = deadline
    found = [
        object_name(context, item, "secretName", where) for where, item in items(context.platform, "imagePullSecret")
    ]
    secrets = [{"name": name} for name in found if name is not None]
    if secrets:
        options["imagePullSecrets"] = secrets
    users = host_users(context.defaults)
    return options if users is None else {**options, "hostUsers": users}
