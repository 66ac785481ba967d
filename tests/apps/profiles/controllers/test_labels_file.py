"""The labels of an administrator's file, and which of them a file cannot forget."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from tests.apps.profiles.controllers.test_reconcile import a_profile
from windlass.apis.core_v1 import Namespace
from windlass.apps import stops
from windlass.apps.profiles.controllers.labels_file import LabelsFile
from windlass.apps.profiles.controllers.reconcile import controller
from windlass.apps.profiles.names import DEFAULT_LABELS
from windlass.apps.profiles.options import Options
from windlass.kube.testing import World

ENFORCE, SECCOMP = "pod-security.kubernetes.io/enforce", "windlass.dev/seccomp-default"
OF_KUBEFLOW = "katib.kubeflow.org/metrics-collector-injection: enabled\nteam: vision\n"


def written(path: Path, text: str) -> LabelsFile:
    path.write_text(text)
    return LabelsFile(path)


def test_a_file_of_kubeflow_keeps_what_the_safety_of_pods_depends_on(tmp_path: Path) -> None:
    labels = written(tmp_path / "labels.yaml", OF_KUBEFLOW)()

    assert labels == {
        "katib.kubeflow.org/metrics-collector-injection": "enabled",
        "team": "vision",
        "app.kubernetes.io/part-of": "kubeflow-profile",
        ENFORCE: "baseline",
        SECCOMP: "RuntimeDefault",
    }


@pytest.mark.parametrize(
    ("text", "value"), [(f"{ENFORCE}: ''", ""), (f"{ENFORCE}:", ""), (f"{ENFORCE}: restricted", "restricted")]
)
def test_a_file_changes_such_a_label_only_by_naming_it(tmp_path: Path, text: str, value: str) -> None:
    labels = written(tmp_path / "labels.yaml", text)()

    assert (labels[ENFORCE], labels[SECCOMP]) == (value, "RuntimeDefault")


@pytest.mark.parametrize("text", ["- a\n", "{", ""])
def test_a_broken_file_changes_nothing(tmp_path: Path, text: str) -> None:
    assert written(tmp_path / "labels.yaml", text)() == DEFAULT_LABELS


def test_a_changed_file_reaches_the_namespaces_that_are_there(tmp_path: Path) -> None:
    path = tmp_path / "labels.yaml"
    options = Options(labels=written(path, "team: vision\n"), recheck_labels=timedelta(seconds=30))
    world = World(controller(options, stops()), namespace="ann")
    world.put(a_profile())
    world.settle()
    assert world.get(Namespace, "ann").metadata.labels["team"] == "vision"

    path.write_text(f"team: vision\nfloor: third\n{SECCOMP}: ''\n")
    os.utime(path, ns=(1, 1))
    plan = world.step("ann")
    world.settle()

    labels = world.get(Namespace, "ann").metadata.labels
    assert (labels["floor"], SECCOMP in labels, labels[ENFORCE]) == ("third", False, "baseline")
    assert plan.again_in == timedelta(seconds=30), "nobody tells of a changed file"
