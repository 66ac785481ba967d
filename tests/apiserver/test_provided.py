"""The kinds that Windlass brings: there from the start, renewed when we change them, left to users who do."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support import Windlass, eventually, running
from windlass.apiserver.renewing import DIGEST, digest
from windlass.apps import definitions
from windlass.apps.trainer.runtimes import runtimes

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
QUEUES = "/apis/scheduling.volcano.sh/v1beta1/queues"
QUEUE = f"{QUEUES}/default"
RUNTIMES = "/apis/trainer.kubeflow.org/v1alpha1/clustertrainingruntimes"
PUBLIC = "/api/v1/namespaces/kubeflow-system/configmaps/kubeflow-trainer-public"
NAMES = sorted(definition["metadata"]["name"] for definition in definitions())
OWN = {"type": "object", "properties": {"spec": {"type": "object", "maxProperties": 0}}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    with running(tmp_path_factory.mktemp("provided")) as windlass:
        yield windlass


def restart(server: Windlass) -> None:
    server.stop()
    server.start()


def all_of_them(server: Windlass) -> dict[str, Any]:
    return {crd["metadata"]["name"]: crd for crd in server.get(CRDS)["items"]}


def replace(server: Windlass, obj: Any) -> None:
    answer = server.request("PUT", f"{CRDS}/{obj['metadata']['name']}", obj)
    assert answer.status == 200, answer.body


def columns(crd: Any) -> list[str]:
    return [column["name"] for column in crd["spec"]["versions"][0].get("additionalPrinterColumns", [])]


def test_every_kind_is_served_when_the_server_is_ready(server: Windlass) -> None:
    found = all_of_them(server)

    assert sorted(found) == NAMES
    for crd in found.values():
        spec = crd["spec"]
        assert digest(spec) == crd["metadata"]["annotations"][DIGEST]
        for version in spec["versions"]:
            place = f"/apis/{spec['group']}/{version['name']}/{spec['names']['plural']}"
            assert server.get(place)["kind"] == spec["names"]["listKind"]


@pytest.mark.parametrize(("name", "reclaimable"), [("default", True), ("root", False)])
def test_there_are_two_open_queues(server: Windlass, name: str, reclaimable: bool) -> None:
    queue = server.get(f"{QUEUES}/{name}")

    assert queue["spec"] == {"weight": 1, "reclaimable": reclaimable, "dequeueStrategy": "traverse"}
    assert queue["status"] == {"state": "Open"}


def test_the_runtimes_of_training_are_stored_as_they_are_written(server: Windlass) -> None:
    found = {runtime["metadata"]["name"]: runtime for runtime in server.get(RUNTIMES)["items"]}

    assert sorted(found) == sorted(runtime["metadata"]["name"] for runtime in runtimes())
    for wanted in runtimes():
        stored = found[wanted["metadata"]["name"]]
        assert stored["spec"] == wanted["spec"]
        assert stored["metadata"]["labels"] == wanted["metadata"]["labels"]
        assert stored["metadata"]["annotations"] == {DIGEST: digest(wanted["spec"])}


def test_everybody_may_ask_which_trainer_is_served_by_which_runtimes_and_nothing_else(server: Windlass) -> None:
    anybody = {"Impersonate-User": "anybody"}

    assert server.get(PUBLIC, headers=anybody)["data"] == {"kubeflow_trainer_version": "v2.3.0"}
    assert server.request("GET", PUBLIC.rpartition("/")[0], headers=anybody).status == 403
    assert len(server.get(RUNTIMES, headers=anybody)["items"]) == len(runtimes())
    assert server.request("DELETE", f"{RUNTIMES}/torch-distributed", headers=anybody).status == 403
    assert server.request("GET", RUNTIMES.replace("clustertraining", "training"), headers=anybody).status == 403


def test_a_start_renews_ours_and_leaves_what_is_a_users(server: Windlass) -> None:
    """All at one restart: what an earlier version wrote, what a user changed, a user's own, and what is as it was."""

    def settled() -> bool:
        return all(crd["status"].get("conditions") for crd in all_of_them(server).values())

    eventually(settled, 60, "all definitions are established")
    before = all_of_them(server)
    earlier, changed, own = (
        server.get(f"{CRDS}/{name}")
        for name in ("jaxjobs.kubeflow.org", "mxjobs.kubeflow.org", "queues.scheduling.incubator.k8s.io")
    )
    del earlier["spec"]["versions"][0]["additionalPrinterColumns"]
    earlier["metadata"]["annotations"] = {DIGEST: digest(earlier["spec"]), "mine": "kept"}
    del changed["spec"]["versions"][0]["additionalPrinterColumns"]
    changed["metadata"]["annotations"][DIGEST] = "of an earlier version"
    del own["metadata"]["annotations"][DIGEST]
    own["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = OWN
    for definition in (earlier, changed, own):
        replace(server, definition)
    server.patch(QUEUE, {"spec": {"weight": 7}})
    restart(server)
    after = all_of_them(server)

    renewed = after["jaxjobs.kubeflow.org"]
    assert columns(renewed) == columns(before["jaxjobs.kubeflow.org"])
    assert renewed["metadata"]["annotations"]["mine"] == "kept"
    assert renewed["metadata"]["annotations"][DIGEST] == digest(renewed["spec"])
    assert columns(after["mxjobs.kubeflow.org"]) == []
    theirs = after["queues.scheduling.incubator.k8s.io"]
    assert theirs["spec"]["versions"][0]["schema"]["openAPIV3Schema"] == OWN
    assert DIGEST not in theirs["metadata"]["annotations"]
    for name in {*NAMES} - {renewed["metadata"]["name"], theirs["metadata"]["name"], "mxjobs.kubeflow.org"}:
        assert after[name]["metadata"]["resourceVersion"] == before[name]["metadata"]["resourceVersion"]
    assert server.get(QUEUE)["spec"]["weight"] == 7


def test_a_service_of_an_earlier_windlass_is_given_the_ports_that_it_lacks(server: Windlass) -> None:
    place = "/api/v1/namespaces/kubeflow/services/ml-pipeline"
    service = server.get(place)
    own = {"name": "own", "port": 9999, "protocol": "TCP", "targetPort": 9999}
    earlier = [port for port in service["spec"]["ports"] if port["name"] == "http"]
    service["spec"]["ports"] = [*earlier, own]
    assert server.request("PUT", place, service).status == 200
    restart(server)

    renewed = server.get(place)
    assert [port["port"] for port in renewed["spec"]["ports"]] == [8888, 9999, 8887]
    assert renewed["spec"]["clusterIP"] == service["spec"]["clusterIP"]
    restart(server)
    assert server.get(place)["metadata"]["resourceVersion"] == renewed["metadata"]["resourceVersion"]


def test_a_definition_that_allows_no_queue_does_not_keep_the_server_from_starting(server: Windlass) -> None:
    place = f"{CRDS}/queues.scheduling.volcano.sh"
    own = server.get(place)
    own["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = OWN
    own["metadata"] = {"name": own["metadata"]["name"]}
    server.request("DELETE", place)
    for name in ("root", "default"):
        assert server.request("DELETE", f"{QUEUES}/{name}").status == 200
    server.patch(place, {"metadata": {"finalizers": None}})  # as a manager does when no queue is left
    assert server.request("POST", CRDS, own).status == 201
    logged = server.end_of_log()
    restart(server)

    assert server.request("GET", QUEUE).status == 404
    for name in ("root", "default"):
        assert f"cannot create Queue {name}" in server.log_after(logged)
