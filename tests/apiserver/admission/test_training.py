"""The plug-in for training jobs: what it answers, and what it leaves alone. Its rules are tested on their own."""

from typing import Any

import pytest

from tests.apis.training.jobs import a_job, spoilt
from tests.apiserver.openapi.builders import a_thing
from windlass.apis.provided import definitions
from windlass.apiserver.admission.chain import Attributes
from windlass.apiserver.admission.training import TrainingJobs, denial
from windlass.apiserver.auth.user import authenticated
from windlass.kube.errors import Forbidden, forbidden, required

PLUGIN: Any = TrainingJobs(None)  # type: ignore[arg-type] - only old versions make it look at what is served
BAD = "spec.tfReplicaSpecs.Worker.restartPolicy"


def asked(job: Any, old: Any = None) -> Attributes:
    operation = "CREATE" if old is None else "UPDATE"
    return Attributes(operation, a_thing(), "", "default", "demo", job, old, authenticated("ann"))


def test_every_provided_training_kind_is_looked_at_when_it_is_written() -> None:
    plurals = {d["spec"]["names"]["plural"] for d in definitions() if d["spec"]["group"] == "kubeflow.org"}

    assert PLUGIN.kinds == {f"kubeflow.org/{plural}" for plural in plurals}
    for operation, subresource, wanted in (
        ("CREATE", "", True), ("UPDATE", "", True), ("DELETE", "", False), ("UPDATE", "status", False),
    ):  # fmt: skip
        assert PLUGIN.applies(operation, "kubeflow.org/tfjobs", subresource) == wanted


def test_one_problem_is_told_plainly_and_several_in_a_list() -> None:
    one, two = required("spec.a"), forbidden("spec.b", "no")
    start = 'admission webhook "validator.tfjob.training-operator.kubeflow.org" denied the request: '

    assert denial("TFJob", [one]) == f"{start}spec.a: Required value"
    assert denial("TFJob", [one, two]) == f"{start}[spec.a: Required value, spec.b: Forbidden: no]"


def test_a_refusal_carries_its_causes() -> None:
    with pytest.raises(Forbidden) as refused:
        PLUGIN.validate(asked(spoilt(a_job("TFJob"), BAD, "Sometimes")))

    assert [cause.field for cause in refused.value.causes] == ["spec.tfReplicaSpecs[Worker].restartPolicy"]


def test_a_job_whose_spec_stays_is_neither_refused_nor_warned_of() -> None:
    bad = spoilt(a_job("TFJob"), BAD, "Sometimes")
    odd = spoilt(a_job("TFJob"), "spec.tfReplicaSpecs.Worker.template.spec.restartPolicy", "Always")
    marked = spoilt(odd, "metadata.labels", {"a": "b"})

    PLUGIN.validate(asked(bad, bad))
    attributes = asked(marked, odd)
    PLUGIN.validate(attributes)

    assert attributes.warnings == []


def test_a_warning_is_given_once_however_often_it_is_asked() -> None:
    odd = spoilt(a_job("TFJob"), "spec.tfReplicaSpecs.Worker.template.spec.restartPolicy", "Always")
    attributes = asked(odd)

    PLUGIN.validate(attributes)
    PLUGIN.validate(attributes)

    assert len(attributes.warnings) == 1
