"""Reads what was written with a small reader of its own: fields by number, as the protocol buffers wire format has
them."""

import struct
from collections import defaultdict

import pytest

from tests.apiserver.openapi.builders import a_thing
from windlass.apiserver.builtin import RESOURCES
from windlass.apiserver.openapi import protobuf, v2
from windlass.apiserver.resources import Registry
from windlass.kube.json import Object, decode


class Message:
    def __init__(self, data: bytes) -> None:
        self.fields: dict[int, list[bytes | int | float]] = defaultdict(list)
        position = 0
        while position < len(data):
            tag, position = self._varint(data, position)
            if tag & 7 == 0:
                value, position = self._varint(data, position)
                self.fields[tag >> 3].append(value)
            elif tag & 7 == 1:
                self.fields[tag >> 3].append(struct.unpack_from("<d", data, position)[0])
                position += 8
            else:
                assert tag & 7 == 2
                length, position = self._varint(data, position)
                self.fields[tag >> 3].append(data[position : position + length])
                position += length
        assert position == len(data)

    @staticmethod
    def _varint(data: bytes, position: int) -> tuple[int, int]:
        value = shift = 0
        while True:
            byte = data[position]
            value |= (byte & 0x7F) << shift
            position, shift = position + 1, shift + 7
            if byte < 0x80:
                return value, position

    def messages(self, field: int) -> list["Message"]:
        return [Message(value) for value in self.fields[field] if isinstance(value, bytes)]

    def message(self, *path: int) -> "Message":
        found = self
        for field in path:
            (found,) = found.messages(field)
        return found

    def text(self, field: int) -> str:
        (value,) = self.fields[field] or [b""]
        assert isinstance(value, bytes)
        return value.decode()

    def named(self, field: int) -> dict[str, "Message"]:
        return {pair.text(1): pair.message(2) for pair in self.messages(field)}


@pytest.fixture(scope="module")
def written() -> tuple[Object, Message]:
    content = v2.document(Registry([*RESOURCES, a_thing()]))
    return content, Message(protobuf.document(content))


def test_all_paths_and_definitions_are_written(written: tuple[Object, Message]) -> None:
    content, message = written

    assert message.text(1) == "2.0"
    assert list(message.message(8).named(2)) == list(content["paths"])
    assert list(message.message(9).named(1)) == list(content["definitions"])


def test_a_schema_keeps_its_type_fields_references_and_extensions(written: tuple[Object, Message]) -> None:
    definitions = written[1].message(9).named(1)
    pod, spec = definitions["io.k8s.api.core.v1.Pod"], definitions["io.k8s.api.core.v1.PodSpec"]

    assert pod.message(22).text(1) == "object"
    assert pod.message(25).named(1)["spec"].text(1) == "#/definitions/io.k8s.api.core.v1.PodSpec"
    tag = pod.named(31)["x-kubernetes-group-version-kind"].text(2)
    assert decode(tag) == [{"group": "", "kind": "Pod", "version": "v1"}]
    assert spec.fields[19] == [b"containers"]
    containers = spec.message(25).named(1)["containers"]
    assert containers.message(23, 1).text(1) == "#/definitions/io.k8s.api.core.v1.Container"
    assert decode(containers.named(31)["x-kubernetes-patch-merge-key"].text(2)) == "name"


def test_limits_and_maps_of_a_custom_kind_are_written(written: tuple[Object, Message]) -> None:
    thing = written[1].message(9).named(1)["org.example.v1.Thing"]
    spec = thing.message(25).named(1)["spec"].message(25).named(1)

    assert spec["size"].fields[9] == [1.0]
    assert spec["map"].message(21, 1).message(23, 1, 22).text(1) == "string"


def test_an_operation_keeps_its_parameters_and_kind(written: tuple[Object, Message]) -> None:
    path = "/apis/example.org/v1/namespaces/{namespace}/things/{name}"
    item = written[1].message(8).named(2)[path]
    patch = item.message(8)

    queries = [p.message(1, 2, 3).text(4) for p in patch.messages(8) if 2 in p.message(1).fields]
    assert queries == ["dryRun", "fieldManager", "fieldValidation", "force"]
    assert decode(patch.named(13)["x-kubernetes-group-version-kind"].text(2))["kind"] == "Thing"
    assert patch.message(9).named(1)["200"].message(1).text(1) == "OK"
    assert [p.message(1, 2, 4).text(4) for p in item.messages(9)[:2]] == ["name", "namespace"]
