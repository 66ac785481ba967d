"""What training frameworks need of a pod, each on a real one, as root and as an ordinary user."""

import json
import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.node.platforms import Platform, Platforms, a_namespace, skip_without_sandboxes
from tests.e2e.node.pods import PYTHON, Object, PodShell, container, once, pod, service, state, status
from tests.e2e.ordinary_user import WHO, skip_unless_possible
from tests.support import eventually

pytestmark = pytest.mark.kubectl

SIGNALS = (2, 9, 11, 15)
PROXIES = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
FACTS = """
import json, os, pathlib, socket, sys
from multiprocessing import shared_memory
name = socket.gethostname()
listening = socket.create_server(("::", 6666), family=socket.AF_INET6, dualstack_ipv6=True)
reached = []
for host in ("::1", "127.0.0.1", name):
    with socket.create_connection((host, 6666), timeout=20):
        listening.accept()[0].close()
        reached.append(host)
account = pathlib.Path("/var/run/secrets/kubernetes.io/serviceaccount")
block = shared_memory.SharedMemory(create=True, size=16 << 20)
block.buf[-1] = 7
shown = pathlib.Path("/dev/shm", block.name.lstrip("/")).stat().st_size
block.close(); block.unlink()
print(json.dumps({
    "hostname": name, "resolved": sorted({i[4][0] for i in socket.getaddrinfo(name, 1, socket.AF_INET)}),
    "fqdn_ip": socket.gethostbyname(socket.getfqdn()), "reached": reached, "env": dict(os.environ),
    "argv": sys.argv[1:], "account": {p.name: len(p.read_text()) for p in account.iterdir() if p.is_file()},
    "namespace": (account / "namespace").read_text(), "shm": shown,
}))
"""


@pytest.fixture(scope="module")
def platforms() -> Iterator[Platforms]:
    all_of_them = Platforms()
    yield all_of_them
    all_of_them.stop()


@pytest.fixture(params=WHO)
def user(request: pytest.FixtureRequest) -> str:
    skip_unless_possible(request.param)
    return request.param


@pytest.fixture
def platform(platforms: Platforms, user: str) -> Platform:
    """Started by somebody who reaches the world through a proxy."""
    with pytest.MonkeyPatch.context() as patch:
        for name in PROXIES:
            patch.setenv(name, "http://proxy.invalid:3128")
        platform = platforms.of(user)
    skip_without_sandboxes(platform)
    return platform


@pytest.fixture
def namespace(platform: Platform) -> Iterator[str]:
    with a_namespace(platform, "contract-") as name:
        yield name


@pytest.fixture
def kubectl(platform: Platform, namespace: str, tmp_path: Path) -> PodShell:
    return PodShell(platform, namespace, tmp_path)


def python(program: str, *words: str, **more: Any) -> Object:
    return {"name": "main", "image": PYTHON, "command": ["python", "-u", "-c", program, *words], **more}


def has_ended(now: Object) -> bool:
    return now["status"].get("phase") in ("Succeeded", "Failed")


def from_field(name: str, path: str) -> Object:
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}


def told(kubectl: PodShell, name: str) -> Object:
    """What a pod printed as JSON before it ended well."""
    over = kubectl.until(f"pods/{name}", has_ended, 90)
    log = kubectl.server.request("GET", kubectl.path(f"pods/{name}/log")).body.decode()
    assert over["status"]["phase"] == "Succeeded", log
    return json.loads(log)


def test_a_pod_has_a_name_an_address_and_ports_of_its_own(kubectl: PodShell) -> None:
    kubectl.apply(
        *(
            pod(name, python(FACTS, env=[from_field("POD_IP", "status.podIP")]), restartPolicy="Never")
            for name in ("replica-0", "replica-1")
        )
    )

    for name in ("replica-0", "replica-1"):
        facts = told(kubectl, name)
        address = kubectl.get(f"pods/{name}")["status"]["podIP"]
        assert facts["hostname"] == facts["env"]["HOSTNAME"] == name
        assert facts["resolved"] == [address], "not loopback"
        assert facts["fqdn_ip"] == address
        assert facts["env"]["POD_IP"] == address
        assert facts["reached"] == ["::1", "127.0.0.1", name], "IPv6 sockets that also take IPv4"
        assert facts["shm"] == 16 << 20


def test_hostname_and_subdomain_are_as_the_pod_says(kubectl: PodShell) -> None:
    main = python("import socket, json; print(json.dumps([socket.gethostname(), socket.getfqdn()]))")
    kubectl.apply(
        service("crew", clusterIP="None"),
        pod("named", main, hostname="chief", subdomain="crew", restartPolicy="Never"),
    )

    assert told(kubectl, "named") == ["chief", f"chief.crew.{kubectl.namespace}.svc.cluster.local"]


def test_variables_are_expanded_in_the_order_of_the_list(kubectl: PodShell) -> None:
    env = [
        {"name": "TOO_EARLY", "value": "$(PADDLE_MASTER)"},
        from_field("POD_IP_DUMMY", "status.podIP"),
        {"name": "PADDLE_MASTER", "value": "$(POD_IP_DUMMY):36543"},
        {"name": "ESCAPED", "value": "$$(POD_IP_DUMMY)"},
    ]
    words = ["$(PADDLE_MASTER)", "$(UNKNOWN)", "$$(PADDLE_MASTER)"]
    main = {**python(FACTS), "args": words, "env": env}
    kubectl.apply(pod("expanded", main, restartPolicy="Never"))

    facts = told(kubectl, "expanded")

    master = f"{kubectl.get('pods/expanded')['status']['podIP']}:36543"
    assert facts["env"]["PADDLE_MASTER"] == master
    assert facts["env"]["TOO_EARLY"] == "$(PADDLE_MASTER)"
    assert facts["env"]["ESCAPED"] == "$(POD_IP_DUMMY)"
    assert facts["argv"] == [master, "$(UNKNOWN)", "$(PADDLE_MASTER)"]


def test_a_pod_finds_the_api_and_nothing_of_the_hosts_proxies(kubectl: PodShell) -> None:
    kubectl.apply(pod("guest", python(FACTS), restartPolicy="Never"))

    facts = told(kubectl, "guest")

    assert facts["account"].keys() >= {"token", "ca.crt", "namespace"}
    assert all(facts["account"].values())
    assert facts["namespace"] == kubectl.namespace
    assert facts["env"]["KUBERNETES_SERVICE_HOST"]
    assert facts["env"]["KUBERNETES_SERVICE_PORT"] == "443"
    assert not {name.lower() for name in PROXIES} & {name.lower() for name in facts["env"]}


LOOK_UP = """
import json, socket, sys
def found(name):
    try:
        return sorted({i[4][0] for i in socket.getaddrinfo(name, 1, socket.AF_INET)})
    except OSError:
        return []
print(json.dumps([found(name) for name in sys.argv[1:]]))
"""


def look_up(kubectl: PodShell, *names: str) -> list[list[str]]:
    """What names mean to the pod `asker`."""
    return json.loads(kubectl(f"exec asker -- python -c {shlex.quote(LOOK_UP)} {' '.join(names)}"))


def test_services_and_pods_are_found_by_all_their_names(kubectl: PodShell) -> None:
    sleeper = container()
    kubectl.apply(
        service("web", app="web", clusterIP="None"),
        service("fixed", app="web"),
        pod("web-0", sleeper, labels={"app": "web"}, hostname="web-0", subdomain="web"),
        pod("asker", container(image=PYTHON)),
    )
    kubectl.ready("web-0")
    kubectl.ready("asker")
    address = kubectl.get("pods/web-0")["status"]["podIP"]
    fixed = kubectl.get("services/fixed")["spec"]["clusterIP"]
    where = ["", f".{kubectl.namespace}", f".{kubectl.namespace}.svc", f".{kubectl.namespace}.svc.cluster.local"]
    names = [f"{name}{end}" for name in ("web", "web-0.web", "fixed") for end in where]
    wanted = [[address]] * 8 + [[fixed]] * 4

    eventually(lambda: look_up(kubectl, *names) == wanted, 60, f"{names} are found: {look_up(kubectl, *names)}")


def test_only_ready_pods_are_found_unless_all_shall_be_and_what_was_not_is_found_at_once(kubectl: PodShell) -> None:
    gate = {"exec": {"command": ["test", "-e", "/tmp/ready"]}, "periodSeconds": 1, "timeoutSeconds": 20}
    kubectl.apply(
        service("shy", app="late", clusterIP="None"),
        service("open", app="late", clusterIP="None", publishNotReadyAddresses=True),
        pod("late", container(readinessProbe=gate), labels={"app": "late"}),
        pod("asker", container(image=PYTHON)),
    )
    kubectl.ready("asker")
    address = kubectl.until("pods/late", lambda now: state(now)[0] == "running")["status"]["podIP"]
    eventually(lambda: look_up(kubectl, "open") == [[address]], 60, "the open name")
    assert look_up(kubectl, "shy", f"shy.{kubectl.namespace}.svc.cluster.local") == [[], []]

    kubectl("exec late -- touch /tmp/ready")
    kubectl.ready("late")
    began = time.monotonic()
    eventually(lambda: look_up(kubectl, "shy") == [[address]], 60, "the name of a pod that is ready now")
    took = time.monotonic() - began

    print(f"ready to resolved, with the time of kubectl exec: {took:.2f} s")  # noqa: T201 - a figure for -s


def test_pods_are_found_by_their_address(kubectl: PodShell) -> None:
    kubectl.apply(pod("one", container()), pod("two", container()))
    kubectl.ready("one")
    kubectl.ready("two")
    address = kubectl.get("pods/one")["status"]["podIP"]

    for path in (kubectl.path("pods"), "/api/v1/pods"):
        listed = kubectl.server.get(f"{path}?fieldSelector=status.podIP={address}")["items"]
        assert [each["metadata"]["name"] for each in listed] == ["one"]


def test_exit_codes_are_exact_and_signals_are_told_as_128_and_their_number(kubectl: PodShell) -> None:
    ends = {"well": (0, "exit 0"), "badly": (3, "exit 3"), "highest": (255, "exit 255")}
    kubectl.apply(*(once(name, script) for name, (_, script) in ends.items()))
    # the first process of a process namespace gets no signals from within it: another is the first here
    alone = {"shareProcessNamespace": True, "restartPolicy": "Never"}
    suicide = "import os, sys, time; os.kill(os.getpid(), int(sys.argv[1])); time.sleep(600)"
    kubectl.apply(*(pod(f"signal-{number}", python(suicide, str(number)), **alone) for number in SIGNALS))
    ends |= {f"signal-{number}": (128 + number, "") for number in SIGNALS}

    over = {name: kubectl.until(f"pods/{name}", has_ended, 120) for name in ends}

    assert {name: state(each)[1]["exitCode"] for name, each in over.items()} == {
        n: code for n, (code, _) in ends.items()
    }
    assert {state(each)[1]["reason"] for name, each in over.items() if name != "well"} == {"Error"}
    assert (state(over["well"])[1]["reason"], over["well"]["status"]["phase"]) == ("Completed", "Succeeded")


def test_a_container_over_its_memory_is_killed_and_says_so(kubectl: PodShell) -> None:
    hog = python("x = bytearray(512 << 20); x[::4096] = b'x' * len(x[::4096]); import time; time.sleep(60)")
    hog["resources"] = {"limits": {"memory": "64Mi"}}
    kubectl.apply(pod("hog", hog, restartPolicy="Never"))

    over = kubectl.phase("hog", "Failed", 90)

    assert (state(over)[1]["exitCode"], state(over)[1]["reason"]) == (137, "OOMKilled")


def test_a_name_that_is_used_again_starts_fresh_and_the_logs_of_the_one_before_are_kept(kubectl: PodShell) -> None:
    script = "test -e /tmp/mark && echo used || echo fresh; echo $WHO; touch /tmp/mark"

    def run(who: str) -> str:
        main = container(script, env=[{"name": "WHO", "value": who}])
        kubectl.apply(pod("again", main, restartPolicy="Never"))
        return str(kubectl.phase("again", "Succeeded", 90)["metadata"]["uid"])

    first = run("first")
    kubectl("delete pod again")
    kubectl.gone("pods/again")
    eventually(lambda: kubectl.run("logs again").stdout == "fresh\nfirst\n", 60, "the logs of a pod that is gone")
    assert "was deleted, showing its archived logs" in kubectl.run("logs again").stderr

    second = run("second")

    assert first != second
    assert kubectl("logs again").split() == ["fresh", "second"]


def test_logs_are_followed_as_pythons_client_asks_for_it(kubectl: PodShell) -> None:
    kubectl.apply(once("talker", "echo one; sleep 1; echo two"))
    kubectl.until("pods/talker", lambda now: state(now)[0] in ("running", "terminated"))

    for asked in ("follow=True", "follow=true", "follow=1", "follow="):
        said = kubectl.server.request("GET", kubectl.path(f"pods/talker/log?{asked}&timestamps=False"))
        assert said.body == b"one\ntwo\n", asked


def test_a_pod_ends_with_its_main_container_whatever_its_sidecars_do(kubectl: PodShell) -> None:
    shared: Object = {"volumeMounts": [{"name": "shared", "mountPath": "/shared"}]}
    loop = "trap 'echo bye; exit 5' TERM; echo up; touch /shared/up; while :; do sleep 0.1; done"

    def with_main(name: str, code: int) -> Object:
        work = container(f"until test -e /shared/up; do sleep 0.1; done; exit {code}", **shared)
        spec: Object = {"volumes": [{"name": "shared", "emptyDir": {}}], "terminationGracePeriodSeconds": 30}
        made = pod(name, container(loop, "side", **shared), work, restartPolicy="Never", **spec)
        made["metadata"]["annotations"] = {"training.windlass.dev/main-container": "main"}
        return made

    kubectl.apply(with_main("good", 0), with_main("bad", 4))

    good, bad = kubectl.phase("good", "Succeeded", 90), kubectl.phase("bad", "Failed", 90)

    assert (state(good)[1]["exitCode"], state(bad)[1]["exitCode"]) == (0, 4)
    assert status(good, "side")["state"]["terminated"]["exitCode"] == 5
    assert kubectl("logs good -c side").split() == ["up", "bye"]
