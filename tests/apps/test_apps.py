"""The definitions that Windlass brings: each of them keeps the rules of a server."""

from typing import Any

import pytest

from windlass.apiserver.crds.definition import CrdStrategy
from windlass.apiserver.crds.structural import Structural
from windlass.apps import definitions
from windlass.apps.trainer.runtimes import runtimes
from windlass.kube.json import encode

CRDS: dict[str, Any] = {definition["metadata"]["name"]: definition for definition in definitions()}


@pytest.mark.parametrize("name", CRDS)
def test_a_definition_breaks_no_rule(name: str) -> None:
    assert CrdStrategy().validate(CRDS[name]) == []


@pytest.mark.parametrize("name", CRDS)
def test_a_definition_has_all_that_a_server_would_fill_in(name: str) -> None:
    defaulted = {**CRDS[name], "spec": dict(CRDS[name]["spec"])}
    CrdStrategy().default(defaulted)

    assert defaulted == CRDS[name]


@pytest.mark.parametrize("name", CRDS)
def test_a_definition_is_small_enough_for_clients_to_apply(name: str) -> None:
    assert len(encode(CRDS[name])) < 256 * 1024


@pytest.mark.parametrize("runtime", runtimes(), ids=lambda runtime: runtime["metadata"]["name"])
def test_a_runtime_breaks_no_rule_of_its_definition(runtime: Any) -> None:
    [version] = CRDS["clustertrainingruntimes.trainer.kubeflow.org"]["spec"]["versions"]
    schema = Structural(version["schema"]["openAPIV3Schema"])

    assert schema.validate(runtime) == []
