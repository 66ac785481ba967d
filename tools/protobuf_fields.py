"""Write the table of protobuf field numbers from which the server reads Kubernetes' protobuf bodies.

    .venv/bin/python tools/protobuf_fields.py $(which kubectl)

A Go program keeps the layout of its types for reflection: for each field of a struct its name, its type (and so whether
it is a pointer) and its tags. The tags of Kubernetes' types hold the protobuf number and the JSON name, so any kubectl
is the whole source of facts; take the newest there is. It must be a Linux/amd64 build that is not position-independent,
as the released ones are. The result is src/windlass/apiserver/protobuf/fields.json; windlass.apiserver.protobuf.table
says how to read it. Which messages are kinds, and of which group, is taken from the OpenAPI definitions; versions that
are not stable and lists of kinds, which no client sends, are left out.
"""

import json
import re
import struct
import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from windlass.kube.definitions import kind_names

TABLE = Path(__file__).parents[1] / "src/windlass/apiserver/protobuf/fields.json"

# abi.Kind of Go's runtime; the upper bits are flags.
_KIND_MASK = 31
_SCALARS = {1: "bool", 2: "int64", 5: "int32", 6: "int64", 24: "string"}
_BYTE, _MAP, _POINTER, _SLICE, _STRUCT = 8, 21, 22, 23, 25
_UNCOMMON, _EXTRA_STAR = 1, 2

_PACKAGES = {
    "k8s.io/apimachinery/pkg/apis/meta/v1": "meta/v1",
    "k8s.io/apimachinery/pkg/api/resource": "resource",
    "k8s.io/apimachinery/pkg/runtime": "runtime",
    "k8s.io/apimachinery/pkg/util/intstr": "intstr",
}
_STABLE_PACKAGE = re.compile(r"k8s\.io/api/(\w+/v\d+)")
_DELETE_OPTIONS = "meta/v1.DeleteOptions"  # a kind of every group
_SPECIAL = {
    "meta/v1.Time": "time",
    "meta/v1.MicroTime": "microtime",
    "meta/v1.Duration": "duration",
    "meta/v1.FieldsV1": "json",
    "runtime.RawExtension": "json",
    "resource.Quantity": "quantity",
    "intstr.IntOrString": "intorstring",
}

# What Kubernetes 1.34 and 1.35 added: not needed where the kubectl is as new.
_ADDED_SINCE = {
    "core/v1.Container": ["25 restartPolicyRules []core/v1.ContainerRestartRule"],
    "core/v1.ContainerExtendedResourceRequest": [
        "1 containerName *string",
        "2 resourceName *string",
        "3 requestName *string",
    ],
    "core/v1.ContainerRestartRule": ["1 action string", "2 exitCodes *core/v1.ContainerRestartRuleOnExitCodes"],
    "core/v1.ContainerRestartRuleOnExitCodes": ["1 operator string", "2 values []int32"],
    "core/v1.EnvVarSource": ["5 fileKeyRef *core/v1.FileKeySelector"],
    "core/v1.EphemeralContainerCommon": ["25 restartPolicyRules []core/v1.ContainerRestartRule"],
    "core/v1.FileKeySelector": ["1 volumeName *string", "2 path *string", "3 key *string", "4 optional *bool"],
    "core/v1.NodeStatus": ["14 declaredFeatures []string"],
    "core/v1.PodCertificateProjection": [
        "1 signerName string",
        "2 keyType string",
        "3 maxExpirationSeconds *int32",
        "4 credentialBundlePath string",
        "5 keyPath string",
        "6 certificateChainPath string",
        "7 userAnnotations {}string",
    ],
    "core/v1.PodExtendedResourceClaimStatus": [
        "1 requestMappings []core/v1.ContainerExtendedResourceRequest",
        "2 resourceClaimName *string",
    ],
    "core/v1.PodSpec": ["41 hostnameOverride *string"],
    "core/v1.PodStatus": [
        "18 extendedResourceClaimStatus *core/v1.PodExtendedResourceClaimStatus",
        "19 allocatedResources {}quantity",
        "20 resources *core/v1.ResourceRequirements",
    ],
    "core/v1.VolumeProjection": ["6 podCertificate *core/v1.PodCertificateProjection"],
    "storage/v1.CSIDriverSpec": ["10 serviceAccountTokenInSecrets *bool"],
    "storage/v1.VolumeAttributesClass": [
        "1 metadata *meta/v1.ObjectMeta",
        "2 driverName *string",
        "3 parameters {}string",
    ],
}


class Member(NamedTuple):
    """One field of a Go struct."""

    name: str
    tags: dict[str, str]
    type: int


class GoTypes:
    """The types that a Go program's ELF file describes, each known by its address."""

    def __init__(self, data: bytes) -> None:
        if data[:5] != b"\x7fELF\x02":
            raise SystemExit("not a 64-bit ELF program")
        self.data = data
        self.base, self.offset, _ = self.sections[".rodata"]

    @cached_property
    def sections(self) -> dict[str, tuple[int, int, int]]:
        """Address, offset in the file and size of each section."""
        (headers,) = struct.unpack_from("<Q", self.data, 0x28)
        count, names_index = struct.unpack_from("<HH", self.data, 0x3C)
        rows = [struct.unpack_from("<IIQQQQ", self.data, headers + 64 * index) for index in range(count)]
        names = rows[names_index][4]
        return {
            self.data[names + row[0] : self.data.index(b"\0", names + row[0])].decode(): (row[3], row[4], row[5])
            for row in rows
        }

    def all(self) -> Iterator[int]:
        """Every type that the program lists for look-up, and what those that are pointers point to."""
        _, offset, size = self.sections[".typelink"]
        for (link,) in struct.iter_unpack("<i", self.data[offset : offset + size]):
            yield self.base + link
            if self.kind(self.base + link) == _POINTER:
                yield self.element(self.base + link)

    def _unpack(self, layout: str, address: int) -> tuple[int, ...]:
        return struct.unpack_from(layout, self.data, address - self.base + self.offset)

    def _varint(self, at: int) -> tuple[int, int]:
        value = shift = 0
        while True:
            byte = self.data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value, at

    def _name(self, address: int) -> tuple[str, str]:
        """A name and its tag."""
        at = address - self.base + self.offset
        tagged = self.data[at] & 2
        length, at = self._varint(at + 1)
        name, at = self.data[at : at + length].decode(), at + length
        if not tagged:
            return name, ""
        length, at = self._varint(at)
        return name, self.data[at : at + length].decode()

    def kind(self, address: int) -> int:
        return self._unpack("<B", address + 23)[0] & _KIND_MASK

    def element(self, address: int) -> int:
        """What a pointer, slice or map holds (a map's key comes before)."""
        return self._unpack("<Q", address + (56 if self.kind(address) == _MAP else 48))[0]

    def key(self, address: int) -> int:
        return self._unpack("<Q", address + 48)[0]

    def full_name(self, address: int) -> str:
        """Such as `k8s.io/api/core/v1.Pod`; empty for types without a package."""
        flags = self._unpack("<B", address + 20)[0]
        if not flags & _UNCOMMON:
            return ""
        name = self._name(self.base + self._unpack("<i", address + 40)[0])[0]
        size = {_STRUCT: 80, _POINTER: 56, _SLICE: 56}.get(self.kind(address), 48)
        package = self._unpack("<i", address + size)[0]
        path = self._name(self.base + package)[0] if package else ""
        return f"{path}.{name.removeprefix('*').rpartition('.')[2]}" if path else ""

    def members(self, address: int) -> Iterator[Member]:
        first, count = self._unpack("<QQ", address + 56)
        for index in range(count):
            name, type_, _ = self._unpack("<QQQ", first + 24 * index)
            text, tag = self._name(name)
            yield Member(text, dict(re.findall(r'(\w+):"([^"]*)"', tag)), type_)


def short_name(full: str) -> str:
    """`core/v1.Pod` of a stable type's name, else nothing."""
    package, _, name = full.rpartition(".")
    stable = _STABLE_PACKAGE.fullmatch(package)
    package = stable[1] if stable else _PACKAGES.get(package, "")
    return f"{package}.{name}" if package else ""


class Table:
    """The rows of every message that a kind leads to."""

    def __init__(self, go: GoTypes) -> None:
        self.go = go
        self.messages: dict[str, list[str]] = {}

    def add(self, address: int) -> str:
        """The name of a struct's message, which is added with all it refers to."""
        full = self.go.full_name(address)
        name = short_name(full)
        if not name:
            raise SystemExit(f"a message of a package that is not known: {full}")
        if name in _SPECIAL:
            return _SPECIAL[name]
        if name not in self.messages:
            rows = self.messages[name] = []
            rows += [row for member in self.go.members(address) if (row := self._row(name, member))]
            rows.sort(key=lambda row: int(row.partition(" ")[0]))
        return name

    def _row(self, owner: str, member: Member) -> str:
        tag = member.tags.get("protobuf", "-").split(",")
        if tag == ["-"]:
            return ""
        json_name, *options = member.tags["json"].split(",")
        if "inline" in options or not json_name:
            return f"{tag[1]} + {self.add(member.type)}"
        try:
            prefix, type_ = self._shape(member.type, repeated=tag[2] == "rep")
        except LookupError as error:
            raise SystemExit(f"{owner}.{member.name} is of a Go kind that is not known: {error}") from error
        dropped_when_zero = "omitempty" in options and type_ in {*_SCALARS.values(), "bytes", "strings"}
        if not prefix and not dropped_when_zero:
            prefix = "*"
        return f"{tag[1]} {json_name} {prefix}{type_}"

    def _shape(self, address: int, *, repeated: bool) -> tuple[str, str]:
        kind = self.go.kind(address)
        if kind == _POINTER:
            return "*", self._single(self.go.element(address))
        if kind == _MAP:
            if self.go.kind(self.go.key(address)) not in _SCALARS:
                raise LookupError("map key")
            return "{}", self._single(self.go.element(address))
        # Named slices such as ExtraValue are messages of their own; a few unnamed ones lack "rep" by mistake.
        is_list = repeated or not self.go.full_name(address)
        if kind == _SLICE and is_list and self.go.kind(self.go.element(address)) != _BYTE:
            return "[]", self._single(self.go.element(address))
        return "", self._single(address)

    def _single(self, address: int) -> str:
        kind = self.go.kind(address)
        if kind == _STRUCT:
            return self.add(address)
        if kind == _POINTER:
            return self._single(self.go.element(address))
        if kind == _SLICE:
            element = self.go.kind(self.go.element(address))
            return "bytes" if element == _BYTE else {"string": "strings"}[_SCALARS[element]]
        return _SCALARS[kind]


def kinds() -> dict[str, str]:
    """The message of each stable kind, by its apiVersion and kind."""
    found: dict[str, str] = {}
    for (group, version, kind), definition in kind_names().items():
        package, _, name = definition.removeprefix("io.k8s.api.").rpartition(".")
        if re.fullmatch(r"\w+\.v\d+", package) and not kind.endswith("List"):
            found[f"{group}/{version} {kind}".lstrip("/")] = f"{package.replace('.', '/')}.{name}"
    return found


def table(program: bytes) -> dict[str, dict[str, Any]]:
    go = GoTypes(program)
    found: dict[str, int] = {}
    for address in go.all():
        if go.kind(address) == _STRUCT and (name := short_name(go.full_name(address))):
            found[name] = address
    sent = {kind: message for kind, message in sorted(kinds().items()) if message in {*found, *_ADDED_SINCE}}
    rows = Table(go)
    for message in (_DELETE_OPTIONS, *sent.values()):
        if message in found:
            rows.add(found[message])
    for message, added in _ADDED_SINCE.items():
        known = rows.messages.setdefault(message, [])
        known += [row for row in added if row not in known]
    return {"kinds": sent, "messages": dict(sorted(rows.messages.items()))}


def printed(result: dict[str, dict[str, Any]]) -> str:
    """JSON with one kind or message a line, so that a newer table's changes can be read."""
    parts = [
        f"{json.dumps(part)}: {{\n"
        + ",\n".join(f"{json.dumps(key)}: {json.dumps(entries[key])}" for key in entries)
        + "\n}"
        for part, entries in result.items()
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(f"usage: {sys.argv[0]} <path of a kubectl>")
    result = table(Path(sys.argv[1]).read_bytes())
    TABLE.write_text(printed(result))
    sys.stdout.write(f"{TABLE}: {TABLE.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
