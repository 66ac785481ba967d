"""Every entrance of every app says all that the gateway's proxy asks of it."""

from typing import Any

import msgspec
import pytest

from windlass.apis.app import App, Cause, Entrance
from windlass.apps import all_apps, entrances
from windlass.gateway.proxy.entrances.lookup import entrance_at
from windlass.gateway.proxy.entrances.not_ready import sentence
from windlass.gateway.proxy.entrances.use_recorder import recorder_named
from windlass.gateway.proxy.routing.routes import RESERVED_PREFIXES
from windlass.gateway.tokens.access_tokens import SCOPES
from windlass.kube.kind import READ_WRITE

EACH = pytest.mark.parametrize("entrance", entrances(), ids=lambda entrance: entrance.prefix)
SPECS = {"tensorboards": {"logspath": "pvc://data"}, "pvcviewers": {"pvc": "data"}}
"""Required fields of kinds, by the resource."""


def an_object(entrance: Entrance) -> Any:
    body = {"metadata": {"name": "one", "namespace": "ml"}, "spec": SPECS.get(entrance.declared.plural, {})}
    return msgspec.convert(body, entrance.kind)


@EACH
def test_its_reason_for_a_server_that_is_not_ready_is_a_sentence(entrance: Entrance) -> None:
    cause = entrance.why_not_ready(an_object(entrance))

    assert cause is None or (isinstance(cause, Cause) and sentence(cause))


def test_the_entrances_are_those_that_apps_declare() -> None:
    assert entrances() == tuple(entrance for app in all_apps() for entrance in app.entrances)


def test_an_entrance_without_a_reason_is_refused() -> None:
    declared: Any = {"prefix": "models", "kind": entrances()[0].kind, "enter": "get"}

    with pytest.raises(TypeError, match="why_not_ready"):
        Entrance(**declared)


@pytest.mark.parametrize("app", [app for app in all_apps() if app.entrances], ids=lambda app: app.name)
def test_its_kind_is_of_its_app(app: App) -> None:
    own = {(crd["spec"]["group"], crd["spec"]["names"]["plural"]) for crd in app.definitions()}

    assert {(entrance.declared.group, entrance.declared.plural) for entrance in app.entrances} <= own


def test_prefixes_kinds_and_token_secrets_are_of_one_entrance() -> None:
    for things in (
        [entrance.prefix for entrance in entrances()],
        [entrance.kind for entrance in entrances()],
        [entrance.server_tokens.secret_name("one") for entrance in entrances() if entrance.server_tokens],
    ):
        assert len(things) == len(set(things))


@EACH
def test_its_paths_lead_to_it(entrance: Entrance) -> None:
    assert entrance_at(f"/{entrance.prefix}/ml/one/") is entrance
    assert f"/{entrance.prefix}" not in RESERVED_PREFIXES
    assert entrance.prefix.isalpha()


@EACH
def test_its_rights_are_about_objects_of_the_namespace(entrance: Entrance) -> None:
    assert entrance.enter in READ_WRITE
    assert entrance.declared.namespaced
    accesses = [entrance.access("ml", "one")]
    if entrance.reading_accesses is not None:
        accesses += entrance.reading_accesses(an_object(entrance))
    if entrance.write_access is not None:
        accesses.append(entrance.write_access("ml"))
    for access in accesses:
        assert access.namespace == "ml"
        assert access.verb in READ_WRITE


@EACH
def test_its_service_and_its_secret_are_named_for_the_object(entrance: Entrance) -> None:
    assert "one" in entrance.service_name("one")
    if entrance.server_tokens is not None:
        assert entrance.server_tokens.resource == entrance.declared.plural


@EACH
def test_its_tokens_have_a_scope_that_exists(entrance: Entrance) -> None:
    assert entrance.token_scope in ("", *SCOPES)


@EACH
def test_its_recorder_of_use_is_there(entrance: Entrance) -> None:
    client: Any = None
    if entrance.on_use:
        assert callable(recorder_named(entrance.on_use, client).record)
