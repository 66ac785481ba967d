"""A notebook that is posted as objects: a Notebook and the claims that are made with it. Pure.

The form's YAML says more than its fields. What the administrator has fixed holds all the same: a field of the
configuration that is `readOnly` must have its value in the objects, too.
"""

from typing import Any

from windlass.apis.core_v1 import PersistentVolumeClaim
from windlass.apis.wellknown import KUBEFLOW_GROUP as GROUP
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.web.form import (
    CREATOR,
    IMAGE_FIELDS,
    SERVER_TYPE,
    SHM_PATH,
    BadForm,
    Made,
    gpu_vendors,
    notebook_of,
)
from windlass.kube.json import Object, dig, dig_list, dig_object, is_list, is_object
from windlass.kube.kind import KINDS
from windlass.kube.quantity import Quantity

NOTEBOOK, CLAIM = KINDS.of(Notebook), KINDS.of(PersistentVolumeClaim)
AMOUNTS = ("cpu", "memory")


def made_of(objects: object, namespace: str, creator: str, defaults: Object) -> Made:
    """`objects` is what was posted. Raises BadForm, which names what cannot be used."""
    if not is_list(objects) or not all(is_object(each) for each in objects):
        raise BadForm("objects: must be a list of objects")
    found = [_placed(f"objects[{index}]", each, namespace) for index, each in enumerate(objects)]
    notebooks = [each for each in found if each["kind"] == NOTEBOOK.name]
    if len(notebooks) != 1:
        raise BadForm(f"objects: must have one Notebook, but has {len(notebooks)}")
    made = Made(notebooks[0], [each for each in found if each["kind"] == CLAIM.name])
    _check_server(made)
    annotations = {**dig_object(made.notebook, "metadata", "annotations"), CREATOR: creator}
    made.notebook["metadata"]["annotations"] = annotations
    _check_fixed(made, defaults)
    return made


def _placed(where: str, given: Object, namespace: str) -> Object:
    """The object in its namespace; only a Notebook and claims can be made here."""
    group, _, _ = str(given.get("apiVersion", "")).rpartition("/")
    if (group, given.get("kind")) not in ((GROUP, NOTEBOOK.name), ("", CLAIM.name)):
        kind = f"{given.get('kind', '')} of {given.get('apiVersion', '')}"
        raise BadForm(f"{where}: {kind}: only a Notebook and PersistentVolumeClaims can be made here")
    metadata = given.get("metadata")
    if not is_object(metadata) or not isinstance(metadata.get("name"), str) or not metadata["name"]:
        raise BadForm(f"{where}.metadata.name: a value is required")
    if metadata.get("namespace", namespace) != namespace:
        raise BadForm(f"{where}.metadata.namespace: must be {namespace}, or absent")
    return {**given, "metadata": {**metadata, "namespace": namespace}}


def _check_server(made: Made) -> None:
    spec = dig(made.notebook, "spec", "template", "spec")
    containers = spec.get("containers") if is_object(spec) else None
    if not is_list(containers) or not containers or not is_object(containers[0]):
        raise BadForm("spec.template.spec.containers: a value is required")
    # Later checks go through the volumes, whichever the form of the answer.
    volumes: Any = spec.get("volumes") or []
    if not is_list(volumes) or not all(is_object(each) and each.get("name") for each in volumes):
        raise BadForm("spec.template.spec.volumes: must be a list of volumes with names")
    spec["volumes"] = volumes


def _check_fixed(made: Made, defaults: Object) -> None:
    """Compare the fields that the configuration fixes with those of a form that leaves them out."""
    expected = notebook_of(_bare_form(made, defaults), made.notebook["metadata"]["namespace"], "", defaults)
    for name, (is_right, what) in _fixed_parts(made, expected, defaults).items():
        if _is_fixed(defaults, name) and not is_right:
            raise BadForm(f"{name}: is read-only: {what}")
    _check_image(made, defaults)
    _check_others(made, defaults)


def _check_others(made: Made, defaults: Object) -> None:
    """Further containers would have images and amounts that nobody offers."""
    fixed = [name for name in (*AMOUNTS, "gpus", IMAGE_FIELDS[_server_type(made)]) if _is_fixed(defaults, name)]
    fixed += [] if defaults.get("allowCustomImage", True) else ["allowCustomImage"]
    count = sum(len(dig_list(made.pod_spec, key)) for key in ("containers", "initContainers"))
    if fixed and count > 1:
        raise BadForm(f"spec.template.spec: must have one container: the configuration fixes {', '.join(fixed)}")


def _is_fixed(defaults: Object, name: str) -> bool:
    configured = defaults.get(name)
    return is_object(configured) and bool(configured.get("readOnly"))


def _bare_form(made: Made, defaults: Object) -> Object:
    """A form that gives nothing but what it must."""
    given: Object = {
        "imagePullPolicy": "",
        "cpu": "0",
        "memory": "0",
        "gpus": {"num": "none"},
        "tolerationGroup": "",
        "affinityConfig": "",
        "configurations": [],
        "shm": False,
    }
    body = {name: value for name, value in given.items() if not _is_fixed(defaults, name)}
    if not _is_fixed(defaults, "dataVolumes"):
        body["datavols"] = []
    image_field = IMAGE_FIELDS[_server_type(made)]
    if not _is_fixed(defaults, image_field):
        body["image"] = dig(defaults, image_field, "value")
    return {**body, "name": "notebook", "serverType": _server_type(made)}


def _server_type(made: Made) -> str:
    given = dig(made.notebook, "metadata", "annotations", SERVER_TYPE)
    return given if isinstance(given, str) and given in IMAGE_FIELDS else "jupyter"


def _fixed_parts(made: Made, expected: Made, defaults: Object) -> dict[str, tuple[bool, str]]:
    """Whether each part is as configured, and where it should be."""
    vendors = gpu_vendors(defaults)
    gpus = {key: dig(expected.container, "resources", "limits", key) for key in vendors}
    labels = dig_object(made.notebook, "metadata", "labels")
    parts = {
        "imagePullPolicy": (_same(made, expected, "imagePullPolicy"), "the container's imagePullPolicy"),
        "gpus": (
            all(_same_amount(dig(made.container, "resources", "limits", key), gpus[key]) for key in vendors),
            f"resources.limits of {', '.join(vendors)}",
        ),
        "environment": (_same(made, expected, "env"), "the container's env"),
        "affinityConfig": (
            made.pod_spec.get("affinity") == expected.pod_spec.get("affinity"),
            "spec.template.spec.affinity",
        ),
        "tolerationGroup": (
            made.pod_spec.get("tolerations") == expected.pod_spec.get("tolerations"),
            "spec.template.spec.tolerations",
        ),
        "configurations": (
            set(expected.notebook["metadata"]["labels"]) - {"app"} <= {key for key in labels if labels[key] == "true"},
            "metadata.labels",
        ),
        **{
            name: (
                all(
                    _same_amount(
                        dig(made.container, "resources", part, name), dig(expected.container, "resources", part, name)
                    )
                    for part in ("requests", "limits")
                ),
                f"the container's resources of {name}",
            )
            for name in AMOUNTS
        },
    }
    return {**parts, **_fixed_mounts(made, expected, defaults)}


def _fixed_mounts(made: Made, expected: Made, defaults: Object) -> dict[str, tuple[bool, str]]:
    """Fixed volumes are mounted where they should be. Where data volumes are fixed, only a workspace is added."""
    mounted = {str(dig(each, "mountPath")) for each in dig_list(made.container, "volumeMounts")}
    fixed = {each["mountPath"] for each in expected.container["volumeMounts"]}
    added = mounted - fixed - {SHM_PATH}
    where = f"volumeMounts at {', '.join(sorted(fixed)) or 'none'}"
    return {
        "workspaceVolume": (fixed <= mounted, where),
        "dataVolumes": (fixed <= mounted and len(added) <= (not _is_fixed(defaults, "workspaceVolume")), where),
        "shm": ((SHM_PATH in fixed) == (SHM_PATH in mounted), f"the volumeMount at {SHM_PATH}"),
    }


def _same(made: Made, expected: Made, name: str) -> bool:
    return (made.container.get(name) or None) == (expected.container.get(name) or None)


def _same_amount(given: Any, configured: Any) -> bool:
    if given is None or configured is None:
        return given is None and configured is None
    try:
        return Quantity.parse(str(given)) == Quantity.parse(str(configured))
    except ValueError:
        return False


def _check_image(made: Made, defaults: Object) -> None:
    name = IMAGE_FIELDS[_server_type(made)]
    image, configured = made.container.get("image"), dig_object(defaults, name)
    if configured.get("readOnly") and image != configured.get("value"):
        raise BadForm(f"{name}: is read-only: the container's image must be {configured.get('value')}")
    offered = configured.get("options")
    if defaults.get("allowCustomImage", True) or not is_list(offered) or not offered or image in offered:
        return
    raise BadForm(f"image: {image!r} is none of the configured ones, and custom images are not allowed")
