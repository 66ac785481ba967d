"""Apps add values of their options, ports and objects to the manifests."""

from dataclasses import dataclass, replace
from typing import Annotated

from windlass.apis.app import App
from windlass.apis.options import Option, SecretKey, Site
from windlass.deploy.app_parts import AppParts


@dataclass(frozen=True, kw_only=True)
class Options:
    image: Annotated[str, Option("Its image.", flag="echo-image", in_manager=lambda site: site.registry)] = ""
    place: Annotated[str, Option("Where it is.", "PLACE", in_manager=lambda site: site.namespace)] = ""
    database: Annotated[
        str, Option("Its database.", "DATABASE", in_manager=lambda _: KEY, in_gateway=lambda _: KEY)
    ] = ""
    other: Annotated[str, Option("Nothing of the manifests.", "OTHER")] = ""


KEY = SecretKey("database", "url")
REFERENCE = {"name": "DATABASE", "valueFrom": {"secretKeyRef": {"name": "database", "key": "url", "optional": True}}}
APP = App(name="echo", definitions=list, controllers="", schemes=frozenset(), user_rules=(), options=Options)


def test_options_that_depend_on_the_site_are_flags_and_variables() -> None:
    parts = AppParts(apps=(APP,), site=Site(namespace="team", registry="mirror"))

    assert parts.manager_flags() == ["--echo-image=mirror"]
    assert parts.manager_variables() == [REFERENCE, {"name": "PLACE", "value": "team"}], "by name"
    assert parts.gateway_variables() == [REFERENCE]


def test_an_empty_value_is_left_out() -> None:
    parts = AppParts(apps=(APP,), site=Site(namespace=""))

    assert parts.manager_flags() == []
    assert parts.manager_variables() == [REFERENCE]


def test_ports_of_the_gateway_are_those_of_the_apps() -> None:
    parts = AppParts(apps=(APP, replace(APP, deployment="windlass.apps.pipelines.deployment")))

    assert [(port.name, port.number) for port in parts.gateway_ports()] == [("pipelines", 8888)]
    assert [(port["port"], port["targetPort"]) for port in parts.service_ports()] == [
        (8888, "pipelines"),
        (8887, "pipelines"),
    ]
    assert [obj["spec"]["externalName"] for obj in parts.gateway_objects("gateway.n.svc")] == ["gateway.n.svc"]
