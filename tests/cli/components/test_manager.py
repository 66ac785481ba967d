"""`windlass manager` as an operator of one namespace, with a Role and no more; its probes and its metrics."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

from tests.support import Windlass, eventually, free_port, running
from windlass.apps.training import controllers as training
from windlass.apps.training.options import Options
from windlass.cli.components.manager import manager
from windlass.cli.components.manager_apps import enabled_schemes
from windlass.cli.failure import Failure
from windlass.cli.manager_settings import ManagerSettings
from windlass.kube.controller import Service

DOCUMENT = Path(__file__).parents[3] / "docs" / "training.md"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    with running(tmp_path_factory.mktemp("operator")) as windlass:
        yield windlass


def role() -> dict[str, Any]:
    """The one that the documentation gives."""
    import yaml

    text = DOCUMENT.read_text()
    start = text.index("apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n")
    return yaml.safe_load(text[start : text.index("```", start)])


def made(server: Windlass, path: str, obj: dict[str, Any]) -> Any:
    answer = server.request("POST", path, obj)
    assert answer.status == 201, answer.body
    return answer.json()


@pytest.fixture(scope="module")
def kubeconfig(server: Windlass, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a service account in `ml` that has the documented Role there, and nothing else."""
    for name in ("ml", "other"):
        made(server, "/api/v1/namespaces", {"metadata": {"name": name}})
        made(server, f"/api/v1/namespaces/{name}/serviceaccounts", {"metadata": {"name": "default"}})
    made(server, "/api/v1/namespaces/ml/serviceaccounts", {"metadata": {"name": "operator"}})
    rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/ml"
    made(server, f"{rbac}/roles", {**role(), "metadata": {"name": "operator"}})
    subject = {"kind": "ServiceAccount", "name": "operator", "namespace": "ml"}
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "operator"}
    binding = {"metadata": {"name": "operator"}, "subjects": [subject], "roleRef": reference}
    made(server, f"{rbac}/rolebindings", binding)
    token = made(server, "/api/v1/namespaces/ml/serviceaccounts/operator/token", {"spec": {}})["status"]["token"]
    config = {
        "current-context": "it",
        "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
        "clusters": [{"name": "it", "cluster": {"server": server.url, "certificate-authority": str(server.ca)}}],
        "users": [{"name": "it", "user": {"token": token}}],
    }
    path = tmp_path_factory.mktemp("limited") / "kubeconfig"
    path.write_text(json.dumps(config))
    return path


def page(port: int, path: str) -> tuple[int, str]:
    try:
        with urlopen(f"http://127.0.0.1:{port}{path}", timeout=20) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()
    except OSError:
        return 0, ""


class Operator:
    def __init__(self, kubeconfig: Path, *flags: str) -> None:
        self.metrics, self.probes = free_port(), free_port()
        self.log = kubeconfig.parent / f"{self.probes}.log"
        argv = [sys.executable, "-m", "windlass", "manager", f"--kubeconfig={kubeconfig}", *flags]
        argv += [f"--data-dir={kubeconfig.parent}", f"--metrics-bind-address=127.0.0.1:{self.metrics}"]
        argv += [f"--health-probe-bind-address=127.0.0.1:{self.probes}"]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(argv, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def __enter__(self) -> "Operator":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(40)

    def until(self, check: Callable[[], bool]) -> None:
        """Wait for it; if it does not come, say what the operator wrote."""
        try:
            eventually(check)
        except AssertionError as error:
            error.add_note(self.log.read_text()[-3000:])
            raise

    def until_ready(self) -> None:
        self.until(lambda: page(self.probes, "/readyz") == (200, "ok"))


def a_job(kind: str, role: str, count: int = 2) -> dict[str, Any]:
    container, replicas = {
        "TFJob": ("tensorflow", "tfReplicaSpecs"),
        "PyTorchJob": ("pytorch", "pytorchReplicaSpecs"),
        "MPIJob": ("mpi", "mpiReplicaSpecs"),
    }[kind]
    template = {"spec": {"containers": [{"name": container, "image": "python:3.11"}]}}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": kind,
        "metadata": {"name": "job"},
        "spec": {replicas: {role: {"replicas": count, "template": template}}},
    }


def names(server: Windlass, path: str) -> list[str]:
    answer = server.request("GET", path)
    assert answer.status == 200, answer.body
    return sorted(each["metadata"]["name"] for each in answer.json()["items"])


def conditions(server: Windlass, plural: str) -> list[str]:
    job = server.request("GET", f"/apis/kubeflow.org/v1/namespaces/ml/{plural}/job").json()
    return [each["type"] for each in job.get("status", {}).get("conditions", [])]


def event_reasons(server: Windlass) -> set[str]:
    return {each["reason"] for each in server.request("GET", "/api/v1/namespaces/ml/events").json()["items"]}


def test_a_role_is_enough_for_one_namespace(server: Windlass, kubeconfig: Path) -> None:
    for namespace in ("other", "ml"):
        made(server, f"/apis/kubeflow.org/v1/namespaces/{namespace}/tfjobs", a_job("TFJob", "Worker"))
        made(server, f"/apis/kubeflow.org/v1/namespaces/{namespace}/pytorchjobs", a_job("PyTorchJob", "Worker"))
    with Operator(kubeconfig, "--namespace=ml", "--enable-scheme=tfjob", "--enable-scheme=MXJob") as operator:
        operator.until(lambda: names(server, "/api/v1/namespaces/ml/pods") == ["job-worker-0", "job-worker-1"])
        operator.until(lambda: names(server, "/api/v1/namespaces/ml/services") == ["job-worker-0", "job-worker-1"])
        operator.until(lambda: conditions(server, "tfjobs") == ["Created"])
        operator.until(lambda: "SuccessfulCreatePod" in event_reasons(server))
        operator.until_ready()
        lease = server.request("GET", "/apis/coordination.k8s.io/v1/namespaces/ml/leases/windlass-manager").json()

        assert lease["spec"]["holderIdentity"]
        assert names(server, "/api/v1/namespaces/other/pods") == []
        assert page(operator.probes, "/healthz") == (200, "ok")
        both = 'training_operator_created_pods_total{framework="tensorflow",job_namespace="ml"} 2.0'
        operator.until(lambda: both in page(operator.metrics, "/metrics")[1])
        counted = page(operator.metrics, "/metrics")[1]
        assert 'controller_runtime_max_concurrent_reconciles{controller="tfjob-controller"} 4.0' in counted
        assert "pytorchjob" not in counted


def test_what_it_may_not_read_outside_its_namespace_it_goes_without(server: Windlass, kubeconfig: Path) -> None:
    flags = ["--namespace=ml", "--enable-scheme=pytorchjob", "--gang-scheduler-name=volcano", "--leader-elect=false"]
    with Operator(kubeconfig, *flags, "--controller-threads=2") as operator:
        groups = "/apis/scheduling.volcano.sh/v1beta1/namespaces/ml/podgroups"
        operator.until(lambda: names(server, groups) == ["job"])
        operator.until_ready()
        counted = page(operator.metrics, "/metrics")[1]

        assert 'controller_runtime_max_concurrent_reconciles{controller="pytorchjob-controller"} 2.0' in counted
        warned = [line for line in operator.log.read_text().splitlines() if "WARNING windlass.kube.informer" in line]
        assert sorted(line.partition("kind=")[2].partition(" ")[0] for line in warned) == [
            "PriorityClass.v1.scheduling.k8s.io",
            "Queue.v1beta1.scheduling.volcano.sh",
        ]


def test_the_documented_role_is_enough_for_every_kind_and_for_what_they_give_their_launchers(
    server: Windlass, kubeconfig: Path
) -> None:
    made(server, "/apis/kubeflow.org/v1/namespaces/ml/mpijobs", a_job("MPIJob", "Launcher", 1))
    with Operator(kubeconfig, "--namespace=ml", "--leader-elect=false") as operator:
        operator.until_ready()
        roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/ml/roles"
        operator.until(lambda: names(server, roles) == ["job-launcher", "operator"])
        operator.until(lambda: "job-config" in names(server, "/api/v1/namespaces/ml/configmaps"))


def test_a_kind_that_it_may_not_read_keeps_it_from_being_ready(server: Windlass, kubeconfig: Path) -> None:
    with Operator(kubeconfig, "--leader-elect=false", "--enable-scheme=tfjob") as operator:
        said = "not ready: the caches have yet to see pods, services, tfjobs\n"
        operator.until(lambda: page(operator.probes, "/readyz") == (500, said))

        assert page(operator.probes, "/healthz") == (200, "ok")


def test_the_embedded_manager_is_not_for_one_namespace(tmp_path: Path) -> None:
    result = CliRunner().invoke(manager, ["--namespace=ml", f"--data-dir={tmp_path}"])

    assert result.exit_code == 1
    assert result.output.startswith("error: --namespace requires --kubeconfig or --in-cluster")


@pytest.mark.parametrize(
    ("given", "kinds"),
    [
        ((), set()),
        (("TFJob", "pytorchjob"), {"tfjob", "pytorchjob"}),
        (("TFJob,MPIJob", "mpijob"), {"tfjob", "mpijob"}),
        ((" TFJob, MPIJob,",), {"tfjob", "mpijob"}),
    ],
)
def test_kinds_may_be_named_one_by_one_or_in_a_list_in_any_case(given: tuple[str, ...], kinds: set[str]) -> None:
    assert enabled_schemes(ManagerSettings(enable_scheme=given)) == kinds


def test_a_kind_that_there_is_not_is_named() -> None:
    with pytest.raises(Failure, match="--enable-scheme: unknown kind of job horovodjob"):
        enabled_schemes(ManagerSettings(enable_scheme=("TFJob", "HorovodJob")))


def test_each_controller_of_the_chosen_kinds_works_on_as_many_jobs_at_once_as_asked() -> None:
    chosen = training.controllers(Options(controller_threads=7), only=frozenset({"mpijob", "chainerjob"}))

    assert {each.name: each.workers for each in chosen if not isinstance(each, Service)} == {
        name: 7 for name in ("mpijob-controller", "mpi-operator", "mpi-keys", "chainer-operator")
    }
