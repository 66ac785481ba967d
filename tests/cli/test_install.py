"""`windlass install` finds out whether the cluster has Istio, whose kinds Windlass defines where it is absent."""

from typing import Any, cast

import pytest

from windlass.cli.cluster.install import (
    _has_istio,  # pyright: ignore[reportPrivateUsage] - the command needs a cluster for what comes after it
)
from windlass.deploy.program import MANAGED_BY
from windlass.kube.errors import NotFound
from windlass.kube.kind import Kind

DEFINITIONS = Kind(
    group="apiextensions.k8s.io",
    version="v1",
    name="CustomResourceDefinition",
    plural="customresourcedefinitions",
    namespaced=False,
)


class Cluster:
    """A client of a cluster with one definition, or none."""

    def __init__(self, metadata: dict[str, Any] | None) -> None:
        self._metadata = metadata

    async def find_kind(self, api_version: str, kind: str) -> Kind:
        assert (api_version, kind) == (DEFINITIONS.api_version, DEFINITIONS.name)
        return DEFINITIONS

    async def get(self, of: Kind, name: str) -> dict[str, Any]:
        assert (of, name) == (DEFINITIONS, "virtualservices.networking.istio.io")
        if self._metadata is None:
            raise NotFound(name)
        return {"kind": DEFINITIONS.name, "metadata": {"name": name, **self._metadata}}


@pytest.mark.parametrize(
    ("metadata", "has_istio"),
    [
        (None, False),
        ({}, True),
        ({"labels": {"app.kubernetes.io/managed-by": "Helm", "chart": "istio"}}, True),
        ({"managedFields": [{"manager": "istioctl"}]}, True),
        ({"labels": dict(MANAGED_BY)}, False),
        ({"managedFields": [{"manager": "windlass-install"}]}, False),
    ],
    ids=["no definition", "no labels", "labels of Helm", "fields of istioctl", "our label", "our fields"],
)
async def test_only_the_definition_of_another_product_is_istio(
    metadata: dict[str, Any] | None, has_istio: bool
) -> None:
    assert await _has_istio(cast(Any, Cluster(metadata))) is has_istio
