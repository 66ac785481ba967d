"""The dashboard's types are those of the structs."""

import importlib.util
from types import ModuleType
from typing import Any, Literal

import msgspec
import pytest

from .pages import ROOT


@pytest.fixture(scope="module")
def ui_types() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ui_types", ROOT / "tools" / "ui_types.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_committed_types_are_up_to_date(ui_types: ModuleType) -> None:
    assert ui_types.TARGET.read_text() == ui_types.generated(), "run .venv/bin/python tools/ui_types.py"


class Inner(msgspec.Struct, rename="camel", omit_defaults=True, tag_field="type", tag=True):
    some_words: list[str] = []
    word: Literal["a", "b"] = "a"
    other: "Inner | None" = None


class Outer(msgspec.Struct, rename="camel"):
    inner: Inner | None
    by_name: dict[str, tuple[int | str, ...]]
    anything: Any = None


def test_fields_are_optional_only_where_they_may_be_left_out(ui_types: ModuleType) -> None:
    types = ui_types.Types()
    types.name(Outer)

    assert list(types) == [
        "export interface Outer {\n  inner: Inner | null;\n  byName: Record<string, (number | string)[]>;\n"
        "  anything: unknown;\n}\n",
        'export interface Inner {\n  type: "Inner";\n  someWords?: string[];\n  word?: "a" | "b";\n'
        "  other?: Inner;\n}\n",
    ]
