"""The downward API: a pod's own fields, in Kubernetes' formats. Pure."""

from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.quantity import Quantity

_ESCAPES = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}


class BadField(ValueError):
    """A field reference that cannot be resolved; the message is Kubernetes'."""


def field_value(pod: Object, path: str) -> str:
    """Return the value of `fieldRef.fieldPath`; an absent label or annotation is empty."""
    base, bracket, rest = path.partition("['")
    if bracket and rest.endswith("']") and base in ("metadata.labels", "metadata.annotations"):
        return str(dig(pod, *base.split("."), rest[:-2]) or "")
    match path:
        case "metadata.name" | "metadata.namespace" | "metadata.uid" | "spec.nodeName" | "status.hostIP":
            return str(dig(pod, *path.split(".")) or "")
        case "metadata.labels" | "metadata.annotations":
            return format_map(dig_object(pod, *path.split(".")))
        case "spec.serviceAccountName":
            return str(dig(pod, "spec", "serviceAccountName") or "default")
        case "status.podIP":
            return str(dig(pod, "status", "podIP") or next(iter(_addresses(pod, "podIPs")), ""))
        case "status.hostIPs":
            return ",".join(_addresses(pod, "hostIPs")) or str(dig(pod, "status", "hostIP") or "")
        case "status.podIPs":
            return ",".join(_addresses(pod, "podIPs")) or str(dig(pod, "status", "podIP") or "")
        case _:
            raise BadField(f"unsupported fieldPath: {path}")


def _addresses(pod: Object, field: str) -> list[str]:
    return [str(dig(entry, "ip")) for entry in dig_list(pod, "status", field)]


def format_map(values: Object) -> str:
    """Return sorted lines `key="value"`, quoted as Go's %q does."""
    return "\n".join(f"{key}={go_quoted(str(values[key]))}" for key in sorted(values))


def go_quoted(text: str) -> str:
    return '"' + "".join(_go_character(character) for character in text) + '"'


def _go_character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable() or character == " ":
        return character
    code = ord(character)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def needs_allocatable(pod: Object, container: Object, reference: Object) -> bool:
    """Whether a `resourceFieldRef` refers to a limit that the container does not set."""
    part, _, resource = str(reference.get("resource") or "").partition(".")
    limits = dig_object(_container(pod, container, reference), "resources", "limits")
    return part == "limits" and not limits.get(resource)


def resource_value(pod: Object, container: Object, reference: Object, allocatable: Object) -> str:
    """Return the value of a `resourceFieldRef`, rounded up to the divisor; an unset limit is the node's allocatable."""
    path = str(reference.get("resource") or "")
    part, _, resource = path.partition(".")
    known = resource in ("cpu", "memory", "ephemeral-storage") or resource.startswith("hugepages-")
    if part not in ("limits", "requests") or not known:
        raise BadField(f"unsupported container resource : {path}")
    source = _container(pod, container, reference)
    amount = dig(source, "resources", part, resource)
    if part == "limits" and (amount is None or not Quantity.parse(amount)):
        amount = allocatable.get(resource)
    given = Quantity.parse(amount or "0")
    divisor = Quantity.parse(reference.get("divisor") or "1") or Quantity.parse("1")
    if resource == "cpu":
        return str(-(-given.milli() // divisor.milli()))
    return str(-(-given.value() // divisor.value()))


def _container(pod: Object, container: Object, reference: Object) -> Object:
    name = reference.get("containerName")
    if not name or name == container.get("name"):
        return container
    for kind in ("containers", "initContainers"):
        for other in dig_list(pod, "spec", kind):
            if other.get("name") == name:
                return other
    raise BadField(f"container {name} not found")
