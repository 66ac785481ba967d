"""Validation of a pod's volumes: each has a unique name and exactly one source."""

from windlass.apiserver.builtin.container_fields import (
    VOLUME_FIELDS,
    check_descending,
    check_field_ref,
    check_no_backsteps,
    check_resource_field_ref,
)
from windlass.apiserver.builtin.fields import Causes, check_dns_label, check_quantity, unsupported
from windlass.apiserver.builtin.handlers import Check
from windlass.kube.errors import duplicate, forbidden, invalid, required
from windlass.kube.json import Object, dig_list

_MODE_RANGE = "must be a number between 0 and 0777 (octal), both inclusive"


def check_volumes(path: str, volumes: list[Object], causes: Causes) -> dict[str, Object]:
    """Validate the volumes; returns all of them by name, for the validation of mounts."""
    found: dict[str, Object] = {}
    for index, volume in enumerate(volumes):
        where = f"{path}[{index}]"
        _check_source(where, volume, causes)
        name = volume.get("name")
        if not name:
            causes.append(required(f"{where}.name"))
            continue
        check_dns_label(f"{where}.name", name, causes)
        if name in found:
            causes.append(duplicate(f"{where}.name", name))
        found[name] = volume
    return found


def _check_source(path: str, volume: Object, causes: Causes) -> None:
    count = 0
    for source, value in volume.items():
        if source == "name":
            continue
        if count:
            causes.append(forbidden(f"{path}.{source}", "may not specify more than 1 volume type"))
        else:
            check = _SOURCES.get(source)
            if check is not None:
                check(f"{path}.{source}", value, causes)
        count += 1
    if not count:
        causes.append(required(path, "must specify a volume type"))


def _check_mode(field: str, mode: int | None, causes: Causes) -> None:
    if mode is not None and not 0 <= mode <= 0o777:
        causes.append(invalid(field, mode, _MODE_RANGE))


def check_key_paths(path: str, items: list[Object], causes: Causes) -> None:
    """Validate the `items` of a Secret or ConfigMap volume."""
    for index, item in enumerate(items):
        where = f"{path}[{index}]"
        if not item.get("key"):
            causes.append(required(f"{where}.key"))
        if not item.get("path"):
            causes.append(required(f"{where}.path"))
        else:
            _check_file_path(f"{where}.path", item["path"], causes)
        _check_mode(f"{where}.mode", item.get("mode"), causes)


def _check_file_path(field: str, value: str, causes: Causes) -> None:
    check_descending(field, value, causes)
    if value.startswith("..") and not value.startswith("../"):
        causes.append(invalid(field, value, "must not start with '..'"))


def _check_secret(path: str, source: Object, causes: Causes) -> None:
    if not source.get("secretName"):
        causes.append(required(f"{path}.secretName"))
    _check_mode(f"{path}.defaultMode", source.get("defaultMode"), causes)
    check_key_paths(f"{path}.items", source.get("items") or [], causes)


def _check_config_map(path: str, source: Object, causes: Causes) -> None:
    if not source.get("name"):
        causes.append(required(f"{path}.name"))
    _check_mode(f"{path}.defaultMode", source.get("defaultMode"), causes)
    check_key_paths(f"{path}.items", source.get("items") or [], causes)


def _check_empty_dir(path: str, source: Object, causes: Causes) -> None:
    if "sizeLimit" in source:
        check_quantity(f"{path}.sizeLimit", source["sizeLimit"], causes)


_HOST_PATH_TYPES = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)


def _check_host_path(path: str, source: Object, causes: Causes) -> None:
    where = source.get("path")
    if not where:
        causes.append(required(f"{path}.path"))
    else:
        check_no_backsteps(f"{path}.path", where, causes)
    kind = source.get("type", "")
    if kind not in _HOST_PATH_TYPES:
        causes.append(unsupported(f"{path}.type", kind, _HOST_PATH_TYPES))


def _check_claim(path: str, source: Object, causes: Causes) -> None:
    if not source.get("claimName"):
        causes.append(required(f"{path}.claimName"))


def _check_nfs(path: str, source: Object, causes: Causes) -> None:
    for field in ("server", "path"):
        if not source.get(field):
            causes.append(required(f"{path}.{field}"))
    if source.get("path") and not source["path"].startswith("/"):
        causes.append(invalid(f"{path}.path", source["path"], "must be an absolute path"))


def _check_downward_items(path: str, items: list[Object], causes: Causes) -> None:
    for index, item in enumerate(items):
        where = f"{path}[{index}]"
        if not item.get("path"):
            causes.append(required(f"{where}.path"))
        else:
            _check_file_path(f"{where}.path", item["path"], causes)
        field, resource = item.get("fieldRef"), item.get("resourceFieldRef")
        if field is not None:
            check_field_ref(f"{where}.fieldRef", field, VOLUME_FIELDS, causes)
            if resource is not None:
                causes.append(
                    invalid(where, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously")
                )
        elif resource is not None:
            check_resource_field_ref(f"{where}.resourceFieldRef", resource, causes, volume=True)
        else:
            causes.append(required(where, "one of fieldRef and resourceFieldRef is required"))
        _check_mode(f"{where}.mode", item.get("mode"), causes)


def _check_downward(path: str, source: Object, causes: Causes) -> None:
    _check_mode(f"{path}.defaultMode", source.get("defaultMode"), causes)
    _check_downward_items(f"{path}.items", source.get("items") or [], causes)


def _check_token(path: str, token: Object, causes: Causes) -> None:
    seconds = token.get("expirationSeconds", 3600)
    if seconds < 600:
        causes.append(invalid(f"{path}.expirationSeconds", seconds, "may not specify a duration less than 10 minutes"))
    elif seconds > 2**32:
        causes.append(
            invalid(f"{path}.expirationSeconds", seconds, "may not specify a duration larger than 2^32 seconds")
        )
    if not token.get("path"):
        causes.append(required(f"{path}.path"))


def _check_named(path: str, source: Object, causes: Causes) -> None:
    if not source.get("name"):
        causes.append(required(f"{path}.name"))
    check_key_paths(f"{path}.items", source.get("items") or [], causes)


def _check_downward_projection(path: str, source: Object, causes: Causes) -> None:
    _check_downward_items(f"{path}.items", source.get("items") or [], causes)


_PROJECTIONS: dict[str, Check] = {
    "secret": _check_named,
    "configMap": _check_named,
    "downwardAPI": _check_downward_projection,
    "serviceAccountToken": _check_token,
}


def _check_projected(path: str, source: Object, causes: Causes) -> None:
    _check_mode(f"{path}.defaultMode", source.get("defaultMode"), causes)
    for index, projection in enumerate(dig_list(source, "sources")):
        where = f"{path}.sources[{index}]"
        for count, (kind, value) in enumerate(projection.items()):
            if count:
                causes.append(forbidden(f"{where}.{kind}", "may not specify more than 1 volume type"))
            elif kind in _PROJECTIONS:
                _PROJECTIONS[kind](f"{where}.{kind}", value, causes)
        if not projection:
            causes.append(required(where, "must specify a volume type"))


def _check_csi(path: str, source: Object, causes: Causes) -> None:
    if not source.get("driver"):
        causes.append(required(f"{path}.driver"))


def _check_ephemeral(path: str, source: Object, causes: Causes) -> None:
    from windlass.apiserver.builtin.claims import check_claim_spec

    template = source.get("volumeClaimTemplate")
    if not template:
        causes.append(required(f"{path}.volumeClaimTemplate"))
    else:
        check_claim_spec(f"{path}.volumeClaimTemplate.spec", template.get("spec") or {}, causes)


def _check_image(path: str, source: Object, causes: Causes) -> None:
    if not source.get("reference"):
        causes.append(required(f"{path}.reference"))


_SOURCES: dict[str, Check] = {
    "secret": _check_secret,
    "configMap": _check_config_map,
    "emptyDir": _check_empty_dir,
    "hostPath": _check_host_path,
    "persistentVolumeClaim": _check_claim,
    "nfs": _check_nfs,
    "downwardAPI": _check_downward,
    "projected": _check_projected,
    "csi": _check_csi,
    "ephemeral": _check_ephemeral,
    "image": _check_image,
}
