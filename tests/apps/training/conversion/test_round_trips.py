"""To v1 and back, and from v1 and back: whatever is written is read as it was written."""

from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.apps.training.conversion.legacy_jobs import a_job
from windlass.apps.training.conversion import OLD_VERSIONS, convert, legacy_problems
from windlass.apps.training.conversion.round_trip import differences, restored

Json = dict[str, Any]
OLD = [(kind, version) for kind, versions in OLD_VERSIONS.items() for version in versions]

plain = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "b"])
anything = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abAB"), inner, max_size=3),
    max_leaves=8,
)
strays = st.dictionaries(st.sampled_from(["tfImage", "RuntimeId", "stray"]), anything, max_size=2)


def some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    """Objects that may have these fields."""
    return st.fixed_dictionaries({}, optional=fields)


clean = st.sampled_from(["", "None", "Running", "All"])
restart = st.sampled_from(["Always", "OnFailure", "Never"])
ports = st.lists(
    some(
        name=st.sampled_from(["tfjob-port", "other"]),
        containerPort=st.sampled_from([2222, 80]),
        protocol=st.just("TCP"),
    ),
    max_size=2,
)
containers = st.lists(
    some(name=st.sampled_from(["tensorflow", "sidecar"]), image=st.just("i"), ports=ports), max_size=2
)
pods = some(containers=containers, restartPolicy=restart, schedulerName=st.sampled_from(["x", "y"]))
templates = some(metadata=some(labels=st.just({"a": "b"})), spec=pods)
policies = some(cleanPodPolicy=clean, backoffLimit=st.integers(0, 2), suspend=st.booleans())
beside: dict[str, st.SearchStrategy[Any]] = {
    "cleanPodPolicy": clean,
    "ttlSecondsAfterFinished": st.integers(0, 2),
    "backoffLimit": st.integers(0, 2),
    "schedulerName": st.sampled_from(["x", "y"]),
    "runPolicy": policies,
}
replicas = some(
    replicas=st.integers(0, 3), template=templates, restartPolicy=restart | st.just("ExitCode"), stray=anything
)
maps = st.dictionaries(
    st.sampled_from(["PS", "Ps", "Worker", "WORKER", "Chief", "Master"]), replicas, max_size=3
).filter(lambda found: len({name.lower() for name in found}) == len(found))
elements = some(
    tfReplicaType=st.sampled_from(["MASTER", "WORKER", "PS", "worker"]),
    tfPort=st.sampled_from([2222, 3333]),
    replicas=st.integers(0, 3),
    template=templates,
    stray=anything,
)
lists = st.lists(elements, max_size=3, unique_by=lambda one: str(one.get("tfReplicaType", "MASTER")).lower())


def specs_of(kind: str, version: str) -> st.SearchStrategy[Json]:
    if kind == "MPIJob":
        fields = {"mpiReplicaSpecs": maps, "slotsPerWorker": st.integers(1, 2), "runPolicy": policies}
        more = {"mainContainer": st.just("m"), "cleanPodPolicy": clean} if version == "v1" else {}
        return some(**fields, **more, **({"mpiImplementation": st.just("Intel")} if version == "v2beta1" else {}))
    fields = {"tfReplicaSpecs": maps, **beside}
    if version in ("v1alpha1", "v1alpha2"):
        chief = some(replicaName=st.just("WORKER"), replicaIndex=st.just(0))
        old = some(replicaSpecs=lists, cleanupPodPolicy=clean, terminationPolicy=some(chief=chief), **beside)
        either = old | some(**fields) if version == "v1alpha2" else old
    else:
        either = some(**fields)
    return either if version == "v1" else st.builds(lambda spec, more: {**more, **spec}, either, strays)


@pytest.mark.parametrize(("kind", "version"), OLD)
@given(data=st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_written_in_an_old_version_is_read_there_as_it_was(
    kind: str, version: str, data: st.DataObject
) -> None:
    job = a_job(version, kind, **data.draw(specs_of(kind, version)))
    assert convert(convert(job, "kubeflow.org/v1"), job["apiVersion"])["spec"] == job["spec"]


@pytest.mark.parametrize(("kind", "version"), OLD)
@given(data=st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_stored_is_not_changed_by_reading_it_and_writing_it_back(
    kind: str, version: str, data: st.DataObject
) -> None:
    job = a_job("v1", kind, **data.draw(specs_of(kind, "v1")))
    assert convert(convert(job, f"kubeflow.org/{version}"), "kubeflow.org/v1") == job


@pytest.mark.parametrize("version", ["v1alpha1", "v1alpha2", "v1beta2"])
@given(data=st.data(), number=st.integers(4, 9), policy=st.sampled_from(["None", "Running", "All"]))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_users_change_at_v1_wins_over_what_was_kept(
    version: str, data: st.DataObject, number: int, policy: str
) -> None:
    stored = convert(a_job(version, **data.draw(specs_of("TFJob", version))), "kubeflow.org/v1")
    for replica in stored["spec"].get("tfReplicaSpecs", {}).values():
        replica["replicas"] = number
    stored["spec"]["runPolicy"] = {"cleanPodPolicy": policy}
    again = convert(convert(stored, f"kubeflow.org/{version}"), "kubeflow.org/v1")
    found = again["spec"].get("tfReplicaSpecs", {})
    assert {name: replica["replicas"] for name, replica in found.items()} == dict.fromkeys(
        stored["spec"].get("tfReplicaSpecs", {}), number
    )
    assert again["spec"]["runPolicy"]["cleanPodPolicy"] == policy


junk = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner, max_size=2)
        | some(tfReplicaType=inner, template=inner, spec=inner, containers=inner, ports=inner, tfPort=inner)
        | some(name=st.just("tensorflow"), chief=inner, restartPolicy=inner, ports=inner, PS=inner)
    ),
    max_leaves=10,
)


@pytest.mark.parametrize(("kind", "version"), OLD)
@given(
    spec=junk
    | some(replicaSpecs=st.lists(junk, max_size=3) | junk, tfReplicaSpecs=junk, terminationPolicy=junk, runPolicy=junk),
    status=junk | some(conditions=junk, replicaStatuses=junk, tfReplicaStatuses=junk),
)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_nonsense_is_refused_or_converted_but_never_an_error(kind: str, version: str, spec: Any, status: Any) -> None:
    job = {**a_job(version, kind), "spec": spec, "status": status}
    if not legacy_problems(job):
        convert(convert(job, "kubeflow.org/v1"), job["apiVersion"])
    convert({**job, "apiVersion": "kubeflow.org/v1"}, f"kubeflow.org/{version}")


@given(anything, anything)
@example({"A": 1, "a": 2}, {})
@example({"A": 1}, {"a": 1, "A": True})
def test_differences_lead_from_the_one_to_the_other(found: Any, was: Any) -> None:
    kept = list(differences(found, was))
    assert restored(found, kept) == was
