"""What the sandbox runtime promises, each a story that runs in a process of its own, as root or as an ordinary user.

`python scenarios.py NAME DATA-DIR`; `test_scenarios.py` runs them all.
"""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.node.runtimes import shared_scenarios
from tests.node.runtimes.bench import PATH, Bench, finish, network_of, play, processes, read_until, refusal, until
from windlass.node.runtimes.base import Gone, Limits, Mount, Usage
from windlass.node.runtimes.sandbox.runtime import Sandbox


async def output_exit_code_and_last_words_are_kept(bench: Bench) -> None:
    facts, output = await bench.run("echo out; echo err >&2; printf tail; echo bye >/dev/termination-log; exit 7")

    assert (facts.state, facts.exit_code, facts.message) == ("exited", 7, "bye\n")
    assert sorted(output.split("\n")) == ["", "err", "out", "tail"]


async def a_log_line_is_in_the_format_of_the_container_runtime_interface(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "echo hello; head -c 20000 /dev/zero | tr '\\0' x")
    await bench.ended(uid)

    lines = Path(bench.runtime.log_file(uid, "main", 0)).read_text().splitlines()
    assert [line.split(" ")[1:3] for line in lines] == [["stdout", "F"], ["stdout", "P"], ["stdout", "F"]]
    assert len(lines[0].split(" ")[0]) == len("2026-11-16T00:00:00.000000000Z")
    assert sum(len(line.split(" ", 3)[3]) for line in lines[1:]) == 20000


async def a_log_that_grows_too_long_begins_anew(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "yes 0123456789 | head -c 12000000")
    await bench.ended(uid)

    file = bench.runtime.log_file(uid, "main", 0)
    assert 0 < Path(file).stat().st_size < 2**20 * 10 <= Path(file + ".1").stat().st_size


async def nothing_else_of_the_machine_is_seen(bench: Bench) -> None:
    other = await bench.pod()
    await bench.start(other, "echo mine >/tmp/secret; exec sleep 1000")
    here, source = bench.data, Path(__file__).parent
    _, output = await bench.run(
        f"ls -A /root /home /tmp; ls -d {here} {source} /work /host; ls {here}/node/pods;"
        "ps ax -o comm= | sort -u; ls -l /proc/self/fd | grep -c ' -> '; hostname; kill -0 2; ls /proc/1/root/root"
    )

    assert "secret" not in output
    assert "pod-" not in output.replace(str(here), "")
    assert "python" not in output
    assert "windlass-" not in output.replace(str(here), "")
    assert "\na-host\n" in output
    assert "\n4\n" in output  # 0, 1, 2 and the one that ls opens


async def a_container_cannot_mount_nor_change_the_machine(bench: Bench) -> None:
    _, output = await bench.run(
        "mount -t tmpfs none /mnt && echo BAD; touch /usr/x && echo BAD; touch /opt/x && echo BAD;"
        "umount /usr && echo BAD; umount /proc/sys && echo BAD; echo 1 >/proc/sys/kernel/core_uses_pid && echo BAD;"
        "mount -o remount,rw /usr && echo BAD; cat /etc/shadow && echo BAD; hostname other && echo BAD;"
        "mknod /tmp/disk b 254 0 && cat /tmp/disk && echo BAD; touch /tmp/fine /etc/fine /var/fine /root/fine "
        "&& echo GOOD"
    )

    assert "BAD" not in output
    assert "GOOD" in output


async def what_cannot_be_executed_is_worded_and_remembered(bench: Bench) -> None:
    uid = await bench.pod()
    cases = [
        (("nosuchthing",), "/", 'exec: "nosuchthing": executable file not found in $PATH', 127),
        (("/no/such",), "/", 'exec: "/no/such": stat /no/such: no such file or directory', 127),
        (("/etc/hosts",), "/", 'exec: "/etc/hosts": permission denied', 126),
        (("true",), "/etc/hosts", "not a directory", 128),
    ]
    for attempt, (argv, folder, words, code) in enumerate(cases):
        error = await refusal(bench.start(uid, "", argv=argv, working_dir=folder, attempt=attempt))
        assert words in str(error), error
        assert error.exit_code == code
        run = await bench.ended(uid, attempt=attempt)
        assert (run.reason, run.exit_code) == ("ContainerCannotRun", code)
        assert words in run.message


async def mounts_are_at_their_paths(bench: Bench) -> None:
    folder = bench.data / "volume"
    (folder / "sub").mkdir(parents=True)
    folder.chmod(0o777)
    (folder / "file").write_text("content\n")
    (folder / "escape").symlink_to("/etc")
    mounts = (
        Mount(str(folder / "file"), "/data/deep/er/file", read_only=True),
        Mount(str(folder), "/data"),
        Mount(str(folder), "/usr/share/not-there", read_only=True),
        Mount(str(folder), "/var/run/secrets/token", read_only=True),
        Mount(str(folder / "file"), "/etc/ssl/not/there"),
        Mount("tmpfs", "/memory", size=2**20),
        Mount(str(folder / "file"), "/data/escape/mounted-here"),
    )
    _, output = await bench.run(
        "cat /data/deep/er/file /usr/share/not-there/file /run/secrets/token/file /etc/mounted-here /etc/ssl/not/there;"
        "ls /usr/bin/env;"
        "touch /usr/share/not-there/x && echo BAD; echo x >>/data/deep/er/file && echo BAD;"
        "touch /data/new && echo GOOD;"
        "head -c 2000000 /dev/zero >/memory/x || echo FULL; pwd; ls -d /made/up",
        mounts=mounts,
        working_dir="/made/up",
    )

    assert output.count("content\n") == 5, output
    assert "BAD" not in output
    assert {"GOOD", "FULL", "/made/up", "/usr/bin/env"} <= set(output.split("\n"))
    assert not Path("/etc/mounted-here").exists()


async def a_new_working_directory_is_the_users_own(bench: Bench) -> None:
    file = bench.data / "key"
    file.write_text("secret\n")
    mounts = (Mount(str(file), "/home/somebody/.ssh/key", read_only=True),)
    script = "touch mine && stat -c %u ."

    _, alone = await bench.run(script, working_dir="/new/folder", user=1234)
    _, with_a_mount_in_it = await bench.run(
        f"{script} && cat .ssh/key", working_dir="/home/somebody", user=1234, mounts=mounts
    )
    _, below_the_machines = await bench.run(script, working_dir="/usr/share/new/folder", user=1234)
    _, of_root = await bench.run(script, working_dir="/new/folder")

    assert (alone, below_the_machines, of_root) == ("1234\n", "1234\n", "0\n")
    assert not Path("/usr/share/new").exists()
    assert with_a_mount_in_it == "1234\nsecret\n", with_a_mount_in_it


async def an_environment_in_the_home_of_root_is_for_every_user(bench: Bench) -> None:
    if os.getuid() != 0:
        return  # nobody else has one there
    with tempfile.TemporaryDirectory(dir="/root") as above:
        folder = Path(above, "environment")
        folder.mkdir()
        (folder / "file").write_text("there\n")
        _, output = await bench.run(f"cat {folder}/file; ls /root", user=1234, prefixes=(str(folder),))
        _, of_root = await bench.run(f"touch {above}/beside && echo GOOD", prefixes=(str(folder),))

    assert output.startswith("there\n"), output
    assert "ermission denied" in output
    assert of_root == "GOOD\n", of_root


async def a_missing_mount_source_is_named(bench: Bench) -> None:
    uid = await bench.pod()
    error = await refusal(bench.start(uid, "true", mounts=(Mount(str(bench.data / "nowhere"), "/x"),)))

    assert "nowhere: no such file or directory" in str(error)


async def memory_is_shared_by_the_containers_of_a_pod_alone(bench: Bench) -> None:
    uid = await bench.pod()
    shared = (Mount("tmpfs:cache", "/cache", size=2**20),)
    await bench.start(
        uid, "echo a >/dev/shm/x; echo b >/cache/y; echo ready; exec sleep 1000", name="one", mounts=shared
    )
    await bench.says(uid, "ready", "one")
    await bench.start(uid, "cat /dev/shm/x /cache/y", name="two", mounts=shared)
    await bench.ended(uid, "two")
    _, elsewhere = await bench.run("ls /dev/shm /cache", mounts=shared)

    assert bench.output(uid, "two") == "a\nb\n", bench.output(uid, "two")
    assert "x" not in elsewhere, elsewhere
    assert "y" not in elsewhere, elsewhere


async def pods_can_be_removed_as_soon_as_their_containers_have_ended(bench: Bench) -> None:
    written = (Mount("tmpfs:cache", "/cache"),)
    runs = await asyncio.gather(*(bench.run("mkdir /tmp/a /tmp/b", mounts=written) for _ in range(40)))

    assert [facts.exit_code for facts, _ in runs] == [0] * 40
    await until(lambda: not list((bench.data / "node" / "pods").glob("*/removed-*")))
    assert not list((bench.data / "node" / "pods").glob("*/containers/*/*/root"))


async def a_read_only_root_is_read_only(bench: Bench) -> None:
    _, output = await bench.run(
        "touch /tmp/x && echo BAD; touch /etc/x && echo BAD; touch /x && echo BAD; touch /data/x && echo GOOD",
        read_only_root=True,
        mounts=(Mount("tmpfs", "/data"),),
    )

    assert "BAD" not in output
    assert "GOOD" in output


async def a_container_runs_as_the_user_it_names(bench: Bench) -> None:
    for number in (0, 1234, 2_000_000_000):
        _, output = await bench.run(
            "id -u; id -g; whoami; echo fine >/dev/stdout; touch /tmp/x && echo GOOD", user=number, group=number
        )
        assert output.split() == [str(number), str(number), "root" if number == 0 else "user", "fine", "GOOD"], output


async def capabilities_are_those_of_docker_less_the_dropped(bench: Bench) -> None:
    _, usual = await bench.run("grep CapEff /proc/self/status")
    _, fewer = await bench.run("grep CapEff /proc/self/status", drop_capabilities=("NET_RAW",))
    _, none = await bench.run(
        "grep -E 'CapBnd|NoNewPrivs' /proc/self/status", drop_capabilities=("ALL",), no_new_privileges=True
    )

    assert usual.split()[1] == "00000000a80425fb"
    assert int(fewer.split()[1], 16) == 0xA80425FB & ~(1 << 13)
    assert none.split() == ["CapBnd:", "0" * 16, "NoNewPrivs:", "1"]


async def sigterm_ends_at_once_what_has_no_handler_and_is_left_to_what_has(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "exec sleep 1000", name="deaf")
    await bench.start(uid, "trap 'echo caught; exit 5' TERM; echo ready; while :; do sleep 0.05; done", name="heeds")
    await bench.says(uid, "ready", "heeds")
    for name in ("deaf", "heeds"):
        await bench.runtime.signal_container(uid, name, "SIGTERM")

    assert (await bench.ended(uid, "deaf")).exit_code == 137
    assert (await bench.ended(uid, "heeds")).exit_code == 5
    assert "caught" in bench.output(uid, "heeds")


async def the_end_of_the_first_process_is_the_end_of_all(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "(setsid sleep 987654 &) ; sleep 0.1; exit 0")
    await bench.ended(uid)

    assert not processes("987654")


async def containers_of_a_pod_share_its_network_and_hostname(bench: Bench) -> None:
    uid = await bench.pod()
    script = "readlink /proc/self/ns/net /proc/self/ns/uts /proc/self/ns/ipc"
    await bench.start(uid, script, name="one")
    await bench.start(uid, script, name="two")
    await bench.ended(uid, "one")
    await bench.ended(uid, "two")
    _, elsewhere = await bench.run(script)

    assert bench.output(uid, "one") == bench.output(uid, "two")
    assert not set(elsewhere.split()) & set(bench.output(uid, "one").split())


async def processes_are_shared_when_the_pod_says_so(bench: Bench) -> None:
    uid = await bench.pod(share_processes=True)
    await bench.start(uid, "exec sleep 424242", name="one")
    await bench.start(uid, "(setsid sleep 434343 &); ps ax -o args=; exec sleep 1000", name="two")
    await bench.says(uid, "sleep 424242", "two")
    await bench.runtime.signal_container(uid, "two", "SIGKILL")

    assert (await bench.ended(uid, "two")).exit_code == 137
    await until(lambda: not processes("434343"))
    assert processes("424242")


async def an_ephemeral_container_sees_its_targets_processes(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "exec sleep 515151", name="main")
    await bench.start(uid, "ps ax -o args=", name="debugger", share_processes_with="main")
    await bench.ended(uid, "debugger")

    assert "sleep 515151" in bench.output(uid, "debugger")


async def exec_runs_beside_the_container(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(
        uid,
        "echo there >/tmp/x; echo ready; exec sleep 1000",
        user=1234,
        working_dir="/tmp",
        environment=PATH | {"A": "b"},
    )
    await bench.says(uid, "ready")
    streams = {"stdin": True, "stdout": True, "stderr": True}
    process = await bench.runtime.exec(
        uid, "main", ["sh", "-c", "cat; cat x; id -u; echo $A; exit 9"], tty=False, **streams
    )
    assert process.stdin is not None
    os.write(process.stdin, b"typed\n")
    os.close(process.stdin)
    process.stdin = None

    assert await finish(process) == (9, b"typed\nthere\n1234\nb\n")
    error = await refusal(bench.runtime.exec(uid, "main", ["nosuchthing"], tty=False, **streams))
    assert (str(error), error.exit_code) == ('exec: "nosuchthing": executable file not found in $PATH', 127)


async def exec_with_a_terminal_has_a_size(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "exec sleep 1000")
    process = await bench.runtime.exec(
        uid,
        "main",
        ["sh", "-c", "tty; read x; stty size; echo $TERM; exit 3"],
        stdin=True,
        stdout=True,
        stderr=False,
        tty=True,
    )
    process.resize(101, 33)
    assert process.stdin is not None
    os.write(process.stdin, b"go\n")
    code, output = await finish(process)

    assert code == 3
    assert b"/dev/pts/0" in output
    assert b"33 101" in output
    assert b"xterm" in output


async def closing_an_exec_ends_its_process(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "exec sleep 1000")
    process = await bench.runtime.exec(
        uid, "main", ["sleep", "616161"], stdin=False, stdout=True, stderr=False, tty=False
    )
    await until(lambda: processes("616161"))
    process.close()

    await until(lambda: not processes("616161"))


async def attach_to_a_terminal_types_and_resizes(bench: Bench) -> None:
    uid = await bench.pod()
    resized = 'until [ "$(stty size)" = "20 90" ]; do sleep 0.05; done; stty size'
    await bench.start(uid, f"read x; {resized}; while read x; do echo got $x; done", stdin=True, tty=True)
    process = await bench.runtime.attach(uid, "main", stdin=True, stdout=True, stderr=False)
    process.resize(90, 20)
    assert process.stdin is not None
    os.write(process.stdin, b"go\n")
    await read_until(process.stdout, b"20 90")
    os.write(process.stdin, b"on\n")
    await read_until(process.stdout, b"got on")
    process.close()
    await bench.says(uid, "20 90")
    facts = await bench.runtime.pod_facts(uid)
    assert facts is not None
    assert facts.containers[0].state == "running"


async def one_who_is_attached_and_does_not_read_holds_nothing_up(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "read x; yes | head -c 8000000; exit 0", stdin=True)
    process = await bench.runtime.attach(uid, "main", stdin=True, stdout=True, stderr=False)
    assert process.stdin is not None
    os.write(process.stdin, b"go\n")

    assert (await bench.ended(uid)).exit_code == 0
    process.close()


async def over_its_memory_limit_a_container_is_killed(bench: Bench) -> None:
    uid = await bench.pod()
    hog = "x=$(head -c 200000000 /dev/zero | tr '\\0' x); echo survived; sleep 60"
    await bench.start(uid, hog, limits=Limits(memory=50 * 2**20))
    facts = await bench.ended(uid)

    assert (facts.oom_killed, facts.exit_code) == (True, 137)


async def a_fork_bomb_is_held_by_the_limit_of_processes(bench: Bench) -> None:
    _, output = await bench.run("for i in $(seq 60); do sleep 30 & done; echo ended", limits=Limits(pids=20))

    assert "ended" not in output
    assert "fork" in output


async def usage_is_of_the_containers_processes(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done; sleep 1000")
    await bench.says(uid, "done")

    async def settled() -> Usage | None:
        usage = (await bench.runtime.usage(uid))["main"]
        return usage if usage.processes == 2 else None

    usage = await until(settled)
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
    anchor = network_of(bench.runtime.anchor_pid)
    with (bench.data / "anchor").open() as file:
        assert file.read() == anchor
    again = await bench.start("left", "exit 1", name="goes-on")
    assert again.state == "running"


async def _be_killed(bench: Bench) -> None:
    uid = await bench.pod(uid="left")
    await bench.start(uid, "while :; do echo beat; sleep 0.1; done", name="goes-on")
    await bench.start(uid, "sleep 0.5; exit 6", name="ends")
    (bench.data / "anchor").write_text(network_of(bench.runtime.anchor_pid))
    os.kill(os.getpid(), signal.SIGKILL)


async def when_a_supervisor_is_killed_its_containers_are_too(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "exec sleep 717171")
    facts = await bench.runtime.pod_facts(uid)
    assert facts is not None
    os.kill(facts.pid, signal.SIGKILL)
    run = await bench.ended(uid)

    assert (run.exit_code, run.reason) == (255, "ContainerStatusUnknown")
    await until(lambda: not processes("717171"))
    facts = await bench.runtime.pod_facts(uid)
    assert facts is not None
    assert not facts.alive
    try:
        await bench.start(uid, "true", attempt=1)
    except Gone:
        await bench.pod(uid=uid)
    await bench.start(uid, "exit 2", attempt=1)
    assert (await bench.ended(uid, attempt=1)).exit_code == 2
    assert (await bench.ended(uid)).exit_code == 255


async def a_killed_zygote_is_replaced_in_the_same_network(bench: Bench) -> None:
    uid = await bench.pod()
    before = network_of(bench.runtime.anchor_pid)
    killed = bench.runtime.anchor_pid
    os.kill(killed, signal.SIGKILL)
    await until(lambda: bench.runtime.anchor_pid not in (0, killed))
    await bench.pod()

    assert network_of(bench.runtime.anchor_pid) == before
    await bench.start(uid, "exit 0")
    assert (await bench.ended(uid)).exit_code == 0


async def a_pod_may_be_made_anew_as_soon_as_it_is_removed(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "cd /tmp; for i in $(seq 300); do mkdir -p $i; echo x > $i/x; done; echo made; sleep 1000")
    await bench.says(uid, "made")
    await bench.runtime.remove_pod(uid)
    await bench.pod(uid=uid)
    await bench.start(uid, "ls /tmp; echo mine > /tmp/mine; sleep 0.3; cat /tmp/mine", name="other")
    await bench.start(uid, "ls /tmp; echo mine > /tmp/mine; sleep 0.3; cat /tmp/mine")
    await bench.ended(uid)

    assert bench.output(uid).endswith("made\nmine\n")


async def a_deep_tree_is_removed_with_its_container(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "cd /tmp; for i in $(seq 1500); do mkdir deep; cd deep; done; echo made")
    await bench.ended(uid)
    root = Path(bench.runtime.log_file(uid, "main", 0)).with_name("root")
    await until(lambda: not root.exists())


async def a_removed_pod_is_gone(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "mkdir -p /tmp/a/b; chmod 0 /tmp/a; exec sleep 818181", user=1234)
    await until(lambda: processes("818181"))
    await bench.runtime.remove_pod(uid)

    assert not processes("818181")
    assert await bench.runtime.pod_facts(uid) is None
    await bench.runtime.remove_pod(uid)
    folder = bench.data / "node" / "pods" / uid
    await bench.runtime.remove_folder(folder)
    assert not folder.exists()


async def an_attempt_after_another_starts_from_a_fresh_root(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "touch /tmp/was-here")
    await bench.ended(uid)
    await bench.start(uid, "ls /tmp", attempt=1)
    await bench.ended(uid, attempt=1)

    assert bench.output(uid, attempt=1) == ""


async def the_names_of_the_pod_can_be_set_until_a_container_starts(bench: Bench) -> None:
    uid = await bench.pod(resolv_conf="nameserver 10.96.0.10\n")
    await bench.pod(uid=uid, resolv_conf="nameserver 10.96.0.11\n")
    await bench.start(uid, "cat /etc/resolv.conf; ls /etc/passwd")
    await bench.ended(uid)

    assert bench.output(uid) == "nameserver 10.96.0.11\n/etc/passwd\n"


if __name__ == "__main__":
    play(vars(shared_scenarios) | globals(), Sandbox)
