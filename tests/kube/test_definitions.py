from pathlib import Path

import pytest

from windlass.kube import definitions


def test_every_definition_can_be_decoded() -> None:
    for name in definitions.names():
        assert isinstance(definitions.definition(name), dict)


@pytest.mark.parametrize(
    ("group", "version", "kind", "name"),
    [
        ("", "v1", "Pod", "io.k8s.api.core.v1.Pod"),
        ("apps", "v1", "Deployment", "io.k8s.api.apps.v1.Deployment"),
        (
            "apiextensions.k8s.io",
            "v1",
            "CustomResourceDefinition",
            "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
        ),
        ("policy", "v1", "Eviction", "io.k8s.api.policy.v1.Eviction"),
    ],
)
def test_a_kind_leads_to_its_definition(group: str, version: str, kind: str, name: str) -> None:
    assert definitions.kind_names()[group, version, kind] == name


def test_a_type_that_many_kinds_share_is_nobodys_own() -> None:
    assert ("apps", "v1", "DeleteOptions") not in definitions.kind_names()


def test_a_list_key_that_has_a_default_says_so() -> None:
    port = definitions.definition("io.k8s.api.core.v1.ContainerPort")

    assert port["properties"]["protocol"]["default"] == "TCP"


def test_a_definition_is_the_callers_own() -> None:
    definitions.definition("io.k8s.api.core.v1.Pod").clear()

    assert definitions.definition("io.k8s.api.core.v1.Pod")


def test_a_schema_is_built_once_and_follows_references() -> None:
    pod = definitions.schema_of("io.k8s.api.core.v1.Pod")

    assert definitions.schema_of("io.k8s.api.core.v1.Pod") is pod
    assert pod.properties["spec"].properties["containers"].list_keys == ("name",)


def test_definitions_that_the_build_did_not_write_say_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(definitions, "FILE", tmp_path / "kubernetes_definitions.json")
    definitions.release()

    with pytest.raises(RuntimeError, match="install Windlass again"):
        definitions.names()
