"""Pods of templates, and the shell program around their command."""

import re
import subprocess
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.apps.pipelines.argo.simulation import End, Simulation
from tests.apps.pipelines.workflows import a_container, a_workflow
from windlass.apps.pipelines.argo.inputs import Inputs
from windlass.apps.pipelines.argo.naming import fnv32a, node_id, pod_name
from windlass.apps.pipelines.argo.pods.pod_manifest import BadPod, PodContext, build_pod, stored_texts
from windlass.apps.pipelines.argo.pods.wrapper import ARTIFACTS, STATE, TERMINATION_LOG, Files, wrapped
from windlass.kube.json import Object

NONE = Inputs({}, {})


def context(**spec: object) -> PodContext:
    return PodContext(
        workflow="w",
        namespace="ns",
        created=datetime(2026, 1, 2, tzinfo=UTC),
        spec=dict(spec),
        node_id="w-1",
        node_name="w.a",
        pod_name="w-c-1",
    )


def spec_of(template: Object, **spec: object) -> Object:
    return build_pod(template, NONE, context(**spec))["spec"]


@pytest.mark.parametrize(("text", "value"), [("", 2166136261), ("a", 0xE40C292C), ("foobar", 0xBF9CF968)])
def test_names_are_hashed_by_fnv_1a(text: str, value: int) -> None:
    assert fnv32a(text) == value


def test_names_of_nodes_and_pods() -> None:
    assert node_id("w", "w") == pod_name("w", "w", "t") == "w"
    assert node_id("w", "w.a") == f"w-{fnv32a('w.a')}"
    assert len(pod_name("w" * 250, "x", "t" * 60)) <= 253


def test_a_container_without_files_runs_as_it_is_written() -> None:
    template = a_container("c", "run", image="i")
    template["container"]["args"] = ["a"]

    (main,) = spec_of(template)["containers"]

    assert main.pop("terminationMessagePolicy") == "FallbackToLogsOnError"
    assert main == {"name": "main", "image": "i", "command": ["run"], "args": ["a"]}


def test_settings_of_the_workflow_and_the_template_are_combined() -> None:
    template = a_container(
        "c",
        tolerations=[{"key": "b"}],
        nodeSelector={"x": "template"},
        volumes=[{"name": "v", "emptyDir": {}}],
        activeDeadlineSeconds="30",
        metadata={"labels": {"l": "t"}, "annotations": {"a": "t"}},
    )
    pod = build_pod(
        template,
        NONE,
        context(
            tolerations=[{"key": "a"}],
            nodeSelector={"x": "workflow"},
            volumes=[{"name": "v", "hostPath": {}}, {"name": "u", "emptyDir": {}}],
            serviceAccountName="runner",
            imagePullSecrets=[{"name": "s"}],
            podMetadata={"labels": {"l": "w", "m": "w"}},
        ),
    )

    spec = pod["spec"]
    assert [each["key"] for each in spec["tolerations"]] == ["a", "b"]
    assert spec["nodeSelector"] == {"x": "template"}
    assert spec["volumes"] == [{"name": "v", "emptyDir": {}}, {"name": "u", "emptyDir": {}}]
    assert (spec["serviceAccountName"], spec["activeDeadlineSeconds"]) == ("runner", 30)
    assert spec["imagePullSecrets"] == [{"name": "s"}]
    assert spec["restartPolicy"] == "Never"
    assert pod["metadata"]["labels"] == {"l": "t", "m": "w", "workflows.argoproj.io/workflow": "w"}
    annotations = pod["metadata"]["annotations"]
    assert annotations["workflows.argoproj.io/node-name"] == "w.a"
    assert annotations["workflows.argoproj.io/node-type"] == "Pod"


def test_a_patch_merges_containers_by_their_name() -> None:
    patch = "containers:\n- name: main\n  resources: {limits: {memory: 1Gi}}\n"

    (main,) = spec_of(a_container("c", podSpecPatch=patch))["containers"]

    assert main["resources"] == {"limits": {"memory": "1Gi"}}
    assert main["command"] == ["true"]


def test_sidecars_end_with_the_main_container_and_mirror_its_mounts() -> None:
    template = a_container("c", sidecars=[{"name": "s", "image": "i", "mirrorVolumeMounts": True}])
    template["container"]["volumeMounts"] = [{"name": "v", "mountPath": "/v"}]

    (sidecar,) = spec_of(template)["initContainers"]

    assert sidecar["restartPolicy"] == "Always"
    assert sidecar["volumeMounts"] == [{"name": "v", "mountPath": "/v"}]
    assert "mirrorVolumeMounts" not in sidecar


@pytest.mark.parametrize(
    "template",
    [
        {"name": "c", "script": {"image": "i", "source": "true"}},
        a_container("c", outputs={"artifacts": [{"name": "../../etc", "path": "/a"}]}),
        a_container("c", outputs={"parameters": [{"name": "a;b", "valueFrom": {"path": "/a"}}]}),
        a_container("c", podSpecPatch="- list"),
        a_container("c", activeDeadlineSeconds="soon"),
    ],
)
def test_what_cannot_be_a_pod_is_refused(template: Object) -> None:
    with pytest.raises(BadPod):
        build_pod(template, NONE, context())


def test_a_refused_pod_is_an_error_of_its_node() -> None:
    run = Simulation(a_workflow(a_container("c", podSpecPatch="["))).run()

    assert (run.phase, "podSpecPatch" in run.status["message"]) == ("Error", True)


# --- the shell program, run for real in a folder in place of the pod's mounts


def run(command: list[str], files: Files, folder: Path) -> subprocess.CompletedProcess[str]:
    argv = [
        word.replace(ARTIFACTS, f"{folder}/artifacts")
        .replace(STATE, f"{folder}/state")
        .replace(TERMINATION_LOG, f"{folder}/termination-log")
        for word in wrapped(command, files)
    ]
    (folder / "state").mkdir()
    (folder / "artifacts/outputs").mkdir(parents=True)
    return subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False, cwd=folder)


def test_outputs_are_copied_and_the_exit_code_is_kept(tmp_path: Path) -> None:
    out, data = f"{tmp_path}/it's out", f"{tmp_path}/data"
    files = Files(parameters={"p": out, "absent": "/nowhere"}, artifacts={"d": data}, has_result=True)

    done = run(["sh", "-c", f'echo hello; echo 1 > "{out}"; mkdir {data}; echo 2 > {data}/f; exit 3'], files, tmp_path)

    assert (done.returncode, done.stdout) == (3, "hello\n")
    assert (tmp_path / "state/parameters/p").read_text() == "1\n"
    assert (tmp_path / "state/result").read_text() == "hello\n"
    assert (tmp_path / "artifacts/outputs/d/f").read_text() == "2\n"
    assert sorted(each.name for each in (tmp_path / "state").iterdir()) == ["parameters", "result"]


@pytest.mark.parametrize(("code", "expected"), [(0, 64), (3, 3)])
def test_an_output_that_does_not_fit_on_the_disk_fails_its_command(tmp_path: Path, code: int, expected: int) -> None:
    command = f"echo 1 > {tmp_path}/out; ln -s /dev/full {tmp_path}/state/parameters/p; exit {code}"

    done = run(["sh", "-c", command], Files(parameters={"p": f"{tmp_path}/out"}), tmp_path)

    assert done.returncode == expected
    assert "No space left on device" in done.stderr
    message = tmp_path / "termination-log"
    assert message.exists() == (code == 0)
    if code == 0:
        assert re.match("an output cannot be kept: cp: .*No space left on device", message.read_text())


def test_a_link_that_leads_nowhere_is_left_out_of_an_output(tmp_path: Path) -> None:
    data = tmp_path / "data"

    command = f"mkdir {data}; ln -s /nowhere {data}/link; echo 1 > {data}/f"
    done = run(["sh", "-c", command], Files(artifacts={"d": str(data)}), tmp_path)

    assert done.returncode == 0
    assert (tmp_path / "artifacts/outputs/d/f").read_text() == "1\n"


def test_inputs_are_put_in_place_before_the_command_runs(tmp_path: Path) -> None:
    source = tmp_path / "kept"
    source.mkdir()
    (source / "f").write_text("kept")
    text = "it's $raw\n`text`"
    files = Files(
        raw={f"{tmp_path}/in/raw": text},
        copied={f"{tmp_path}/in/copy": str(source)},
        modes={f"{tmp_path}/in/raw": 0o700},
        script="echo from script; cat in/copy/f",
    )

    done = run(["sh"], files, tmp_path)

    assert done.stdout == "from script\nkept"
    assert (tmp_path / "in/raw").read_text() == text
    assert (tmp_path / "in/raw").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("has_result", [False, True])
def test_what_is_printed_is_kept_and_still_printed(tmp_path: Path, has_result: bool) -> None:
    words = ["sh", "-c", "echo out; echo problem >&2; exit 3"]

    done = run(words, Files(has_log=True, has_result=has_result), tmp_path)

    assert done.returncode == 3
    assert sorted(done.stdout.splitlines()) == ["out", "problem"]
    assert sorted((tmp_path / "state/main.log").read_text().splitlines()) == ["out", "problem"]
    if has_result:
        assert (tmp_path / "state/result").read_text() == "out\n"


def test_artifacts_for_other_stores_are_kept_in_the_pods_folder(tmp_path: Path) -> None:
    files = Files(published={"made": f"{tmp_path}/made", "absent": "/nowhere"})

    run(["sh", "-c", f"mkdir -p {tmp_path}/made; echo 1 > {tmp_path}/made/f"], files, tmp_path)

    assert (tmp_path / "state/outputs/made/f").read_text() == "1\n"
    assert [path.name for path in (tmp_path / "state/outputs").iterdir()] == ["made"]


def test_the_mode_of_an_input_may_be_that_of_all_below_it(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/f").write_text("x")
    path = f"{tmp_path}/in"
    files = Files(
        copied={path: f"{tmp_path}/kept", f"{tmp_path}/no": "/nowhere"},
        optional=frozenset({f"{tmp_path}/no"}),
        modes={path: 0o750, f"{tmp_path}/no": 0o600},
        recursive_modes=frozenset({path}),
    )

    assert run(["true"], files, tmp_path).returncode == 0
    assert (tmp_path / "in/f").stat().st_mode & 0o777 == 0o750


def test_arguments_come_after_the_file_of_a_script() -> None:
    template = {"name": "s", "script": {"image": "i", "command": ["sh"], "args": ["a"], "source": "echo"}}

    (main,) = spec_of(template)["containers"]

    assert main["command"][3:] == ["sh", "sh", f"{STATE}/script", "a"]


def test_the_signal_to_end_reaches_the_command(tmp_path: Path) -> None:
    script = "trap 'echo ended; exit 5' TERM; echo ready; while :; do sleep 0.05; done"
    argv = [word.replace(STATE, str(tmp_path)) for word in wrapped(["sh", "-c", script], Files(has_result=True))]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.terminate()
        rest, _ = process.communicate(timeout=60)

    assert (rest, process.returncode) == ("ended\n", 5)


def test_long_texts_come_by_files_of_the_claim(tmp_path: Path) -> None:
    source, data = "x" * 200_000, "y" * 80_000
    template = {"name": "s", "script": {"image": "i", "command": ["sh"], "source": source}}
    inputs = Inputs({}, {n: {"name": n, "path": f"/in/{n}", "raw": {"data": data}} for n in ("a", "b")})

    pod = build_pod(template, inputs, context())
    stored = stored_texts(template, inputs, context())

    (main,) = pod["spec"]["containers"]
    assert all(len(word) < 128 * 1024 for word in main["command"])
    assert stored == {".argo/w-c-1/script": source, ".argo/w-c-1/texts/1": data}
    assert {mount["mountPath"] for mount in main["volumeMounts"]} == {STATE}


@pytest.mark.parametrize("affinity", [{}, {"podAffinity": {"x": []}}])
def test_a_further_attempt_avoids_the_nodes_of_those_that_failed(affinity: Object) -> None:
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    zone: Object = {"key": "zone", "operator": "In", "values": ["a"]}
    given = {**affinity, "nodeAffinity": {required: {"nodeSelectorTerms": [{"matchExpressions": [zone]}]}}}

    for template, before in ((a_container("c"), []), (a_container("c", affinity=given), [zone])):
        made = build_pod(template, NONE, replace(context(), avoided_hosts=["n1"]))["spec"]["affinity"]
        (term,) = made["nodeAffinity"][required]["nodeSelectorTerms"]
        assert term["matchExpressions"] == [
            *before, {"key": "kubernetes.io/hostname", "operator": "NotIn", "values": ["n1"]}
        ]  # fmt: skip


def test_attempts_know_where_earlier_ones_failed() -> None:
    strategy = {"limit": 2, "affinity": {"nodeAntiAffinity": {}}}
    run = Simulation(a_workflow(a_container("c", retryStrategy=strategy)), lambda pod: End(exit_code=1))
    for number in range(3):
        run.turn()
        (pod,) = run.active_pods()
        run.pods[pod] = replace(run.pods[pod], host=f"n{number}", phase="Running")
        run.turn()
        run.end_pod(pod)
    run.run()

    affinities = [pod["spec"].get("affinity") for pod in run.manifests.values()]
    assert affinities[0] is None
    assert "'n0'" in str(affinities[1])
    assert "['n0', 'n1']" in str(affinities[2])
