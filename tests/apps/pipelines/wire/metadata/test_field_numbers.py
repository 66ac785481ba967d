"""The declared messages against those of the package ml-metadata itself."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.training.sdk_environment import run_story, sdk_python
from windlass.apps.pipelines.wire.metadata.methods import READS, WRITES
from windlass.formats.protobuf_messages import (
    BOOL,
    DOUBLE,
    INT64,
    STRING,
    EnumOf,
    ListOf,
    MapOf,
    Message,
    Scalar,
    Single,
)

PRINTED = Path(__file__).with_name("upstream_descriptors.py")
KINDS = {1: DOUBLE, 3: INT64, 5: INT64, 8: BOOL, 9: STRING}
"""The numbers of descriptor.proto."""


@pytest.fixture(scope="module")
def upstream() -> Any:
    return run_story(sdk_python("ml-metadata==1.17.1"), PRINTED, (), 120)


def test_every_method_is_known(upstream: Any) -> None:
    assert READS.keys() | WRITES | {"GetLineageGraph"} == upstream.keys()


@pytest.mark.parametrize("method", READS)
def test_fields_have_upstreams_numbers_and_types(upstream: Any, method: str) -> None:
    for declared, described in zip((READS[method].request, READS[method].response), upstream[method], strict=True):
        check(declared, described, method)


def check(declared: Message, described: Any, path: str) -> None:
    for name, (number, type) in declared.fields.items():
        where = f"{path}.{name}"
        field = described[name]
        assert field["number"] == number, where
        assert field["is_list"] == isinstance(type, ListOf | MapOf), where
        check_type(
            type.entry if isinstance(type, MapOf) else type.item if isinstance(type, ListOf) else type, field, where
        )


def check_type(type: Single, field: Any, where: str) -> None:
    match type:
        case Scalar():
            assert KINDS[field["type"]] is type, where
        case EnumOf(names, _):
            assert {int(number): name for number, name in field["names"].items()} == dict(enumerate(names)), where
        case Message():
            if field["message"] is not None:  # deeper than is printed: structs contain themselves
                check(type, field["message"], where)
