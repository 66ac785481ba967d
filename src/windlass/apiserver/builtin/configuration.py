"""ConfigMaps and Secrets: size-limited maps of keys to text or bytes, which can be made immutable."""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from typing import Any

from windlass.apis.wellknown import SERVICE_ACCOUNT_TOKEN_SECRET, SSH_AUTH_SECRET
from windlass.apiserver.builtin.fields import Causes, check_each, check_immutable
from windlass.apiserver.builtin.strategy import Plain
from windlass.kube import names
from windlass.kube.errors import BadRequest, Cause, forbidden, invalid, required
from windlass.kube.json import BadJson, Object, dig_object, parse

SIZE_LIMIT = 1024 * 1024
_FROZEN = "field is immutable when `immutable` is set"
_ALPHABET = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\r\n")


def _check_frozen(new: Object, old: Object, fields: tuple[str, ...], causes: Causes) -> None:
    if not old.get("immutable"):
        return
    if not new.get("immutable"):
        causes.append(forbidden("immutable", _FROZEN))
    for field in fields:
        if (new.get(field) or {}) != (old.get(field) or {}):
            causes.append(forbidden(field, _FROZEN))


def _decoded(kind: str, encoded: str) -> bytes:
    """Decode base64; BadRequest with the message of Kubernetes' decoder if it is invalid."""
    try:
        return b64decode(encoded.replace("\n", "").replace("\r", ""), validate=True)
    except (Base64Error, ValueError) as error:
        at = next((index for index, letter in enumerate(encoded) if letter not in _ALPHABET), len(encoded) // 4 * 4)
        message = f'{kind} in version "v1" cannot be handled as a {kind}: illegal base64 data at input byte {at}'
        raise BadRequest(message) from error


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


class ConfigMaps(Plain):
    def validate(self, obj: Object) -> list[Cause]:
        data, binary = dig_object(obj, "data"), dig_object(obj, "binaryData")
        causes: Causes = []
        total = 0
        for key, value in data.items():
            check_each(f"data[{key}]", key, names.config_key_errors(key), causes)
            if key in binary:
                causes.append(invalid(f"data[{key}]", key, "duplicate of key present in binaryData"))
            total += _size(value)
        for key, value in binary.items():
            check_each(f"binaryData[{key}]", key, names.config_key_errors(key), causes)
            total += len(_decoded("ConfigMap", value))
        if total > SIZE_LIMIT:
            # Kubernetes names no field here, which prints as empty brackets.
            causes.append(Cause("[]", f"Too long: may not be more than {SIZE_LIMIT} bytes", "FieldValueTooLong"))
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        causes: Causes = []
        _check_frozen(new, old, ("data", "binaryData"), causes)
        return causes


class Secrets(Plain):
    def default(self, obj: Object) -> None:
        if not obj.get("type"):
            obj["type"] = "Opaque"
        text: dict[str, str] | None = obj.pop("stringData", None)
        if text:
            data: Object = obj.setdefault("data", {})
            for key, value in text.items():
                data[key] = b64encode(value.encode()).decode()

    def validate(self, obj: Object) -> list[Cause]:
        data = dig_object(obj, "data")
        causes: Causes = []
        total = 0
        for key, value in data.items():
            check_each(f"data[{key}]", key, names.config_key_errors(key), causes)
            total += len(_decoded("Secret", value))
        if total > SIZE_LIMIT:
            causes.append(Cause("data", f"Too long: may not be more than {SIZE_LIMIT} bytes", "FieldValueTooLong"))
        _check_type(obj, data, causes)
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        causes: Causes = []
        check_immutable("type", new.get("type"), old.get("type"), causes)
        _check_frozen(new, old, ("data",), causes)
        return causes

    def selectable_fields(self, obj: Object) -> dict[str, str]:
        return {"type": obj.get("type", "")}


_NEEDED = {
    SSH_AUTH_SECRET: ("ssh-privatekey",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
}
_ACCOUNT = "kubernetes.io/service-account.name"


def _check_type(obj: Object, data: Object, causes: Causes) -> None:
    kind = obj.get("type", "")
    for key in _NEEDED.get(kind, ()):
        if key not in data:
            causes.append(required(f"data[{key}]"))
        elif key.startswith(".docker"):
            _check_json(f"data[{key}]", data[key], causes)
    if kind == "kubernetes.io/basic-auth" and "username" not in data and "password" not in data:
        causes.append(required("data[username]"))
        causes.append(required("data[password]"))
    if kind == SERVICE_ACCOUNT_TOKEN_SECRET:
        annotations = dig_object(obj, "metadata", "annotations")
        if not annotations.get(_ACCOUNT):
            causes.append(required(f"metadata.annotations[{_ACCOUNT}]"))


def _check_json(field: str, encoded: str, causes: Causes) -> None:
    try:
        found: Any = parse(_decoded("Secret", encoded))
    except BadJson as error:
        causes.append(invalid(field, "<secret contents redacted>", str(error)))
        return
    if not isinstance(found, dict):
        causes.append(invalid(field, "<secret contents redacted>", "must be a JSON object"))
