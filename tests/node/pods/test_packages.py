"""Packages are for the image of a pod's main container."""

from typing import Any

import pytest

from windlass.apis.pod_packages import PodPackages
from windlass.node.pods.packages import packages_of


def a_pod(value: Any, *containers: str) -> dict[str, Any]:
    return {
        "metadata": {"annotations": {"images.windlass.dev/packages": value}},
        "spec": {"initContainers": [{"name": "init"}], "containers": [{"name": name} for name in containers]},
    }


def test_the_main_container_is_the_one_of_that_name_or_the_first() -> None:
    six = PodPackages(whole=("six",))

    assert packages_of(a_pod("six", "first", "second"), "first") == six
    assert packages_of(a_pod("six", "first", "second"), "second") == PodPackages()
    assert packages_of(a_pod("six", "side", "main"), "main") == six
    assert packages_of(a_pod("six", "side", "main"), "side") == PodPackages()
    assert packages_of(a_pod("six", "first"), "init") == PodPackages()


def test_most_pods_name_no_packages() -> None:
    assert packages_of({"metadata": {}, "spec": {"containers": [{"name": "main"}]}}, "main") == PodPackages()
    assert packages_of(a_pod(None, "main"), "main") == PodPackages()


def test_a_malformed_annotation_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"annotation images.windlass.dev/packages: '-r x' is not a requirement"):
        packages_of(a_pod("-r x", "main"), "main")
