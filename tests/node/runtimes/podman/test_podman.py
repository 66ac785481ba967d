"""The podman runtime with a podman of its own: real containers, of an image made from this machine's static busybox.

Skipped, by name, where podman or busybox is missing or where podman cannot run a container. As root alone.
"""

import asyncio
import os
import resource
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support import Windlass, eventually, running
from windlass.kube.connect import by_kubeconfig
from windlass.kube.json import Object
from windlass.node.images.image import PullFailed
from windlass.node.runtimes.base import CannotRun, ContainerFacts, ContainerSpec, Gone, Limits, Mount, PodSpec
from windlass.node.runtimes.podman import logs
from windlass.node.runtimes.podman.network import PodmanNetwork
from windlass.node.runtimes.podman.runtime import Podman, connect
from windlass.node.runtimes.process import table
from windlass.node.service_links import service_links

IMAGE = "localhost/windlass-test-busybox:1"
PATH = {"PATH": "/bin"}
PROGRAMS = (
    "cat echo env hostname httpd id kill ls mkdir nc nslookup ps pwd readlink seq sh sleep stty touch tr tty wget yes"
)
_STORAGE = '[storage]\ndriver = "vfs"\nrunroot = "{0}/runroot"\ngraphroot = "{0}/graph"\n'


def _settings(folder: Path) -> dict[str, str]:
    """A podman that keeps everything in `folder`, and asks for no more than this machine gives."""
    (folder / "storage.conf").write_text(_STORAGE.format(folder))
    files = min(resource.getrlimit(resource.RLIMIT_NOFILE)[1], 1024)
    limits = f'default_ulimits = ["nofile={files}:{files}", "nproc=1024:1024"]'
    runtime = 'runtime = "runc"\n' if shutil.which("runc") else ""
    engine = f'[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\ntmp_dir = "{folder}/tmp"\n{runtime}'
    (folder / "containers.conf").write_text(f"[containers]\n{limits}\n{engine}")
    paths = {"CONTAINERS_STORAGE_CONF": folder / "storage.conf", "CONTAINERS_CONF": folder / "containers.conf"}
    return os.environ | {name: str(path) for name, path in paths.items()}


def _import_busybox(folder: Path, environment: dict[str, str]) -> None:
    root = folder / "root"
    for name in ("bin", "etc", "tmp"):
        (root / name).mkdir(parents=True)
    (root / "tmp").chmod(0o1777)
    shutil.copy("/bin/busybox", root / "bin" / "busybox")
    for name in PROGRAMS.split():
        (root / "bin" / name).symlink_to("busybox")
    subprocess.run(["tar", "-C", str(root), "-cf", str(folder / "root.tar"), "."], check=True)
    subprocess.run(
        ["podman", "import", "-q", str(folder / "root.tar"), IMAGE], check=True, env=environment, capture_output=True
    )


@pytest.fixture(scope="module")
def podman() -> Iterator[Path]:
    """The socket of a podman that serves its API."""
    if shutil.which("podman") is None:
        pytest.skip("podman is not installed")
    if os.getuid() != 0:
        pytest.skip("the tests of podman are run by root alone")
    if not Path("/bin/busybox").exists():
        pytest.skip("there is no static busybox to make an image of")
    folder = Path(tempfile.mkdtemp(prefix="windlass-podman-", dir="/var/tmp"))
    environment = _settings(folder)
    service = None
    try:
        _import_busybox(folder, environment)
        tried = subprocess.run(
            ["podman", "run", "--rm", IMAGE, "echo", "ok"],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        if tried.stdout != "ok\n":
            pytest.skip(f"podman cannot run containers here: {tried.stderr.strip()}")
        path = folder / "podman.sock"
        service = subprocess.Popen(
            ["podman", "system", "service", "-t", "0", f"unix://{path}"],
            cwd=folder,
            env=environment,
            stderr=subprocess.DEVNULL,
        )
        eventually(path.exists)
        yield path
    finally:
        if service is not None:
            service.terminate()
            service.wait(20)
        subprocess.run(["podman", "rm", "-af"], env=environment, capture_output=True, timeout=60, check=False)
        _end_monitors(folder)
        shutil.rmtree(folder, ignore_errors=True)


def _end_monitors(folder: Path) -> None:
    """podman keeps the monitor of a process of exec for five minutes, lest somebody asks for its exit code."""
    for each in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (each / "cmdline").read_bytes()
        except OSError:
            continue
        if b"conmon" in arguments and str(folder).encode() in arguments:
            os.kill(int(each.name), signal.SIGKILL)


class Bench:
    def __init__(self, runtime: Podman, data: Path) -> None:
        self.runtime, self.data = runtime, data

    async def pod(self, uid: str = "p1", **fields: Any) -> str:
        folder = str(self.data / "node" / "pods" / uid)
        fields = {"hosts": "127.0.0.1\tlocalhost\n", **fields}
        await self.runtime.start_pod(PodSpec(uid, "default", uid, folder, "a-host", **fields))
        return uid

    async def start(
        self, script: str, name: str = "main", attempt: int = 0, uid: str = "p1", **fields: Any
    ) -> ContainerFacts:
        fields = {"argv": ("sh", "-c", script), "environment": PATH, "image": IMAGE, **fields}
        return await self.runtime.start_container(uid, ContainerSpec(name=name, attempt=attempt, **fields))

    async def ended(self, name: str = "main", attempt: int = 0, uid: str = "p1") -> ContainerFacts:
        async def run() -> ContainerFacts | None:
            facts = await self.runtime.pod_facts(uid)
            assert facts is not None
            found = [c for c in facts.containers if (c.name, c.attempt, c.state) == (name, attempt, "exited")]
            return found[0] if found else None

        return await until(run)

    def output(self, name: str = "main", attempt: int = 0, uid: str = "p1") -> str:
        file = Path(self.runtime.log_file(uid, name, attempt))
        lines = file.read_text().splitlines(keepends=True) if file.exists() else []
        return "".join(line.split(" ", 3)[3] for line in lines)

    async def says(self, text: str, name: str = "main", uid: str = "p1") -> None:
        await until(lambda: text in self.output(name, uid=uid))


async def until(condition: Callable[[], Any], within: float = 60) -> Any:
    async with asyncio.timeout(within):
        while True:
            found = condition()
            found = await found if isinstance(found, Awaitable) else found
            if found:
                return found
            await asyncio.sleep(0.02)


@asynccontextmanager
async def benched(podman: Path, data: Path, *, keep: bool = False) -> AsyncIterator[Bench]:
    (data / "run").mkdir(exist_ok=True)
    if not (data / "run" / "engine.sock").is_symlink():
        (data / "run" / "engine.sock").symlink_to(podman)
    engine = await connect(data)
    runtime = Podman(data, engine)
    await runtime.start()
    try:
        yield Bench(runtime, data)
    finally:
        await runtime.stop(pods=not keep)


Story = Callable[[Bench], Awaitable[None]]


@pytest.fixture
def tell(podman: Path, tmp_path: Path) -> Callable[[Story], None]:
    def told(story: Story) -> None:
        async def run() -> None:
            async with benched(podman, tmp_path) as bench:
                await story(bench)

        asyncio.run(asyncio.wait_for(run(), 200))

    return told


def test_output_exit_code_and_last_words_are_kept(tell: Callable[[Story], None]) -> None:
    async def story(bench: Bench) -> None:
        await bench.pod()
        await bench.start("echo out; echo err >&2; echo bye >/dev/termination-log; exit 7", spec_hash="h")
        facts = await bench.ended()
        assert (facts.exit_code, facts.message, facts.spec_hash, facts.reason) == (7, "bye\n", "h", "")
        await until(lambda: sorted(bench.output().split()) == ["err", "out"])

    tell(story)


def test_containers_of_a_pod_share_its_name_network_and_memory(tell: Callable[[Story], None]) -> None:
    async def story(bench: Bench) -> None:
        await bench.pod(hosts="127.0.0.1\tlocalhost\n1.2.3.4\tsomewhere\n", resolv_conf="nameserver 5.6.7.8\n")
        look = "hostname; readlink /proc/self/ns/net; readlink /proc/self/ns/ipc; cat /etc/hosts /etc/resolv.conf"
        for name in ("one", "two"):
            await bench.start(look, name=name)
            await bench.ended(name)
            await bench.says("nameserver 5.6.7.8", name)
        assert bench.output("one") == bench.output("two")
        assert bench.output("one").startswith("a-host\n")
        assert "somewhere" in bench.output("one")

    tell(story)


def test_mounts_user_and_root_are_as_asked_for(tell: Callable[[Story], None], tmp_path: Path) -> None:
    volume = tmp_path / "volume"
    volume.mkdir()
    (volume / "file").write_text("content\n")
    volume.chmod(0o777)

    async def story(bench: Bench) -> None:
        await bench.pod()
        mounts = (
            Mount(str(volume), "/data"),
            Mount(str(volume), "/ro", read_only=True),
            Mount("tmpfs", "/m", size=4096),
        )
        await bench.start(
            "id -u; pwd; cat /data/file; touch /data/new && echo GOOD; touch /ro/x && echo BAD; touch /x && echo BAD;"
            "touch /m/x && echo GOOD; echo $A; exit 0",
            mounts=mounts,
            user=1234,
            read_only_root=True,
            working_dir="/data",
            environment=PATH | {"A": "b"},
        )
        await bench.ended()
        await bench.says("b\n")
        words = [word for word in bench.output().split("\n") if "Read-only" not in word and "touch" not in word]
        assert words == ["1234", "/data", "content", "GOOD", "GOOD", "b", ""]

    tell(story)
    assert (volume / "new").stat().st_uid == 1234


def test_what_cannot_be_executed_is_worded_and_remembered(tell: Callable[[Story], None]) -> None:
    async def story(bench: Bench) -> None:
        await bench.pod()
        with pytest.raises(CannotRun, match="nosuchthing") as caught:
            await bench.start("", argv=("nosuchthing",))
        assert caught.value.exit_code == 127
        run = await bench.ended()
        assert (run.reason, run.exit_code) == ("ContainerCannotRun", 127)
        with pytest.raises(CannotRun, match="nosuchthing"):
            await bench.start("", argv=("nosuchthing",))
        with pytest.raises(CannotRun, match="nowhere"):
            await bench.start("true", attempt=1, mounts=(Mount("/nowhere/at/all", "/x"),))

    tell(story)


def test_exec_runs_beside_the_container(tell: Callable[[Story], None]) -> None:
    async def story(bench: Bench) -> None:
        await bench.pod()
        await bench.start("echo there >/tmp/x; echo ready; exec sleep 1000")
        await bench.says("ready")
        streams = {"stdin": True, "stdout": True, "stderr": True}
        process = await bench.runtime.exec("p1", "main", ["sh", "-c", "cat; cat /tmp/x; exit 9"], tty=False, **streams)
        assert process.stdin is not None
        assert process.stdout is not None
        os.write(process.stdin, b"typed\n")
        os.close(process.stdin)
        process.stdin = None
        assert await asyncio.wait_for(process.wait(), 60) == 9
        assert os.read(process.stdout, 100) == b"typed\nthere\n"
        process.close()

        terminal = await bench.runtime.exec(
            "p1", "main", ["sh", "-c", "while read x; do stty size; done"], tty=True, **streams
        )
        terminal.resize(100, 30)
        assert terminal.stdin is not None
        fd, seen = terminal.stdin, b""

        def sized() -> bool:
            nonlocal seen
            os.write(fd, b"go\n")
            try:
                seen += os.read(fd, 1000)
            except BlockingIOError:
                return False
            return b"30 100" in seen

        await until(sized)
        os.write(fd, b"\x04")
        assert await asyncio.wait_for(terminal.wait(), 60) == 0
        terminal.close()

    tell(story)


def test_attach_is_the_containers_own_input_and_output(tell: Callable[[Story], None]) -> None:
    async def story(bench: Bench) -> None:
        await bench.pod()
        await bench.start("while read x; do echo got $x; done; exit 4", stdin=True, stdin_once=True)
        process = await bench.runtime.attach("p1", "main", stdin=True, stdout=True, stderr=True)
        assert process.stdin is not None
        os.write(process.stdin, b"one\n")
        await bench.says("got one")
        os.close(process.stdin)
        process.stdin = None
        assert await asyncio.wait_for(process.wait(), 60) == 4
        process.close()
        await bench.ended()
        with pytest.raises(Gone):
            await bench.runtime.attach("p1", "main", stdin=True, stdout=True, stderr=True)

    tell(story)


def test_signals_and_removal_end_containers(tell: Callable[[Story], None]) -> None:
    async def story(bench: Bench) -> None:
        await bench.pod()
        await bench.start("trap 'exit 5' TERM; echo ready; while :; do sleep 0.05; done", name="heeds")
        await bench.start("exec sleep 1000", name="killed")
        await bench.says("ready", "heeds")
        await bench.runtime.signal_container("p1", "heeds", "SIGTERM")
        await bench.runtime.signal_container("p1", "killed", "SIGKILL")
        assert (await bench.ended("heeds")).exit_code == 5
        killed = await bench.ended("killed")
        assert (killed.exit_code, killed.signal) == (137, 9)
        await bench.start("exec sleep 1000", name="left")
        await bench.runtime.remove_pod("p1")
        assert await bench.runtime.pod_facts("p1") is None
        await bench.runtime.remove_pod("p1")

    tell(story)


def test_usage_and_limits_are_the_engines(tell: Callable[[Story], None]) -> None:
    async def story(bench: Bench) -> None:
        await bench.pod()
        await bench.start("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo done; sleep 1000", name="busy")
        await bench.says("done", "busy")
        usage = (await bench.runtime.usage("p1"))["busy"]
        assert usage.cpu_seconds > 0.01
        assert usage.memory_bytes > 0
        await bench.start("x=$(yes | tr -d '\\n' | cat); sleep 10", name="hog", limits=Limits(memory=32 * 2**20))
        hog = await bench.ended("hog")
        assert hog.exit_code == 137 or hog.oom_killed
        assert "Podman" in bench.runtime.limits_by()

    tell(story)


def test_an_agent_that_starts_again_finds_its_pods(podman: Path, tmp_path: Path) -> None:
    async def first() -> ContainerFacts:
        async with benched(podman, tmp_path, keep=True) as bench:
            await bench.pod()
            await bench.start("sleep 1; exit 6", name="ends")
            with pytest.raises(CannotRun):
                await bench.start("", name="never", argv=("nosuchthing",))
            return await bench.start("while :; do echo beat; sleep 0.1; done", name="goes-on")

    async def second(before: ContainerFacts) -> None:
        async with benched(podman, tmp_path) as bench:
            facts = (await bench.runtime.facts())["p1"]
            assert facts.alive
            assert (await bench.ended("ends")).exit_code == 6
            assert (await bench.ended("never")).reason == "ContainerCannotRun"
            again = await bench.start("exit 1", name="goes-on")
            assert (again.id, again.state) == (before.id, "running")
            await bench.says("beat", "goes-on")

    before = asyncio.run(asyncio.wait_for(first(), 60))
    asyncio.run(asyncio.wait_for(second(before), 60))


def test_a_pod_whose_holder_was_killed_is_made_again(tell: Callable[[Story], None]) -> None:
    async def story(bench: Bench) -> None:
        await bench.pod()
        await bench.start("exec sleep 1000")
        facts = await bench.runtime.pod_facts("p1")
        assert facts is not None
        os.kill(facts.pid, signal.SIGKILL)

        async def dead() -> bool:
            now = await bench.runtime.pod_facts("p1")
            return now is not None and not now.alive

        await until(dead)
        with pytest.raises(Gone):
            await bench.start("true", attempt=1)
        await bench.pod()
        assert (await bench.ended()).exit_code == 137
        await bench.start("exit 2", attempt=1)
        assert (await bench.ended(attempt=1)).exit_code == 2

    tell(story)


def test_output_can_be_copied_from_the_engine(tell: Callable[[Story], None], tmp_path: Path) -> None:
    """As it is from docker, which does not write the agent's format itself."""

    async def story(bench: Bench) -> None:
        await bench.pod()
        run = await bench.start("echo out; echo err >&2; exit 0")
        await bench.ended()
        engine = await connect(bench.data)
        copied = tmp_path / "copied.log"
        await asyncio.wait_for(logs.copy(engine, run.id, copied, tty=False), 60)
        await engine.close()
        lines = [line.split(" ", 1)[1] for line in copied.read_text().splitlines()]
        assert sorted(lines) == ["stderr F err", "stdout F out"]

    tell(story)


def test_images_are_the_engines(tell: Callable[[Story], None]) -> None:
    async def story(bench: Bench) -> None:
        image = bench.runtime.images.present("windlass-test-busybox:1")
        assert image is not None
        assert image.id.startswith("sha256:")
        assert bench.runtime.images.present("nothing-like-it") is None
        with pytest.raises(PullFailed):
            await bench.runtime.images.pull("localhost/nothing-like-it:1", lambda line: None)

    tell(story)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    with running(tmp_path_factory.mktemp("w"), manager=False) as windlass:
        yield windlass


def a_service(server: Windlass, name: str, port: int, address: str) -> Object:
    ports = [{"name": "http", "port": port, "targetPort": 8080}]
    body: Object = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": {"ports": ports}}
    made = server.create("/api/v1/namespaces/default/services", body)
    piece: Object = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": f"{name}-1", "labels": {"kubernetes.io/service-name": name}},
        "addressType": "IPv4",
        "ports": [{"name": "http", "port": 8080, "protocol": "TCP"}],
        "endpoints": [{"addresses": [address]}],
    }
    server.create("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", piece)
    return made


def test_pods_reach_services_by_name_and_by_variable(podman: Path, tmp_path: Path, server: Windlass) -> None:
    async def story(bench: Bench, network: PodmanNetwork) -> None:
        pod: Object = {"metadata": {"namespace": "default", "name": "two"}, "spec": {}}
        await bench.pod("one")
        facts = await bench.runtime.pod_facts("one")
        assert facts is not None
        address = await network.attach("one", facts.pid)
        await bench.start("echo hello >/tmp/index.html; echo ready; exec httpd -f -p 8080 -h /tmp", uid="one")
        await bench.says("ready", uid="one")
        service = a_service(server, "web", 80, address)
        await until(lambda: service["spec"]["clusterIP"] in table.read(tmp_path).services)

        async def serves() -> bool:
            try:
                (await network.dial(service["spec"]["clusterIP"], 80)).close()
                (await network.dial(address, 8080)).close()
            except OSError:
                return False
            return True

        await until(serves)
        await bench.pod("two", hosts=network.hosts(pod, "1.2.3.4"), resolv_conf=network.resolv_conf(pod))
        links = service_links([service], "default", linked=True)
        script = "wget -qO- http://$WEB_SERVICE_HOST:$WEB_SERVICE_PORT/; wget -qO- http://web:8080/; echo over"
        await bench.start(script, uid="two", environment=PATH | links)
        await bench.says("over", uid="two")
        assert bench.output(uid="two") == "hello\nhello\nover\n"
        assert not [each for each in network.problems if "resolve" in each]

    async def run() -> None:
        async with benched(podman, tmp_path) as bench:
            client, engine = await by_kubeconfig(server.kubeconfig), await connect(tmp_path)
            network = PodmanNetwork(client, tmp_path, engine, server=("127.0.0.1", server.port))
            await network.start()
            try:
                await story(bench, network)
            finally:
                await network.stop()
                await engine.close()
                await client.close()

    asyncio.run(asyncio.wait_for(run(), 200))
