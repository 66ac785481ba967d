from typing import Any

import pytest

from tests.controllers.core.volume_builders import a_claim
from windlass.apis.core_v1 import Pod, PodSpec, PodStatus, Volume
from windlass.controllers.core.ephemeral_volumes import reconcile
from windlass.kube.controller import Observed
from windlass.kube.meta import ObjectMeta
from windlass.kube.testing import created

SPEC = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": "standard"}


def a_pod(phase: str = "Pending", **metadata: Any) -> Pod:
    template = {"metadata": {"labels": {"a": "b"}, "name": "ignored"}, "spec": SPEC}
    volumes = [Volume(name="scratch", ephemeral={"volumeClaimTemplate": template}), Volume(name="other")]
    return Pod(
        metadata=ObjectMeta(**{"name": "p", "namespace": "n", "uid": "u", **metadata}),
        spec=PodSpec(volumes=volumes),
        status=PodStatus(phase=phase),
    )


def claims_for(pod: Pod, *others: Any) -> list[Any]:
    return created(reconcile(pod, Observed.just(pod, *others, of=pod)))


def test_a_pod_gets_a_claim_by_the_template_of_its_volume() -> None:
    (claim,) = claims_for(a_pod())

    assert claim["metadata"] == {"name": "p-scratch", "namespace": "n", "labels": {"a": "b"}}
    assert claim["spec"] == SPEC


def test_a_claim_that_exists_is_left_alone_whoever_owns_it() -> None:
    assert claims_for(a_pod(), a_claim("p-scratch")) == []


@pytest.mark.parametrize(
    "pod", [a_pod("Succeeded"), a_pod("Failed"), a_pod(deletion_timestamp="2026-01-01T00:00:00Z"), Pod()]
)
def test_a_pod_that_is_over_or_has_no_such_volume_gets_none(pod: Pod) -> None:
    assert claims_for(pod) == []
