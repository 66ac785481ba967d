"""Write the dashboard's types of kinds, reasons and views from the structs that declare them.

    .venv/bin/python tools/ui_types.py

The result, ui/src/kinds/generated.ts, is committed; a test fails when it is out of date. Names are those on the wire. A
field that may be left out is optional. Where two structs have the same name, the later one gets a prefix.
"""

import datetime
import enum
import importlib
import json
import pkgutil
import types
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import msgspec

import windlass.apis
from windlass import apps
from windlass.apis import reasons
from windlass.gateway.views import parts
from windlass.gateway.views.all_views import BODIES, VIEWS
from windlass.kube import meta
from windlass.kube.kind import KINDS, Kind

TARGET = Path(__file__).parents[1] / "ui/src/kinds/generated.ts"
HEADER = "// Made by tools/ui_types.py from the structs of windlass.apis and windlass.gateway.views. Do not edit.\n"
STORED = """/** Metadata of an object that the server has stored. */
export type StoredMeta = ObjectMeta & { name: string; uid: string; resourceVersion: string; creationTimestamp: string };
"""
KIND_INFO = """/** Where a kind is served. */
export interface KindInfo {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
}
"""

FIRST = (
    "core_v1",
    "apps_v1",
    "batch_v1",
    "kubeflow.org/v1",
    "scheduling_volcano_v1beta1",
    "trainer.kubeflow.org/v1alpha1",
    "mpi",
)
"""Places of kinds, as `_place` names them, whose structs keep their names in any case."""
PREFIXES: Mapping[str, str] = {
    "apiextensions_v1": "Crd",
    "autoscaling_v2": "Autoscaling",
    "batch": "Volcano",
    "bus": "VolcanoBus",
    "jobset": "JobSet",
    "mpi_v2beta1": "V2beta1",
    "networking_istio_v1alpha3": "Istio",
    "scheduling_coscheduling_v1alpha1": "Coscheduling",
    "scheduling_kube_batch_v1alpha1": "KubeBatch",
    "security_istio_v1beta1": "IstioSecurity",
    "topology_volcano_v1alpha1": "Topology",
    "trainer": "TrainerV1alpha1",
}
TOPICS = ("jobs", "job", "queues", "timeline", "home", "cluster")
"""Topics whose structs are written before those of others, which follow in the order of apps."""
SCALARS: Mapping[Any, str] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    bytes: "string",
    datetime.datetime: "string",
    None: "null",
    type(None): "null",
    Any: "unknown",
    object: "unknown",
    msgspec.Raw: "unknown",
}


class Types:
    """The TypeScript types of structs, each declared once, in the order in which they were first asked for."""

    def __init__(self) -> None:
        self._names: dict[type, str] = {}
        self._taken: dict[str, type] = {}
        self._declared: dict[str, str] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._declared.values())

    def reserve(self, struct: Any) -> None:
        """Give a struct its name before others that have the same."""
        if struct not in self._names:
            name = self._free_name(struct)
            self._names[struct], self._taken[name] = name, struct

    def name(self, struct: Any) -> str:
        """The name of a struct's interface, which is declared with all that it needs."""
        self.reserve(struct)
        name = self._names[struct]
        if name not in self._declared:
            self._declared[name] = ""  # it may need itself
            self._declared[name] = self._interface(name, struct)
        return name

    def _free_name(self, struct: type) -> str:
        name, module = struct.__name__.lstrip("_"), struct.__module__.removesuffix(".kinds").rpartition(".")[2]
        if name not in self._taken:
            return name
        prefix = PREFIXES.get(module) or "".join(word.capitalize() for word in module.split("_"))
        assert f"{prefix}{name}" not in self._taken, f"{struct} needs a name of its own: add it to PREFIXES"
        return f"{prefix}{name}"

    def _interface(self, name: str, struct: Any) -> str:
        lines = [self._comment(struct), f"export interface {name} {{"]
        kind = next((kind for kind in KINDS if kind.struct is struct), None)
        config = struct.__struct_config__
        if kind is not None:
            lines += [f"  apiVersion: {json.dumps(kind.api_version)};", f"  kind: {json.dumps(kind.name)};"]
            lines.append("  metadata: StoredMeta;")
        elif config.tag is not None:
            lines.append(f"  {config.tag_field or 'type'}: {json.dumps(config.tag)};")
        for field in msgspec.structs.fields(struct):
            if kind is None or field.encode_name != "metadata":
                lines.append(self._field(field, is_left_out=config.omit_defaults and not field.required))
        return "\n".join(line for line in [*lines, "}\n"] if line)

    def _comment(self, struct: type) -> str:
        first = (struct.__doc__ or "").strip().partition("\n")[0]
        return f"/** {first} */" if first and not first.startswith(f"{struct.__name__}(") else ""

    def _field(self, field: msgspec.structs.FieldInfo, *, is_left_out: bool) -> str:
        optional = field.type
        if is_left_out and field.default is None:
            rest = tuple(each for each in get_args(optional) if each is not type(None))
            optional = Union[rest] if rest and type(None) in get_args(optional) else optional  # noqa: UP007
        name = field.encode_name if field.encode_name.isidentifier() else json.dumps(field.encode_name)
        return f"  {name}{'?' if is_left_out else ''}: {self.of(optional)};"

    def of(self, hint: Any) -> str:
        """A Python type as TypeScript writes it."""
        if isinstance(hint, TypeVar):
            return "unknown"
        if hint in SCALARS:
            return SCALARS[hint]
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return self.of(arguments[0])
        if origin is Literal:
            return " | ".join(json.dumps(each) for each in arguments)
        if origin in (Union, types.UnionType):
            return " | ".join(dict.fromkeys(self.of(each) for each in arguments if each is not msgspec.UnsetType))
        return self._container(hint, origin or hint, arguments)

    def _container(self, hint: Any, origin: Any, arguments: tuple[Any, ...]) -> str:
        if not isinstance(origin, type):
            raise TypeError(f"{hint} has no type in TypeScript")
        if issubclass(origin, msgspec.Struct):
            return self.name(origin)
        if issubclass(origin, enum.Enum):
            return " | ".join(json.dumps(each.value) for each in origin)
        if issubclass(origin, Mapping):
            return f"Record<string, {self.of(arguments[1]) if arguments else 'unknown'}>"
        if issubclass(origin, Sequence | frozenset | set):
            item = self.of(arguments[0]) if arguments else "unknown"
            return f"({item})[]" if "|" in item else f"{item}[]"
        raise TypeError(f"{hint} has no type in TypeScript")


def declared_kinds() -> list[Kind]:
    """Every kind of windlass.apis and of the apps."""
    apps.definitions()
    for module in pkgutil.walk_packages(windlass.apis.__path__, "windlass.apis."):
        importlib.import_module(module.name)
    return sorted((kind for kind in KINDS if _is_ours(kind)), key=_order)


def _is_ours(kind: Kind) -> bool:
    return kind.struct is not None and kind.struct.__module__.startswith(("windlass.apis.", "windlass.apps."))


def _order(kind: Kind) -> tuple[int, str, str]:
    place = _place(kind)
    return (FIRST.index(place) if place in FIRST else len(FIRST), place, kind.name)


def _place(kind: Kind) -> str:
    """The module of the struct, or the API version of a kind that is in an app's `kinds`."""
    path = kind.struct.__module__.split(".") if kind.struct else [""]
    return kind.api_version if "kinds" in path else path[-1]


def generated() -> str:
    found, kinds = Types(), declared_kinds()
    found.name(meta.ObjectMeta)
    for kind in kinds:
        if kind.struct is not None:
            found.reserve(kind.struct)
    names = {found.name(kind.struct): kind for kind in kinds if kind.struct is not None}
    unions = aliases(found)
    views = sorted(VIEWS.values(), key=lambda view: TOPICS.index(view.name) if view.name in TOPICS else len(TOPICS))
    topics = "".join(f"  {view.name}: {found.name(view.value)};\n" for view in views)
    params = "".join(f"  {view.name}: {found.name(view.params)};\n" for view in views)
    for body in BODIES:
        found.name(body)
    sections = [
        HEADER,
        KIND_INFO,
        STORED,
        *found,
        *unions,
        f"/** The type of each kind in `KINDS`. */\nexport interface KindTypes {{\n"
        f"{''.join(f'  {name}: {name};{chr(10)}' for name in names)}}}\n",
        f"/** The value of each computed topic. */\nexport interface Topics {{\n{topics}}}\n",
        *(
            [f"/** What a page says of each computed topic. */\nexport interface TopicParams {{\n{params}}}\n"]
            if params
            else []
        ),
        "export const KINDS = {\n"
        + "".join(f"  {name}: {_info(kind)},\n" for name, kind in names.items())
        + "} as const satisfies Record<keyof KindTypes, KindInfo>;\n",
    ]
    return "\n".join(sections)


def aliases(found: Types) -> list[str]:
    """Unions of reasons, which their tags discriminate, and sets of words."""
    declared: list[str] = []
    for module in (reasons, parts):
        for name, value in vars(module).items():
            is_union = get_origin(value) in (Union, types.UnionType, Literal)
            if is_union and not name.startswith("_") and value not in (object, None):
                text = f"export type {name} = {found.of(value)};\n"
                if text not in declared:
                    declared.append(text)
    return declared


def _info(kind: Kind) -> str:
    facts = {
        "group": kind.group,
        "version": kind.version,
        "resource": kind.plural,
        "kind": kind.name,
        "namespaced": kind.namespaced,
        "shortNames": list(kind.short),
    }
    return "{ " + ", ".join(f"{name}: {json.dumps(value)}" for name, value in facts.items()) + " }"


if __name__ == "__main__":
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(generated())
