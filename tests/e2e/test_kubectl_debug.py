"""Looking into pods that no node runs: debug containers, copies, and what logs, exec and the others say."""

import pytest

from tests.e2e.shell import Shell

pytestmark = pytest.mark.kubectl

POD = """
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  containers:
  - {name: main, image: nginx}
  - {name: side, image: busybox}
"""


@pytest.fixture
def pod(kubectl: Shell) -> Shell:
    kubectl("create -f -", POD)
    return kubectl


def test_a_debug_container_joins_a_running_pod(pod: Shell) -> None:
    pod("debug web --image=busybox:1 --container=look --target=main --profile=general")

    spec = pod.json("get pod web")["spec"]
    [container] = spec["ephemeralContainers"]
    assert (container["name"], container["image"]) == ("look", "busybox:1")
    assert container["targetContainerName"] == "main"
    assert container["imagePullPolicy"] == "IfNotPresent"
    assert len(spec["containers"]) == 2


def test_debug_containers_stay(pod: Shell) -> None:
    pod("debug web --image=busybox --container=look --profile=general")

    direct = pod.fails("""patch pod web -p '{"spec":{"ephemeralContainers":[{"name":"more","image":"x"}]}}'""")
    removed = pod.server.patch(
        f"/api/v1/namespaces/{pod.namespace}/pods/web/ephemeralcontainers",
        [{"op": "remove", "path": "/spec/ephemeralContainers"}],
        "json",
    )

    assert "Forbidden" in direct
    assert 'existing ephemeral containers "look" may not be removed' in removed.json()["message"]


def test_a_copy_can_be_debugged_instead(pod: Shell) -> None:
    pod("debug web --image=busybox --copy-to=copy --container=look --profile=general")
    pod("debug web --copy-to=other --set-image=*=alpine --profile=general")

    copied = pod.json("get pod copy")
    assert [c["name"] for c in copied["spec"]["containers"]] == ["main", "side", "look"]
    assert copied["metadata"].get("labels") is None
    assert {c["image"] for c in pod.json("get pod other")["spec"]["containers"]} == {"alpine"}


def test_a_node_is_debugged_by_a_pod_on_it(kubectl: Shell) -> None:
    name = f"node-{kubectl.namespace}"
    kubectl.server.create("/api/v1/nodes", {"metadata": {"name": name}})

    kubectl(f"debug node/{name} --image=busybox --profile=general")
    [made] = kubectl.json("get pods")["items"]
    kubectl.server.request("DELETE", f"/api/v1/nodes/{name}")

    assert (made["spec"]["nodeName"], made["spec"]["hostNetwork"]) == (name, True)


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("exec web -c main -- ls", "Error from server (BadRequest): pod web does not have a host assigned"),
        ("attach web -c main", "Error from server (BadRequest): pod web does not have a host assigned"),
        ("cp -c main web:/x ./x", "Error from server (BadRequest): pod web does not have a host assigned"),
        ("port-forward web 18080:80", "unable to forward port because pod is not running. Current status=Pending"),
        ("logs web -c nothing", "container nothing is not valid for pod web"),
        ("logs nobody", 'pods "nobody" not found'),
        ("exec nobody -- ls", 'pods "nobody" not found'),
        ("top pods", "Metrics API not available"),
    ],
)
def test_what_needs_a_node_says_so(pod: Shell, command: str, complaint: str) -> None:
    assert complaint in pod.fails(command)


def test_a_pod_that_has_not_started_has_no_logs(pod: Shell) -> None:
    assert pod("logs web -c main") == ""
    assert pod("logs web --all-containers") == ""
    assert "Defaulted container" in pod.run("logs web").stderr
    assert "does not have a host assigned" not in pod.run("logs -l app=web").stderr
