"""Every document that `windlass manifests` prints, and every object that the server brings, is one Kubernetes takes.

Each goes through all that the server checks when an object is created: fields and their types, names, defaults,
validation, expressions. The server itself spares definitions that it brings this check when it first starts.
"""

import json
from collections.abc import Iterable, Iterator
from copy import deepcopy
from functools import cache
from itertools import combinations, product
from typing import Any

import yaml

from windlass.apiserver.admission.expressions import expression_causes
from windlass.apiserver.auth.bootstrap import default_objects
from windlass.apiserver.builtin import RESOURCES
from windlass.apiserver.builtin.metadata import validate_metadata
from windlass.apiserver.crds.serve import resources_of
from windlass.apiserver.resources import Resource
from windlass.apps import all_apps, definitions
from windlass.apps.trainer.public import public_objects
from windlass.apps.trainer.runtimes import runtimes
from windlass.cli.manifests import PARTS, as_yaml, parts
from windlass.deploy.gateway import GatewayOptions
from windlass.kube import schema

Object = dict[str, Any]
CRD = "CustomResourceDefinition"


def problems(obj: Object) -> list[str]:
    """What a server refuses of a new object."""
    made: Object = json.loads(json.dumps(obj))
    resource = resource_of(made["apiVersion"], made["kind"])
    findings = schema.check(resource.schema, made)
    if findings.type_error or findings.unknown:
        return [f"unknown field {name}" for name in findings.unknown] or [str(findings.type_error)]
    strategy = resource.strategy
    strategy.default(made)
    strategy.prepare_create(made)
    causes = validate_metadata(made, resource.namespaced, strategy.validate_name)
    causes += [*strategy.validate(made), *expression_causes(made)]
    return [f"{cause.field}: {cause.message}" for cause in causes]


@cache
def resource_of(api_version: str, kind: str) -> Resource:
    group, _, version = api_version.rpartition("/")
    served = [*RESOURCES, *(resource for crd in definitions() for resource in resources_of(crd))]
    return next(one for one in served if (one.group, one.version, one.kind) == (group, version, kind))


def variants() -> Iterator[list[Object]]:
    """What each choice of options prints."""
    flags = sorted({app.install_option.flag for app in all_apps() if app.install_option is not None})
    chosen = [options for count in range(len(flags) + 1) for options in combinations(flags, count)]
    for part, options, url in product(PARTS, chosen, ("", "https://10.0.0.1:9443")):
        yield parts(part, "team", "windlass:1", url, options=options)
    for gateway in (
        GatewayOptions(has_istio=True, external_url="https://ml.example.com"),
        GatewayOptions(tls_secret="ml-tls", users_secret="people", registry="mirror:5000"),
    ):
        yield parts("all", "team", "windlass:1", options=["platform"], gateway=gateway)
    flags = {"pipelines-root": "s3://bucket/root", "pipelines-database-secret": "database"}
    yield parts("all", "team", "windlass:1", options=["platform", "pipelines"], flags=flags)


@cache
def documents() -> list[Object]:
    """Each document of all variants once, as it is read from what is printed."""
    distinct = {json.dumps(obj): obj for printed in variants() for obj in printed}
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return [found for obj in distinct.values() for found in yaml.load_all(as_yaml([obj]), loader)]


def refused(objects: Iterable[Object]) -> dict[str, list[str]]:
    return {f"{obj['kind']}/{obj['metadata']['name']}": found for obj in objects if (found := problems(obj))}


def test_every_printed_document_is_valid() -> None:
    assert {obj["kind"] for obj in documents()} >= {CRD, "Deployment", "Service", "ClusterRole", "RoleBinding"}
    assert refused(documents()) == {}


def test_every_definition_that_the_server_brings_is_valid() -> None:
    assert refused(definitions()) == {}


def test_everything_else_that_the_server_brings_is_valid() -> None:
    assert refused([*default_objects(), *public_objects(), *runtimes()]) == {}


def test_what_a_cluster_refuses_is_found() -> None:
    """Kubernetes once refused these manifests for a word about metadata."""
    queue = deepcopy(next(obj for obj in documents() if obj["metadata"]["name"] == "queues.scheduling.volcano.sh"))
    queue["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["metadata"]["description"] = "x"

    (found,) = problems(queue)
    assert found.startswith(
        "spec.validation.openAPIV3Schema.properties[metadata]: Forbidden: must not specify anything other than name "
    )
