"""The life of containers: what runs before and beside them, what watches over them, how they end."""

import json
import shlex

import pytest

from tests.e2e.node.pods import PYTHON, Object, PodShell, container, is_ready, once, pod, state, status, waiting
from tests.support import eventually

pytestmark = pytest.mark.kubectl

SHARED = [{"name": "shared", "mountPath": "/shared"}]
EMPTY = {"name": "shared", "emptyDir": {}}
QUICK = {"periodSeconds": 1, "timeoutSeconds": 20, "failureThreshold": 1}


def last(now: Object, container: str = "main") -> Object:
    """How the run before this one ended."""
    return status(now, container).get("lastState", {}).get("terminated", {})


def test_init_containers_run_in_order_before_the_others_and_sidecars_beside_them(kubectl: PodShell) -> None:
    say = "echo {0} >> /shared/order"
    serve = f"{say.format('sidecar')}; while :; do date > /shared/beat; sleep 0.1; done"
    started = {"exec": {"command": ["test", "-e", "/shared/beat"]}, **QUICK, "failureThreshold": 20}
    kubectl.apply(
        pod(
            "orderly",
            container(f"{say.format('main')}; cat /shared/order", volumeMounts=SHARED),
            initContainers=[
                container(say.format("first"), "first", volumeMounts=SHARED),
                container(serve, "sidecar", volumeMounts=SHARED, restartPolicy="Always", startupProbe=started),
                container(f"test -e /shared/beat && {say.format('last')}", "last", volumeMounts=SHARED),
            ],
            volumes=[EMPTY],
            restartPolicy="Never",
        )
    )

    over = kubectl.phase("orderly", "Succeeded")

    assert kubectl("logs orderly -c main").split() == ["first", "sidecar", "last", "main"]
    assert state(over, "first")[1]["reason"] == "Completed"
    assert state(over, "sidecar")[0] == "terminated"


def test_a_pod_does_not_start_while_an_init_container_fails(kubectl: PodShell) -> None:
    kubectl.apply(pod("held", container(), initContainers=[container("exit 2", "first")]))

    held = kubectl.until("pods/held", lambda now: waiting(now, "first") == "CrashLoopBackOff")

    assert last(held, "first")["exitCode"] == 2
    assert waiting(held) == "PodInitializing"
    assert kubectl.rows("get pod held")[1][2] in ("Init:CrashLoopBackOff", "Init:Error")


def test_hooks_run_after_the_start_and_before_the_end(kubectl: PodShell) -> None:
    hooks = {
        "postStart": {"exec": {"command": ["sh", "-c", "echo started >> /shared/hooks"]}},
        "preStop": {"exec": {"command": ["sh", "-c", "echo stopping > /proc/1/fd/1"]}},
    }
    script = "trap 'echo ended; exit 0' TERM; echo up; while :; do sleep 0.1; done"
    main = container(script, lifecycle=hooks, volumeMounts=SHARED)
    kubectl.apply(pod("hooked", main, volumes=[EMPTY], terminationGracePeriodSeconds=20))
    kubectl.ready("hooked")
    assert kubectl("exec hooked -- cat /shared/hooks") == "started"

    with kubectl.watching("logs -f hooked") as following:
        following.until("up")
        kubectl("delete pod hooked")
        assert following.ends() == "up\nstopping\nended\n"


def test_a_last_word_is_kept(kubectl: PodShell) -> None:
    kubectl.apply(
        once("worded", "echo -n disk is full > /dev/termination-log; exit 3"),
        pod(
            "logged",
            container("echo the log tells; exit 4", terminationMessagePolicy="FallbackToLogsOnError"),
            restartPolicy="Never",
        ),
    )

    worded, logged = (state(kubectl.phase(name, "Failed"))[1] for name in ("worded", "logged"))

    assert (worded["reason"], worded["exitCode"], worded["message"]) == ("Error", 3, "disk is full")
    assert (logged["exitCode"], logged["message"]) == (4, "the log tells\n")


def test_a_program_that_takes_too_much_memory_is_killed(kubectl: PodShell) -> None:
    greedy = "held = []\nwhile True:\n    held.append(bytearray(4 * 1024 * 1024))"
    main = container(image=PYTHON, command=["python", "-c", greedy], resources={"limits": {"memory": "64Mi"}})
    kubectl.apply(pod("greedy", main, restartPolicy="Never"))

    over = state(kubectl.phase("greedy", "Failed"))[1]

    assert (over["reason"], over["exitCode"]) == ("OOMKilled", 137)


def test_a_program_that_keeps_failing_is_started_ever_more_slowly(kubectl: PodShell) -> None:
    kubectl.apply(pod("crashing", container("exit 1")))

    held = kubectl.until("pods/crashing", lambda now: waiting(now) == "CrashLoopBackOff" and last(now))

    assert (last(held)["reason"], last(held)["exitCode"]) == ("Error", 1)
    assert "back-off" in state(held)[1]["message"]
    assert kubectl.event("pods/crashing", "BackOff").startswith("Back-off restarting failed container main in pod")
    eventually(lambda: kubectl.rows("get pod crashing")[1][2] == "CrashLoopBackOff", 60, "the word for it")


def test_a_program_that_does_not_live_is_started_again(kubectl: PodShell) -> None:
    probe = {"exec": {"command": ["test", "!", "-e", "/tmp/sick"]}, **QUICK}
    kubectl.apply(pod("sick", container(livenessProbe=probe)))
    kubectl.ready("sick")

    kubectl("exec sick -- touch /tmp/sick")
    again = kubectl.until("pods/sick", lambda now: status(now)["restartCount"] == 1 and is_ready(now))

    assert last(again)["exitCode"] in (137, 143)
    assert kubectl.event("pods/sick", "Unhealthy").startswith("Liveness probe failed")
    assert "failed liveness probe, will be restarted" in kubectl.event("pods/sick", "Killing")


def test_a_slow_start_holds_the_other_probes_back(kubectl: PodShell) -> None:
    probe = {"exec": {"command": ["test", "-e", "/tmp/up"]}, "periodSeconds": 1, "timeoutSeconds": 20}
    slow = container(
        startupProbe={**probe, "failureThreshold": 60},
        livenessProbe={**probe, "failureThreshold": 1},
        readinessProbe=probe,
    )
    kubectl.apply(pod("slow", slow))
    kubectl.event("pods/slow", "Unhealthy")
    held = kubectl.get("pods/slow")
    assert (status(held)["started"], status(held)["ready"], status(held)["restartCount"]) == (False, False, 0)

    kubectl("exec slow -- touch /tmp/up")
    up = kubectl.ready("slow")
    assert (status(up)["started"], status(up)["restartCount"]) == (True, 0)


def test_a_pod_knows_itself_by_the_downward_api(kubectl: PodShell) -> None:
    def field(path: str) -> Object:
        return {"valueFrom": {"fieldRef": {"fieldPath": path}}}

    env = [
        {"name": "NAME", **field("metadata.name")},
        {"name": "NODE", **field("spec.nodeName")},
        {"name": "IP", **field("status.podIP")},
        {"name": "APP", **field("metadata.labels['app']")},
        {"name": "CPUS", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1m"}}},
        {"name": "GREETING", "value": "I am $(NAME), not $$(NAME) nor $(NOBODY)"},
    ]
    labels = {"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}
    main = {
        **container(env=env, volumeMounts=SHARED, resources={"limits": {"cpu": "500m"}}),
        "command": ["sh", "-c", "env; cat /shared/labels; echo; echo args $0 $1", "$(NAME)"],
        "args": ["$(NODE)"],
    }
    volume = {"name": "shared", "downwardAPI": {"items": [labels]}}
    kubectl.apply(pod("self", main, volumes=[volume], restartPolicy="Never"))

    over = kubectl.phase("self", "Succeeded")

    said = kubectl("logs self").splitlines()
    node = over["spec"]["nodeName"]
    told = dict(line.split("=", 1) for line in said if "=" in line)
    assert (told["NAME"], told["NODE"], told["APP"], told["CPUS"]) == ("self", node, "self", "500")
    assert told["IP"] == over["status"]["podIP"]
    assert told["GREETING"] == "I am self, not $(NAME) nor $(NOBODY)"
    assert told["app"] == '"self"'
    assert said[-1] == f"args self {node}"


def test_settings_come_from_config_maps_and_secrets(kubectl: PodShell) -> None:
    kubectl("create configmap settings --from-literal=COLOUR=red --from-literal=file.txt=content")
    kubectl("create secret generic login --from-literal=password=hidden")
    secret = {"secretKeyRef": {"name": "login", "key": "password"}}
    main = container(
        "echo $PRE_COLOUR $PASSWORD; cat /etc/app/file.txt; ls /etc/app; stat -L -c %a /secret/word; cat /secret/word",
        envFrom=[{"configMapRef": {"name": "settings"}, "prefix": "PRE_"}],
        env=[{"name": "PASSWORD", "valueFrom": secret}],
        volumeMounts=[
            {"name": "settings", "mountPath": "/etc/app/file.txt", "subPath": "file.txt"},
            {"name": "login", "mountPath": "/secret", "readOnly": True},
        ],
    )
    login = {"secretName": "login", "items": [{"key": "password", "path": "word", "mode": 0o400}]}
    volumes = [{"name": "settings", "configMap": {"name": "settings"}}, {"name": "login", "secret": login}]
    kubectl.apply(pod("app", main, volumes=volumes, restartPolicy="Never"))
    kubectl.phase("app", "Succeeded")

    assert kubectl("logs app").split() == ["red", "hidden", "contentfile.txt", "400", "hidden"]


def test_a_mounted_config_map_follows_its_object(kubectl: PodShell) -> None:
    kubectl("create configmap settings --from-literal=colour=red")
    mounts = [{"name": "settings", "mountPath": "/settings"}]
    volume = {"name": "settings", "configMap": {"name": "settings"}}
    kubectl.apply(pod("follower", container(volumeMounts=mounts), volumes=[volume]))
    kubectl.ready("follower")
    assert kubectl("exec follower -- cat /settings/colour") == "red"

    kubectl("patch configmap settings -p " + shlex.quote(json.dumps({"data": {"colour": "blue"}})))

    eventually(lambda: kubectl("exec follower -- cat /settings/colour") == "blue", 90, "the new colour")


def test_containers_of_a_pod_share_its_network_and_if_wished_its_processes(kubectl: PodShell) -> None:
    kubectl.apply(
        pod("apart", container("exec sleep 4321"), container(name="other")),
        pod("together", container("exec sleep 4321"), container(name="other"), shareProcessNamespace=True),
    )
    for name in ("apart", "together"):
        kubectl.ready(name)
    commands = "cat /proc/[0-9]*/cmdline | tr '\\0' ' '"

    assert "sleep 4321" not in kubectl(f'exec apart -c other -- sh -c "{commands}"')
    assert "sleep 4321" in kubectl(f'exec together -c other -- sh -c "{commands}"')
    network = "exec apart -c {0} -- readlink /proc/self/ns/net"
    assert kubectl(network.format("main")) == kubectl(network.format("other"))


def test_a_program_is_who_it_should_be_and_writes_only_where_it_may(kubectl: PodShell) -> None:
    context = {"runAsUser": 1234, "runAsGroup": 2345, "readOnlyRootFilesystem": True}
    script = "id -u; id -g; touch /note 2>&1 | grep -o Read-only; touch /shared/note && echo noted"
    main = container(script, securityContext=context, volumeMounts=SHARED)
    kubectl.apply(pod("somebody", main, volumes=[EMPTY], restartPolicy="Never"))
    kubectl.phase("somebody", "Succeeded")

    assert kubectl("logs somebody").split() == ["1234", "2345", "Read-only", "noted"]


def test_an_image_that_would_be_root_is_refused_where_that_is_not_wished(kubectl: PodShell) -> None:
    kubectl.apply(pod("root", container(securityContext={"runAsNonRoot": True})))

    held = kubectl.until("pods/root", lambda now: waiting(now) == "CreateContainerConfigError")

    assert "container has runAsNonRoot and image will run as root" in state(held)[1]["message"]


def test_a_stranger_looks_into_a_pod_with_debug(kubectl: PodShell) -> None:
    kubectl.apply(pod("patient", container("exec sleep 4321")))
    kubectl.ready("patient")

    command = 'sh -c \'cat /proc/[0-9]*/cmdline | tr "\\0" " "; echo; hostname; exec sleep infinity\''
    kubectl(f"debug patient --image=busybox -c doctor --target=main -- {command}")

    kubectl.until("pods/patient", lambda now: state(now, "doctor")[0] == "running")
    eventually(lambda: "patient" in kubectl("logs patient -c doctor"), 60, "the doctor's word")
    assert "sleep 4321" in kubectl("logs patient -c doctor")


def test_a_pod_may_know_hosts_by_names_of_its_own(kubectl: PodShell) -> None:
    aliases = [{"ip": "10.1.2.3", "hostnames": ["upstream", "upstream.example"]}]
    kubectl.apply(once("knowing", "getent hosts upstream; hostname; cat /etc/hosts", hostAliases=aliases))
    over = kubectl.phase("knowing", "Succeeded")

    said = kubectl("logs knowing").splitlines()
    assert said[0].split() == ["10.1.2.3", "upstream", "upstream.example"]
    assert said[1] == "knowing"
    assert [over["status"]["podIP"], "knowing"] in [line.split() for line in said]
