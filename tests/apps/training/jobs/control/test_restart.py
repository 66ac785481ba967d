"""Manifests from which a job can be created again."""

from windlass.apps.training.jobs.control.restart import clean_manifest, copy_name

JOB = {
    "apiVersion": "kubeflow.org/v1",
    "kind": "TFJob",
    "metadata": {
        "name": "mnist",
        "namespace": "ml",
        "uid": "1",
        "resourceVersion": "7",
        "generation": 2,
        "creationTimestamp": "2026-01-01T10:00:00Z",
        "managedFields": [{}],
        "ownerReferences": [{"uid": "9"}],
        "finalizers": ["x"],
        "labels": {"team": "a"},
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"},
    },
    "spec": {"tfReplicaSpecs": {"Worker": {"replicas": 2}}},
    "status": {"conditions": []},
}


def test_a_clean_manifest_has_only_what_its_author_wrote() -> None:
    assert clean_manifest(JOB) == {
        "apiVersion": "kubeflow.org/v1",
        "kind": "TFJob",
        "metadata": {"name": "mnist", "namespace": "ml", "labels": {"team": "a"}},
        "spec": {"tfReplicaSpecs": {"Worker": {"replicas": 2}}},
    }


def test_a_clean_manifest_shares_nothing_with_the_job() -> None:
    clean_manifest(JOB, name="copy")["spec"]["tfReplicaSpecs"].clear()

    assert JOB["spec"] == {"tfReplicaSpecs": {"Worker": {"replicas": 2}}}
    assert JOB["metadata"]["name"] == "mnist"


def test_the_name_of_a_copy_is_a_valid_name_of_a_job() -> None:
    assert copy_name("mnist") == "mnist-copy"
    assert copy_name("a" * 57 + "-" + "b" * 5) == "a" * 57 + "-copy"
