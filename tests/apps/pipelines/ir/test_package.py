"""Uploads: formats, several documents, and texts that are no pipelines."""

import contextlib
import json
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.apps.pipelines.specs import PLAIN, dag, pipeline, task
from windlass.apps.pipelines.ir.errors import InvalidPipeline
from windlass.apps.pipelines.ir.package import inline_package, read_package

SPEC = pipeline(dag({"a": task("plain")}), plain=PLAIN)
PLATFORM = {"platforms": {"kubernetes": {"deploymentSpec": {"executors": {}}}}}
WORKFLOW = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "metadata": {"generateName": "hello-"}}
BOMB = "b0: &b0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"b{n + 1}: &b{n + 1} [{','.join([f'*b{n}'] * 10)}]\n" for n in range(8)
)
"""A few lines that mean a billion items."""


@pytest.mark.parametrize("text", [yaml.safe_dump(SPEC), json.dumps(SPEC), json.dumps(SPEC).encode()])
def test_a_specification_is_read_from_yaml_and_json(text: str | bytes) -> None:
    package = read_package(text)

    assert package.pipeline_spec == SPEC
    assert (package.platform_spec, package.workflow, package.name) == ({}, None, "example")


@pytest.mark.parametrize("documents", [[SPEC, PLATFORM], [PLATFORM, SPEC], [None, SPEC, PLATFORM]])
def test_the_platform_document_may_stand_before_or_after(documents: list[Any]) -> None:
    package = read_package(yaml.safe_dump_all(documents))

    assert package.pipeline_spec == SPEC
    assert package.platform_spec == PLATFORM


def test_an_argo_workflow_is_recognized_by_group_and_kind() -> None:
    package = read_package(yaml.safe_dump(WORKFLOW))

    assert package.workflow == WORKFLOW
    assert package.name == "hello"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "unknown template format"),
        ("42", "unknown template format"),
        ("[1, 2]", "unknown template format"),
        ("apiVersion: v1\nkind: Pod", "unknown template format"),
        ("apiVersion: argoproj.io/v1alpha1\nkind: CronWorkflow", "unknown template format"),
        (yaml.safe_dump(PLATFORM), "unknown template format"),
        (yaml.safe_dump({"pipelineInfo": {"name": "x"}}), "unknown template format"),
        (yaml.safe_dump_all([SPEC, SPEC]), "at most one"),
        (yaml.safe_dump_all([SPEC, PLATFORM, PLATFORM]), "at most one"),
        (yaml.safe_dump_all([WORKFLOW, SPEC]), "only document"),
        ("a: [", "not YAML"),
        ("\x00", "not YAML"),
        ("&a [*a]", "not YAML"),
        ("a: !!python/object:os.system x", "not YAML"),
        ("{? [1]: 2}", "not YAML"),
        (b"\xff\xfe\x00", "not YAML"),
        ("[" * 3000, "not YAML"),
        (BOMB, "aliasing"),
    ],
)
def test_other_texts_are_refused(text: str | bytes, message: str) -> None:
    with pytest.raises(InvalidPipeline, match=message):
        read_package(text)


@pytest.mark.parametrize(
    "document",
    [
        SPEC,
        {"pipeline_spec": SPEC},
        {"pipelineSpec": SPEC},
        {"pipeline_spec": SPEC, "platform_spec": {}},
        {"pipeline_spec": SPEC, "platform_spec": None},
    ],
)
def test_an_inline_specification_may_be_bare_or_under_its_name(document: dict[str, Any]) -> None:
    assert inline_package(document).pipeline_spec == SPEC


@pytest.mark.parametrize("depth", [101, 100_000])
def test_values_that_are_nested_too_deeply_are_refused(depth: int) -> None:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    deep = pipeline(dag({"a": task("plain", x=value)}), plain=PLAIN)

    with pytest.raises(InvalidPipeline, match="more than 100"):
        inline_package(deep)
    with pytest.raises(InvalidPipeline, match="more than 100"):
        inline_package({"pipeline_spec": SPEC, "platform_spec": {"platforms": {"kubernetes": value}}})


def test_an_inline_specification_keeps_its_platform_document() -> None:
    assert inline_package({"pipeline_spec": SPEC, "platform_spec": PLATFORM}).platform_spec == PLATFORM


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 10) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def places(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    if isinstance(document, dict):
        for key, value in document.items():
            found += places(value, (*path, key))
    elif isinstance(document, list):
        for index, value in enumerate(document):
            found += places(value, (*path, index))
    return found


def replaced(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copy = dict(document) if isinstance(document, dict) else list(document)
    copy[path[0]] = replaced(document[path[0]], path[1:], value)
    return copy


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_value_in_any_place_makes_the_reader_crash(data: st.DataObject) -> None:
    spec = pipeline(
        dag({"a": task("plain"), "b": task("inner", after=("a",), x="1")}, inputs={"p": "LIST"}),
        plain=PLAIN,
        inner=dag({"c": task("plain")}, inputs={"x": "STRING"}),
    )
    path = data.draw(st.sampled_from(places(spec)))
    document = replaced(spec, path, data.draw(JSON))

    with contextlib.suppress(InvalidPipeline):
        inline_package(document) if isinstance(document, dict) else read_package(json.dumps(document))
