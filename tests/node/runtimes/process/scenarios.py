"""What the process runtime promises, each a story that runs in a process of its own, as root or as an ordinary user.

`python scenarios.py NAME DATA-DIR`; `test_scenarios.py` runs them all.
"""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from tests.node.runtimes import shared_scenarios
from tests.node.runtimes.bench import PATH, Bench, finish, play, processes, read_until, refusal, until
from windlass.node.runtimes.base import Gone, Limits, Mount, Usage
from windlass.node.runtimes.process import table
from windlass.node.runtimes.process.adapt import TOKEN
from windlass.node.runtimes.process.runtime import Processes


async def output_exit_code_and_last_words_are_kept(bench: Bench) -> None:
    facts, output = await bench.run("echo out; echo err >&2; printf tail; echo bye >$WINDLASS_TERMINATION_LOG; exit 7")

    assert (facts.state, facts.exit_code, facts.message) == ("exited", 7, "bye\n")
    assert sorted(output.split("\n")) == ["", "err", "out", "tail"]


async def a_container_has_a_folder_of_its_own(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "pwd; echo $HOME; echo $WINDLASS_ROOT; echo x >$TMPDIR/x; touch here; echo done; sleep 1000")
    await bench.says(uid, "done")
    folder = Path(bench.runtime.log_file(uid, "main", 0)).parent / "root"

    assert bench.output(uid).split()[:3] == [str(folder)] * 3
    assert (folder / "here").exists()
    assert (folder / "tmp" / "x").exists()
    await bench.runtime.signal_container(uid, "main", "SIGTERM")
    await until(lambda: not folder.exists())


async def a_working_dir_that_is_not_there_is_made(bench: Bench) -> None:
    _, made = await bench.run("pwd", working_dir="/nowhere/before")
    _, there = await bench.run("pwd", working_dir="/usr/bin")

    assert made.strip().endswith("/root/nowhere/before")
    assert there == "/usr/bin\n"
    assert not Path("/nowhere").exists()


async def a_home_that_is_not_there_is_made(bench: Bench) -> None:
    _, made = await bench.run("cd; pwd", environment={**PATH, "HOME": "/nowhere/home"})
    _, there = await bench.run("echo $HOME", environment={**PATH, "HOME": "/usr"})

    assert made.strip().endswith("/root/nowhere/home")
    assert there == "/usr\n"
    assert not Path("/nowhere").exists()


async def files_of_an_image_are_in_the_containers_own_folder(bench: Bench) -> None:
    program = bench.data / "program"
    program.write_text("echo shipped")
    file = Mount(str(program), "/opt/image/program", of_image=True)

    _, said = await bench.run('sh "$WINDLASS_ROOT/opt/image/program"', mounts=(file,))

    assert said == "shipped\n"
    assert not Path("/opt/image").exists()


async def a_volume_is_reported_and_is_at_its_path_while_the_pod_is(bench: Bench) -> None:
    volume, target = bench.data / "volume", bench.data / "some" / "where" / "data-1"
    volume.mkdir()
    (volume / "file").write_text("content\n")
    variable = "WINDLASS_MOUNT" + re.sub("[^A-Z0-9]+", "_", str(target).upper())
    uid = await bench.pod()
    mounts = (Mount(str(volume), str(target)),)
    await bench.start(uid, f"cat {target}/file ${variable}/file; pwd", mounts=mounts, working_dir=f"{target}")
    await bench.ended(uid)
    await bench.start(uid, f"cat {target}/file", name="again", mounts=mounts)
    await bench.ended(uid, "again")

    await bench.says(uid, f"{volume}\n")
    assert bench.output(uid) == f"content\ncontent\n{volume}\n", bench.output(uid)
    await bench.says(uid, "content\n", "again")
    assert bench.output(uid, "again") == "content\n"
    await bench.runtime.remove_pod(uid)
    assert not (bench.data / "some").exists()
    assert (volume / "file").exists()


async def a_mount_path_that_cannot_be_had_is_refused_by_name(bench: Bench) -> None:
    volume = bench.data / "volume"
    volume.mkdir()
    taken = bench.data / "taken"
    other = await bench.pod()
    await bench.start(other, "exec sleep 1000", mounts=(Mount(str(volume), str(taken)),))
    (bench.data / "second").mkdir()
    cases = [
        (Mount(str(volume), "/usr/bin"), 'mountPath "/usr/bin": it exists on this machine'),
        (Mount(str(volume), "/proc/x/y"), 'mountPath "/proc/x/y":'),
        (Mount(str(bench.data / "second"), str(taken)), f'mountPath "{taken}": it is a volume of another pod'),
        (Mount(str(bench.data / "none"), "/data"), "none: no such file or directory"),
    ]
    uid = await bench.pod()
    for attempt, (mount, words) in enumerate(cases):
        assert words in str(await refusal(bench.start(uid, "true", attempt=attempt, mounts=(mount,))))
        run = await bench.ended(uid, attempt=attempt)
        assert words in run.message
        assert run.exit_code == 128


async def the_token_of_the_service_account_is_found_by_a_kubeconfig(bench: Bench) -> None:
    folder = bench.data / "token"
    folder.mkdir()
    (folder / "token").write_text("secret")
    places = {"10.96.0.1": table.Place("127.0.0.1", {"443": 6443})}
    table.write(bench.data, table.Table(places))
    environment = PATH | {"KUBERNETES_SERVICE_HOST": "10.96.0.1", "KUBERNETES_SERVICE_PORT": "443"}
    facts, output = await bench.run(
        "cat $KUBECONFIG; cat $WINDLASS_MOUNT_VAR_RUN_SECRETS_KUBERNETES_IO_SERVICEACCOUNT/token",
        mounts=(Mount(str(folder), TOKEN, read_only=True),),
        environment=environment,
    )

    assert facts.exit_code == 0
    assert '"server":"https://127.0.0.1:6443"' in output
    assert f'"tokenFile":"{folder}/token"' in output
    assert output.endswith("secret\n")


async def what_no_plain_process_can_have_is_refused_by_name(bench: Bench) -> None:
    uid = await bench.pod()
    cases = [
        ({"user": 4321}, "runAsUser 4321"),
        ({"group": 4321}, "runAsGroup 4321"),
        ({"read_only_root": True}, "readOnlyRootFilesystem"),
    ]
    for attempt, (fields, words) in enumerate(cases):
        assert words in str(await refusal(bench.start(uid, "true", attempt=attempt, **fields)))
    facts, _ = await bench.run("exit 0", user=os.getuid(), group=os.getgid())
    assert facts.exit_code == 0
    facts, _ = await bench.run("exit 0", user=4321, user_of_image=True)
    assert facts.exit_code == 0
    assert "net.core.somaxconn" in str(await refusal(bench.pod(sysctls={"net.core.somaxconn": "1"})))


async def what_cannot_be_executed_is_worded_and_remembered(bench: Bench) -> None:
    uid = await bench.pod()
    cases = [
        (("nosuchthing",), 'exec: "nosuchthing": executable file not found in $PATH', 127),
        (("/etc/passwd",), 'exec: "/etc/passwd": permission denied', 126),
    ]
    for attempt, (argv, words, code) in enumerate(cases):
        error = await refusal(bench.start(uid, "", argv=argv, attempt=attempt))
        assert (words in str(error), error.exit_code) == (True, code), error
        run = await bench.ended(uid, attempt=attempt)
        assert (run.reason, run.exit_code) == ("ContainerCannotRun", code)


async def root_has_no_more_capabilities_than_in_a_container(bench: Bench) -> None:
    _, usual = await bench.run("grep CapEff /proc/self/status")
    _, none = await bench.run(
        "grep -E 'CapEff|NoNewPrivs' /proc/self/status", drop_capabilities=("ALL",), no_new_privileges=True
    )

    assert usual.split()[1] == ("00000000a80425fb" if os.getuid() == 0 else "0" * 16)
    assert none.split() == ["CapEff:", "0" * 16, "NoNewPrivs:", "1"]


async def signals_do_what_they_do_to_every_process(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "exec sleep 1000", name="plain")
    await bench.start(uid, "trap 'echo caught; exit 5' TERM; echo ready; while :; do sleep 0.05; done", name="heeds")
    await bench.says(uid, "ready", "heeds")
    for name in ("plain", "heeds"):
        await bench.runtime.signal_container(uid, name, "SIGTERM")

    assert ((await bench.ended(uid, "plain")).exit_code, (await bench.ended(uid, "plain")).signal) == (143, 15)
    assert (await bench.ended(uid, "heeds")).exit_code == 5


async def the_end_of_the_first_process_is_the_end_of_all(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "(setsid sleep 987655 &) ; (env -i setsid sleep 987656 &); sleep 0.2; exit 0", name="one")
    await bench.start(uid, "(setsid sleep 987657 &) ; exec sleep 1000", name="two")
    await bench.ended(uid, "one")
    await until(lambda: processes("987657"))

    await until(lambda: not processes("987655"))
    await bench.runtime.signal_container(uid, "two", "SIGKILL")
    assert (await bench.ended(uid, "two")).exit_code == 137
    await until(lambda: not processes("987657"))
    await bench.runtime.remove_pod(uid)
    assert not processes("987656")


async def orphans_are_reaped(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "for i in 1 2 3 4 5; do (sleep 0.05 &) ; done; echo ready; exec sleep 1000")
    await bench.says(uid, "ready")
    facts = await bench.runtime.pod_facts(uid)
    assert facts is not None
    children = Path(f"/proc/{facts.pid}/task/{facts.pid}/children")

    await until(lambda: len(children.read_text().split()) == 1)


async def exec_runs_beside_the_container(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "echo there >x; echo ready; exec sleep 1000", environment=PATH | {"A": "b"})
    await bench.says(uid, "ready")
    process = await bench.runtime.exec(
        uid, "main", ["sh", "-c", "cat; cat x; echo $A; exit 9"], stdin=True, stdout=True, stderr=True, tty=False
    )
    assert process.stdin is not None
    os.write(process.stdin, b"typed\n")
    os.close(process.stdin)
    process.stdin = None

    assert await finish(process) == (9, b"typed\nthere\nb\n")


async def exec_can_have_a_terminal(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "exec sleep 1000")
    process = await bench.runtime.exec(
        uid, "main", ["sh", "-c", "read x; stty size; tty"], stdin=True, stdout=True, stderr=False, tty=True
    )
    process.resize(100, 30)
    assert process.stdin is not None
    os.write(process.stdin, b"go\n")
    code, output = await finish(process)

    assert code == 0
    assert b"30 100" in output
    assert b"/dev/pts/" in output


async def a_process_of_exec_ends_with_who_asked_for_it(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "exec sleep 1000")
    process = await bench.runtime.exec(
        uid, "main", ["sleep", "616162"], stdin=False, stdout=True, stderr=False, tty=False
    )
    await until(lambda: processes("616162"))
    process.close()

    await until(lambda: not processes("616162"))


async def attach_to_a_terminal_types_and_resizes(bench: Bench) -> None:
    uid = await bench.pod()
    resized = 'until [ "$(stty size)" = "20 90" ]; do sleep 0.05; done; stty size'
    await bench.start(uid, f"read x; {resized}; read x", stdin=True, tty=True)
    process = await bench.runtime.attach(uid, "main", stdin=True, stdout=True, stderr=False)
    process.resize(90, 20)
    assert process.stdin is not None
    os.write(process.stdin, b"go\n")
    await read_until(process.stdout, b"20 90")
    process.close()


async def over_its_memory_limit_a_container_is_killed(bench: Bench) -> None:
    uid = await bench.pod()
    hog = "(x=$(head -c 200000000 /dev/zero | tr '\\0' x); sleep 60); echo survived"
    await bench.start(uid, hog, limits=Limits(memory=50 * 2**20))
    facts = await bench.ended(uid)

    assert (facts.oom_killed, facts.exit_code) == (True, 137)


async def usage_is_of_the_containers_processes(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(
        uid, "(setsid sleep 1000 &); i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done; sleep 1000"
    )
    await bench.says(uid, "done")

    async def all_three() -> Usage | None:
        usage = (await bench.runtime.usage(uid))["main"]
        return usage if usage.processes == 3 else None

    usage = await until(all_three)
    assert usage.cpu_seconds > 0.02
    assert 50_000 < usage.memory_bytes < 50_000_000


async def an_agent_that_was_killed_finds_its_pods_again(bench: Bench) -> None:
    """Another process is the first agent, and is killed while one container runs and one is about to end."""
    await bench.runtime.stop(pods=False)
    subprocess.run([sys.executable, __file__, "_be_killed", str(bench.data)], check=False, timeout=60)
    bench.become_another_agent()
    await bench.runtime.start()
    facts = (await bench.runtime.facts())["left"]

    assert facts.alive
    assert [(c.name, c.state) for c in facts.containers if c.name == "goes-on"] == [("goes-on", "running")]
    assert (await bench.ended("left", "ends")).exit_code == 6
    await bench.says("left", "beat", "goes-on")
    again = await bench.start("left", "exit 1", name="goes-on")
    assert again.state == "running"


async def _be_killed(bench: Bench) -> None:
    uid = await bench.pod(uid="left")
    await bench.start(uid, "while :; do echo beat; sleep 0.1; done", name="goes-on")
    await bench.start(uid, "sleep 0.5; exit 6", name="ends")
    os.kill(os.getpid(), signal.SIGKILL)


async def when_a_supervisor_is_killed_its_containers_are_too(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "(setsid sleep 717173 &); exec sleep 717172")
    await until(lambda: processes("717173"))
    facts = await bench.runtime.pod_facts(uid)
    assert facts is not None
    os.kill(facts.pid, signal.SIGKILL)
    run = await bench.ended(uid)

    assert (run.exit_code, run.reason) == (255, "ContainerStatusUnknown")
    await until(lambda: not processes("717172"))
    await until(lambda: not processes("717173"))
    try:
        await bench.start(uid, "true", attempt=1)
    except Gone:
        await bench.pod(uid=uid)
    await bench.start(uid, "exit 2", attempt=1)
    assert (await bench.ended(uid, attempt=1)).exit_code == 2


async def a_removed_pod_is_gone(bench: Bench) -> None:
    uid = await bench.pod()
    shared = (Mount("tmpfs:cache", str(bench.data / "cache")),)
    await bench.start(uid, f"echo x >{bench.data}/cache/y; exec sleep 818182", mounts=shared)
    await until(lambda: processes("818182"))
    await until(lambda: (bench.data / "cache" / "y").exists())
    memory = (bench.data / "cache").readlink()
    await bench.runtime.remove_pod(uid)

    assert not processes("818182")
    assert await bench.runtime.pod_facts(uid) is None
    assert not (bench.data / "cache").is_symlink()
    assert not memory.exists()
    await bench.runtime.remove_pod(uid)


if __name__ == "__main__":
    play(vars(shared_scenarios) | globals(), Processes)
