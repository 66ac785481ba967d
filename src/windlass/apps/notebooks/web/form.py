"""From the spawner form's POST to a Notebook and the claims that it needs.

The rules of the configuration (`readOnly`, `allowCustomImage`) hold here, whatever a browser sends. Objects are built
from values, never from text.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from windlass.kube.json import Object, dig, dig_list, is_list, is_object
from windlass.kube.names import dns_label_errors
from windlass.kube.quantity import Quantity

API_VERSION = "kubeflow.org/v1beta1"
SERVICE_ACCOUNT = "default-editor"
SERVER_TYPE = "notebooks.kubeflow.org/server-type"
CREATOR = "notebooks.kubeflow.org/creator"
REWRITE = "notebooks.kubeflow.org/http-rewrite-uri"
REQUEST_HEADERS = "notebooks.kubeflow.org/http-headers-request-set"
SHM_VOLUME, SHM_PATH = "dshm", "/dev/shm"
NAME_PLACEHOLDER = "{notebook-name}"
NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
MAX_NAME_LENGTH = 40
IMAGE_FIELDS: Mapping[str, str] = {"jupyter": "image", "group-one": "imageGroupOne", "group-two": "imageGroupTwo"}
_NO_GPU = ("none", "")


class BadForm(ValueError):
    """The form cannot be used; the message names the field."""


@dataclass
class Made:
    """What the form asks for. Claims come before the Notebook that mounts them."""

    notebook: Object
    claims: list[Object] = field(default_factory=list[Object])

    @property
    def pod_spec(self) -> Object:
        return self.notebook["spec"]["template"]["spec"]

    @property
    def container(self) -> Object:
        return self.pod_spec["containers"][0]


def notebook_of(
    body: Object, namespace: str, creator: str, defaults: Object, suffix: Callable[[], str] = lambda: ""
) -> Made:
    """`suffix` completes a claim's generateName, since the Notebook names its claims. Raises BadForm."""
    form = _Form(body, defaults)
    name = form.name()
    server_type = form.server_type()
    container: Object = {
        "name": name,
        "image": form.image(server_type),
        "imagePullPolicy": form.value("imagePullPolicy"),
        "env": _environment(form),
        "resources": _resources(form),
        "volumeMounts": [],
    }
    spec: Object = {"serviceAccountName": SERVICE_ACCOUNT, "containers": [container], "volumes": []}
    _place(form, spec)
    made = Made(
        {
            "apiVersion": API_VERSION,
            "kind": "Notebook",
            "metadata": {
                "name": name,
                "namespace": namespace,
                "labels": {"app": name, **_configurations(form)},
                "annotations": _annotations(server_type, namespace, name, creator),
            },
            "spec": {"template": {"spec": spec}},
        }
    )
    _volumes(form, suffix, made)
    return made


class _Form:
    """A form's body beside the configured defaults."""

    def __init__(self, body: Object, defaults: Object) -> None:
        self.body, self.defaults = body, defaults

    def value(self, name: str, default_name: str = "", *, optional: bool = False) -> Any:
        """What the user gave; of a `readOnly` field what is configured."""
        configured = self.defaults.get(default_name or name)
        given = self.body.get(name)
        if is_object(configured) and configured.get("readOnly"):
            if name in self.body:
                raise BadForm(f"{name}: is read-only, but a value was given")
            return configured.get("value")
        if given is None and not optional:
            raise BadForm(f"{name}: a value is required")
        return given

    def name(self) -> str:
        name = self.body.get("name")
        if not isinstance(name, str) or not name:
            raise BadForm("name: a value is required")
        if len(name) > MAX_NAME_LENGTH or not NAME.fullmatch(name):
            raise BadForm(
                f"name: {name!r} must start with a lower-case letter, have lower-case letters, digits and '-' only, "
                f"and be at most {MAX_NAME_LENGTH} characters long"
            )
        return name

    def server_type(self) -> str:
        given = self.body.get("serverType")
        if given is None:
            raise BadForm("serverType: a value is required")
        given = given if given != "" else "jupyter"
        if not isinstance(given, str) or given not in IMAGE_FIELDS:
            raise BadForm(f"serverType: {given!r} is none of {', '.join(IMAGE_FIELDS)}")
        return given

    def image(self, server_type: str) -> str:
        default_name = IMAGE_FIELDS[server_type]
        if self.body.get("customImageCheck"):
            configured = self.defaults.get(default_name)
            if not self.defaults.get("allowCustomImage", True) or (
                is_object(configured) and configured.get("readOnly")
            ):
                raise BadForm("customImage: custom images are not allowed here")
            image = self.body.get("customImage")
        else:
            own_field = default_name if default_name in self.body else "image"
            image = self.value(own_field, default_name)
            self._must_be_offered(image, default_name)
        if not isinstance(image, str) or not image.strip():
            raise BadForm("image: a value is required")
        return image.strip()

    def _must_be_offered(self, image: object, default_name: str) -> None:
        """Where custom images are not allowed, the image is one of the configured ones."""
        configured = self.defaults.get(default_name)
        offered = configured.get("options") if is_object(configured) else None
        if self.defaults.get("allowCustomImage", True) or not is_list(offered) or not offered:
            return
        if image not in offered:
            raise BadForm(f"image: {image!r} is none of the configured ones, and custom images are not allowed")


def _resources(form: _Form) -> Object:
    requests: Object = {}
    limits: Object = {}
    for name in ("cpu", "memory"):
        request = _amount(name, form.value(name))
        requests[name] = request
        limit = _limit(form, name, request)
        if limit is not None:
            if Quantity.parse(limit) < Quantity.parse(request):
                raise BadForm(f"{name}Limit: {limit} is below the request of {request}")
            limits[name] = limit
    vendor, number = _gpus(form)
    if vendor:
        limits[vendor] = number
    return {"requests": requests, "limits": limits}


def _limit(form: _Form, name: str, request: str) -> str | None:
    """The limit that was given, or the request times the configured factor; None for no limit."""
    field_name = f"{name}Limit"
    configured: Object = form.defaults.get(name) or {}
    given = form.body.get(field_name)
    if given not in (None, ""):
        if configured.get("readOnly"):
            raise BadForm(f"{field_name}: {name} is read-only, but a limit was given")
        return _amount(field_name, given)
    factor = str(configured.get("limitFactor") or "none")
    if factor == "none":
        return None
    number, unit = _number(request)
    return _amount(field_name, f"{round(number * float(factor), 1)}{unit}")


def _number(amount: str) -> tuple[float, str]:
    number = amount.rstrip("EGKMPTikm")
    return float(number), amount[len(number) :]


def _amount(name: str, given: object) -> str:
    text = str(given).strip()
    try:
        if not math.isfinite(float(text.rstrip("EGKMPTikm") or "nan")):
            raise ValueError(text)
        amount = Quantity.parse(text)
    except ValueError as error:
        raise BadForm(f"{name}: {given!r} is not an amount") from error
    if amount.nano < 0:
        raise BadForm(f"{name}: {given!r} is negative")
    return text


def _gpus(form: _Form) -> tuple[str, int]:
    gpus = form.value("gpus")
    number = gpus.get("num", "none") if is_object(gpus) else None
    if number is None:
        raise BadForm("gpus: must have num and vendor")
    if str(number) in _NO_GPU:
        return "", 0
    vendor = gpus.get("vendor")
    if not isinstance(vendor, str) or not vendor:
        raise BadForm("gpus.vendor: a value is required when num is not none")
    offered = gpu_vendors(form.defaults)
    if vendor not in offered:  # as a vendor, cpu would be the limit of another field
        raise BadForm(f"gpus.vendor: {vendor!r} is none of the configured ones: {', '.join(offered)}")
    try:
        count = int(str(number))
    except ValueError:
        count = 0
    if count < 1:
        raise BadForm(f"gpus.num: {number!r} is not a number of GPUs")
    return vendor, count


def gpu_vendors(defaults: Object) -> list[str]:
    """The resources that the configuration calls GPUs."""
    return [str(dig(each, "limitsKey")) for each in dig_list(defaults, "gpus", "value", "vendors")]


def _environment(form: _Form) -> list[Object]:
    """A mapping, or its JSON as clients of Kubeflow send it."""
    given: Any = form.value("environment", optional=True) or {}
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError) as error:
            raise BadForm(f"environment: is not JSON: {error}") from error
    if not is_object(given):
        raise BadForm("environment: must be a mapping")
    return [{"name": name, "value": str(value)} for name, value in given.items()]


def _configurations(form: _Form) -> dict[str, str]:
    labels: Any = form.value("configurations") or []
    if not is_list(labels) or not all(isinstance(label, str) for label in labels):
        raise BadForm("configurations: must be a list of labels")
    return dict.fromkeys(labels, "true")


def _annotations(server_type: str, namespace: str, name: str, creator: str) -> dict[str, str]:
    annotations = {SERVER_TYPE: server_type, CREATOR: creator}
    if server_type != "jupyter":
        annotations[REWRITE] = "/"
    if server_type == "group-two":
        annotations[REQUEST_HEADERS] = f'{{"X-RStudio-Root-Path":"/notebook/{namespace}/{name}/"}}'
    return annotations


def _place(form: _Form, spec: Object) -> None:
    for field_name, key, target in (
        ("tolerationGroup", "groupKey", "tolerations"),
        ("affinityConfig", "configKey", "affinity"),
    ):
        chosen = form.value(field_name)
        if not chosen or chosen == "none":
            continue
        configured: Object = form.defaults.get(field_name) or {}
        option = next((each for each in configured.get("options") or () if each.get(key) == chosen), None)
        if option is None:
            raise BadForm(f"{field_name}: {chosen!r} is not configured")
        spec[target] = option.get(target)


def _volumes(form: _Form, suffix: Callable[[], str], made: Made) -> None:
    workspace = form.value("workspace", "workspaceVolume", optional=True)
    data: Any = form.value("datavols", "dataVolumes") or []
    if not is_list(data):
        raise BadForm("datavols: must be a list")
    asked = [("workspace", workspace)] if workspace else []
    asked += [(f"datavols[{index}]", volume) for index, volume in enumerate(data)]
    for where, volume in asked:
        if not is_object(volume):
            raise BadForm(f"{where}: must be a volume")
        _volume(where, volume, suffix, made)
    if form.value("shm"):
        made.pod_spec["volumes"].append({"name": SHM_VOLUME, "emptyDir": {"medium": "Memory"}})
        made.container["volumeMounts"].append({"name": SHM_VOLUME, "mountPath": SHM_PATH})


def _volume(where: str, volume: Object, suffix: Callable[[], str], made: Made) -> None:
    mount, new, existing = volume.get("mount"), volume.get("newPvc"), volume.get("existingSource")
    if not isinstance(mount, str) or not mount.startswith("/"):
        raise BadForm(f"{where}.mount: must be an absolute path")
    if (new is None) == (existing is None):
        raise BadForm(f"{where}: exactly one of newPvc and existingSource is required")
    if new is not None:
        claim = _claim(f"{where}.newPvc", new, made, suffix)
        made.claims.append(claim)
        source: Object = {"persistentVolumeClaim": {"claimName": claim["metadata"]["name"]}}
    elif is_object(existing) and len(existing) == 1:
        source = existing
    else:
        raise BadForm(f"{where}.existingSource: must be one volume source")
    volume_name = _volume_name(source, made)
    if all(known["name"] != volume_name for known in made.pod_spec["volumes"]):
        made.pod_spec["volumes"].append({**source, "name": volume_name})
    made.container["volumeMounts"].append({"name": volume_name, "mountPath": mount})


def _volume_name(source: Object, made: Made) -> str:
    """The claim's name, where a volume may have it: a claim's may be longer, and have dots."""
    claim = dig(source, "persistentVolumeClaim", "claimName")
    if isinstance(claim, str) and not dns_label_errors(claim):
        return claim
    return f"{made.notebook['metadata']['name']}-volume-{len(made.pod_spec['volumes'])}"


def _claim(where: str, given: object, made: Made, suffix: Callable[[], str]) -> Object:
    metadata = given.get("metadata") if is_object(given) else None
    if not is_object(given) or not is_object(metadata) or not is_object(given.get("spec")):
        raise BadForm(f"{where}: must have metadata and spec")
    if metadata.get("namespace"):
        raise BadForm(f"{where}.metadata.namespace: must not be set")
    name, generated = metadata.get("name"), metadata.get("generateName")
    if not name and generated:
        name = f"{generated}{suffix()}"
    if not isinstance(name, str) or not name:
        raise BadForm(f"{where}.metadata.name: a value is required")
    notebook = made.notebook["metadata"]
    kept = {field_name: value for field_name, value in metadata.items() if field_name != "generateName"}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            **kept,
            "name": name.replace(NAME_PLACEHOLDER, notebook["name"]),
            "namespace": notebook["namespace"],
        },
        "spec": given["spec"],
    }
