"""ConfigMaps and Secrets: keys, sizes, types, and what `immutable` forbids."""

from typing import Any

import pytest

from tests.apiserver.builtin.kinds_builders import an, base64, causes_of, changed, defaulted, update_causes
from windlass.kube.errors import BadRequest
from windlass.kube.json import Object

FROZEN = "Forbidden: field is immutable when `immutable` is set"


def a_config_map(**fields: Any) -> Object:
    return an("v1", "ConfigMap", **fields)


def a_secret(**fields: Any) -> Object:
    return an("v1", "Secret", **fields)


def test_string_data_is_folded_into_data() -> None:
    made = defaulted(a_secret(data={"a": base64("old"), "b": base64("kept")}, stringData={"a": "new"}))

    assert made["data"] == {"a": base64("new"), "b": base64("kept")}
    assert made["type"] == "Opaque"
    assert "stringData" not in made


def test_a_bad_key_is_refused() -> None:
    [(field, message)] = causes_of(a_config_map(data={"a b": "c"}))

    assert field == "data[a b]"
    assert message.startswith('Invalid value: "a b": a valid config key must consist of alphanumeric characters')


def test_a_key_may_be_text_or_bytes_and_not_both() -> None:
    causes = causes_of(a_config_map(data={"a": "b"}, binaryData={"a": base64("c")}))

    assert causes == [("data[a]", 'Invalid value: "a": duplicate of key present in binaryData')]


@pytest.mark.parametrize(
    ("obj", "field"),
    [(a_config_map(data={"a": "x" * 1048577}), "[]"), (a_secret(stringData={"a": "x" * 1048577}), "data")],
)
def test_more_than_a_mebibyte_is_too_long(obj: Object, field: str) -> None:
    assert causes_of(obj) == [(field, "Too long: may not be more than 1048576 bytes")]


def test_a_secret_that_is_not_base64_cannot_be_read() -> None:
    with pytest.raises(BadRequest, match="illegal base64 data at input byte 3"):
        causes_of(a_secret(data={"a": "abc!"}))


@pytest.mark.parametrize(
    ("kind", "data", "fields"),
    [
        ("kubernetes.io/tls", {"tls.crt": ""}, ["data[tls.key]"]),
        ("kubernetes.io/tls", {}, ["data[tls.crt]", "data[tls.key]"]),
        ("kubernetes.io/dockerconfigjson", {}, ["data[.dockerconfigjson]"]),
        ("kubernetes.io/dockercfg", {}, ["data[.dockercfg]"]),
        ("kubernetes.io/ssh-auth", {}, ["data[ssh-privatekey]"]),
        ("kubernetes.io/basic-auth", {}, ["data[username]", "data[password]"]),
        ("kubernetes.io/basic-auth", {"username": ""}, []),
        ("kubernetes.io/service-account-token", {}, ["metadata.annotations[kubernetes.io/service-account.name]"]),
        ("example.com/any", {}, []),
    ],
)
def test_a_type_of_secret_needs_its_keys(kind: str, data: Object, fields: list[str]) -> None:
    assert causes_of(a_secret(type=kind, data=data)) == [(field, "Required value") for field in fields]


def test_a_docker_config_must_be_json() -> None:
    [(field, message)] = causes_of(
        a_secret(type="kubernetes.io/dockerconfigjson", stringData={".dockerconfigjson": "{"})
    )

    assert field == "data[.dockerconfigjson]"
    assert message.startswith('Invalid value: "<secret contents redacted>": ')


def test_the_type_of_a_secret_may_not_change() -> None:
    causes = update_causes(a_secret(type="b/c"), a_secret(type="a/b"))

    assert causes == [("type", 'Invalid value: "b/c": field is immutable')]


@pytest.mark.parametrize(
    ("path", "value", "fields"),
    [
        ("data", {"a": base64("other")}, ["data"]),
        ("immutable", False, ["immutable"]),
        ("metadata.labels", {"a": "b"}, []),
    ],
)
@pytest.mark.parametrize("kind", ["ConfigMap", "Secret"])
def test_what_is_immutable_stays(kind: str, path: str, value: Any, fields: list[str]) -> None:
    old = an("v1", kind, data={"a": base64("b")}, immutable=True)

    assert update_causes(changed(old, path, value), old) == [(field, FROZEN) for field in fields]
