import pytest

from tests.apiserver.tables.builders import NOW, an_object
from windlass.apiserver.tables import columns_for
from windlass.apiserver.tables.render import (
    Include,
    encode_table,
    partial_object_metadata_list,
    table,
)
from windlass.kube.json import decode

PODS = [
    an_object("a", apiVersion="v1", kind="Pod", spec={"containers": [{}]}, status={"phase": "Running"}),
    an_object("b", apiVersion="v1", kind="Pod", spec={"containers": [{}]}, status={"phase": "Succeeded"}),
]
COLUMNS = columns_for("", "Pod")


def test_a_table_has_a_definition_per_column_and_a_row_per_object() -> None:
    made = table(COLUMNS, PODS, now=NOW, list_metadata={"resourceVersion": "7", "continue": "x"})

    assert (made["kind"], made["apiVersion"]) == ("Table", "meta.k8s.io/v1")
    assert made["metadata"] == {"resourceVersion": "7", "continue": "x"}
    assert made["columnDefinitions"][0] == {
        "name": "Name",
        "type": "string",
        "format": "name",
        "description": COLUMNS[0].description,
        "priority": 0,
    }
    assert [len(row["cells"]) for row in made["rows"]] == [len(made["columnDefinitions"])] * 2


@pytest.mark.parametrize("include", ["Metadata", "Object", "None"])
def test_a_row_carries_as_much_of_its_object_as_was_asked_for(include: Include) -> None:
    expected = {
        "Metadata": {
            "kind": "PartialObjectMetadata",
            "apiVersion": "meta.k8s.io/v1",
            "metadata": PODS[0]["metadata"],
        },
        "Object": PODS[0],
        "None": None,
    }

    assert table(COLUMNS, PODS, now=NOW, include=include)["rows"][0]["object"] == expected[include]


def test_the_row_of_a_completed_pod_says_so() -> None:
    running, completed = table(COLUMNS, PODS, now=NOW)["rows"]

    assert "conditions" not in running
    assert completed["conditions"] == [
        {
            "type": "Completed",
            "status": "True",
            "reason": "Succeeded",
            "message": "The pod has completed successfully.",
        }
    ]


def test_later_events_of_a_watch_carry_no_headers() -> None:
    assert table(COLUMNS, PODS, now=NOW, no_headers=True)["columnDefinitions"] is None


@pytest.mark.parametrize("include", ["Metadata", "Object", "None"])
@pytest.mark.parametrize("no_headers", [True, False])
def test_the_encoded_table_is_the_table(include: Include, no_headers: bool) -> None:
    pieces = encode_table(COLUMNS, iter(PODS), now=NOW, include=include, no_headers=no_headers, rows_at_once=1)
    encoded = b"".join(pieces)

    assert decode(encoded) == table(COLUMNS, PODS, now=NOW, include=include, no_headers=no_headers)


def test_an_empty_table_still_has_its_headers() -> None:
    assert decode(b"".join(encode_table(COLUMNS, (), now=NOW))) == table(COLUMNS, (), now=NOW)


def test_a_list_of_metadata_has_nothing_else() -> None:
    made = partial_object_metadata_list(PODS, list_metadata={"resourceVersion": "7"})

    assert made["kind"] == "PartialObjectMetadataList"
    assert [set(item) for item in made["items"]] == [{"kind", "apiVersion", "metadata"}] * 2
