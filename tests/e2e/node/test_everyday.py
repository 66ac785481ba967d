"""What a person does with a pod every day: read its logs, run commands in it, copy, forward, look how it does."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
import urllib.request
from datetime import timedelta
from pathlib import Path

import pytest

from tests.e2e.node.pods import PYTHON, SERVE, PodShell, container, named, once, pod, state, template
from tests.support import KUBECTL, eventually
from windlass.kube.meta import parse_time

pytestmark = pytest.mark.kubectl
_SDK = Path("/usr/lib/google-cloud-sdk/bin")
_OTHERS = [str(path) for path in (_SDK / "kubectl.1.27", _SDK / "kubectl.1.33") if path.exists()]
KUBECTLS = [pytest.param(path, id=Path(path).name) for path in (KUBECTL or "kubectl", *_OTHERS)]
"""The one on the PATH; and the oldest, which speaks SPDY, and one that speaks WebSocket."""

GRUMBLE = "Unknown stream id 1, discarding message"
"""Said where the server's greeting, an empty message, comes before kubectl has made its streams ready."""

STAMP = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z ")


def with_program(kubectl: PodShell, program: str, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return kubectl.server.kubectl("-n", kubectl.namespace, *words, stdin=stdin, check=False, program=program)


def test_logs_are_shown_whole_cut_stamped_and_of_each_container(kubectl: PodShell) -> None:
    counting = container("for n in 1 2 3 4 5; do echo line $n; done")
    kubectl.apply(pod("two", counting, container("echo aside", "aside"), restartPolicy="Never"))
    kubectl.phase("two", "Succeeded")

    assert kubectl("logs two").splitlines() == [f"line {n}" for n in range(1, 6)]
    assert kubectl("logs two --tail=2") == "line 4\nline 5"
    assert kubectl("logs two -c aside") == "aside"
    assert kubectl("logs two --since=1h --tail=1") == "line 5"
    assert kubectl("logs two --since-time=2099-01-01T00:00:00Z") == ""
    assert all(STAMP.match(line) for line in kubectl("logs two --timestamps").splitlines())
    assert sorted(kubectl("logs two --all-containers --prefix --tail=1").splitlines()) == [
        "[pod/two/aside] aside",
        "[pod/two/main] line 5",
    ]
    assert kubectl("logs -l app=two --tail=1") == "line 5"


def test_a_log_is_followed_until_the_container_ends(kubectl: PodShell) -> None:
    kubectl.apply(once("slow", "echo first; until [ -e /tmp/go ]; do sleep 0.1; done; echo last"))
    kubectl.says("slow", "first")

    with kubectl.watching("logs -f slow") as following:
        following.until("first")
        kubectl("exec slow -- touch /tmp/go")
        assert following.ends() == "first\nlast\n"


def test_the_log_of_the_run_before_is_kept(kubectl: PodShell) -> None:
    script = "[ -e /keep/once ] || { touch /keep/once; echo first run; exit 3; }; echo second run; exec sleep infinity"
    keep = {"name": "keep", "emptyDir": {}}
    kubectl.apply(
        pod("again", container(script, volumeMounts=[{"name": "keep", "mountPath": "/keep"}]), volumes=[keep])
    )
    seen = kubectl.until("pods/again", lambda now: state(now)[0] == "running" and restarts(now) == 1)

    assert kubectl.says("again", "second run") == "second run\n"
    assert kubectl("logs again --previous") == "first run"
    assert seen["status"]["containerStatuses"][0]["lastState"]["terminated"]["exitCode"] == 3


def restarts(now: dict) -> int:
    return now["status"]["containerStatuses"][0]["restartCount"]


@pytest.mark.parametrize("program", KUBECTLS)
def test_commands_copies_and_ports_work_with_old_and_new_kubectl(kubectl: PodShell, program: str) -> None:
    kubectl.apply(pod("web", {**container(), "image": PYTHON, "command": SERVE, "workingDir": "/tmp"}))
    kubectl.ready("web")
    kubectl.says("web", "Serving HTTP")

    script = "cat; echo out; echo err >&2; exit 7"
    done = with_program(kubectl, program, "exec", "-i", "web", "--", "sh", "-c", script, stdin="typed\n")
    assert (done.stdout, done.returncode) == ("typed\nout\n", 7)
    said = [line for line in done.stderr.splitlines() if GRUMBLE not in line]
    assert said == ["err", "command terminated with exit code 7"]

    there, back = kubectl.folder / "there.bin", kubectl.folder / "back.bin"
    there.write_bytes(os.urandom(300_000))
    assert with_program(kubectl, program, "cp", str(there), "web:/tmp/there.bin").returncode == 0
    assert with_program(kubectl, program, "cp", "web:/tmp/there.bin", str(back)).returncode == 0
    assert back.read_bytes() == there.read_bytes()

    forward = [program, "--kubeconfig", str(kubectl.server.kubeconfig), "-n", kubectl.namespace, "port-forward"]
    with subprocess.Popen([*forward, "pod/web", ":8080"], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            port = re.search(r"127\.0\.0\.1:(\d+) -> 8080", process.stdout.readline())
            assert port is not None
            with urllib.request.urlopen(f"http://127.0.0.1:{port[1]}/there.bin", timeout=60) as answer:
                assert answer.read() == there.read_bytes()
        finally:
            process.terminate()


def test_a_terminal_has_the_size_of_the_window(kubectl: PodShell) -> None:
    kubectl.apply(pod("shell", container()))
    kubectl.ready("shell")
    mine, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 111, 0, 0))
    argv = [str(KUBECTL), "--kubeconfig", str(kubectl.server.kubeconfig), "-n", kubectl.namespace]
    process = subprocess.Popen(
        [*argv, "exec", "-it", "shell", "--", "sh"], stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    try:
        os.write(mine, b"until [ $(stty size | cut -d' ' -f1) = 33 ]; do sleep 0.1; done; stty size; tty; exit 4\n")
        said = read_all(mine)
        assert "33 111" in said
        assert "/dev/pts/" in said
        assert process.wait(60) == 4
    finally:
        process.kill()
        process.wait()
        os.close(mine)


def read_all(terminal: int, within: float = 90.0) -> str:
    """What is shown until the program has ended."""
    said, deadline = b"", time.monotonic() + within
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 0.5)[0]:
            continue
        try:
            said += os.read(terminal, 4096)
        except OSError:  # the other side is closed
            return said.decode()
    raise AssertionError(f"it does not end: {said!r}")


def test_a_person_attaches_to_a_program_that_reads(kubectl: PodShell) -> None:
    kubectl.apply(pod("reader", container("while read word; do echo read $word; done", stdin=True, stdinOnce=True)))
    kubectl.ready("reader")

    assert kubectl("attach -i reader", "one\ntwo\n").splitlines()[-2:] == ["read one", "read two"]


def test_run_attached_shows_what_the_program_says_and_its_exit_code(kubectl: PodShell) -> None:
    done = kubectl.run(
        "run sum -i --rm --image=busybox --restart=Never -- sh -c 'read a; echo $((a*2)); exit 5'", "21\n"
    )

    assert "42" in done.stdout.splitlines()
    assert done.returncode == 5, done.stderr
    kubectl.gone("pods/sum")


def test_an_interpreter_without_a_command_runs_what_it_is_typed_and_ends_at_once_without(kubectl: PodShell) -> None:
    typed = kubectl.run("run typed -i --rm --image=python:3 --restart=Never", "print(6 * 7)\n")
    kubectl("run silent --image=python:3 --restart=Never")

    assert "42" in typed.stdout.splitlines(), typed.stderr
    assert typed.returncode == 0
    kubectl.phase("silent", "Succeeded")


def test_usage_is_shown_for_pods_and_the_node_and_lets_deployments_grow(kubectl: PodShell) -> None:
    busy = container("while :; do :; done", resources={"requests": {"cpu": "10m"}, "limits": {"cpu": "200m"}})
    spec = {"selector": {"matchLabels": {"app": "busy"}}, "template": template("busy", busy)}
    kubectl.apply(named("Deployment", "busy", "apps/v1", spec=spec))
    eventually(lambda: tells_how_busy(kubectl, "busy"), 120, "figures of a time in which the pod was ready")

    ((pod_name, cpu, memory),) = kubectl.rows("top pod -l app=busy --no-headers")
    assert (pod_name.startswith("busy-"), cpu[-1], memory[-2:]) == (True, "m", "Mi")
    assert kubectl.rows(f"top pod {pod_name} --containers --no-headers")[0][:2] == [pod_name, "main"]
    eventually(lambda: node_use(kubectl) > 0, 60, "figures for the node")
    kubectl("autoscale deployment busy --min=1 --max=2 --cpu-percent=50")
    kubectl.until("deployments/busy", lambda now: now["status"].get("readyReplicas") == 2, 180)


def tells_how_busy(kubectl: PodShell, app: str) -> bool:
    """There are figures by which an autoscaler goes: those from before a pod was ready do not count."""
    path = f"/apis/metrics.k8s.io/v1beta1/namespaces/{kubectl.namespace}/pods?labelSelector=app={app}"
    answer = kubectl.server.request("GET", path)
    figures = answer.json()["items"] if answer.status == 200 else []
    conditions = [one for each in kubectl.pods(f"app={app}") for one in each["status"].get("conditions", [])]
    since = [one["lastTransitionTime"] for one in conditions if (one["type"], one["status"]) == ("Ready", "True")]
    if not figures or not since:
        return False
    span = timedelta(seconds=float(figures[0]["window"].removesuffix("s")))
    return parse_time(figures[0]["timestamp"]) >= parse_time(since[0]) + span


def node_use(kubectl: PodShell) -> int:
    """Thousandths of a processor; 0 where nothing is known yet."""
    done = kubectl.run("top node --no-headers")
    return int(done.stdout.split()[1].removesuffix("m")) if done.returncode == 0 else 0


def test_describe_tells_the_life_of_a_pod(kubectl: PodShell) -> None:
    kubectl.apply(pod("told", container(), nodeSelector={"kubernetes.io/os": "linux"}))
    kubectl.ready("told")
    reasons = ("Scheduled", "Pulled", "Created", "Started")
    for reason in reasons:
        kubectl.event("told", reason)

    told = kubectl("describe pod told")

    node = kubectl("get nodes -o jsonpath={.items[0].metadata.name}")
    assert re.search(rf"Successfully assigned {kubectl.namespace}/told to {node}", told)
    for reason in reasons:
        assert re.search(rf"Normal +{reason} ", told), told
    assert re.search(r"IP: +10\.244\.\d+\.\d+", told)
    assert re.search(r"QoS Class: +BestEffort", told)
    assert re.search(r"Container ID: +windlass://[0-9a-f]{64}", told)


def test_a_deleted_pod_ends_its_program_politely_first(kubectl: PodShell) -> None:
    script = "trap 'echo ending; exit 0' TERM; echo up; while :; do sleep 0.1; done"
    kubectl.apply(pod("polite", container(script), terminationGracePeriodSeconds=120))
    kubectl.says("polite", "up")

    with kubectl.watching("logs -f polite") as following:
        following.until("up")
        kubectl("delete pod polite --timeout=90s")
        assert following.ends() == "up\nending\n"
