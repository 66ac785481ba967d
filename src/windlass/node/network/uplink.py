"""The uplink of the pods' network, to everything that the host can reach.

As root: a veth pair to the host's network, and masquerading there in a separate nft table. As an ordinary user: pasta
or slirp4netns, where installed, which live as long as the node's network and are found again by a new agent. Neither
leads to the host's loopback.
"""

import asyncio
import contextlib
import hashlib
import os
import re
import shutil
import signal
import socket
from errno import ENODEV
from pathlib import Path

from msgspec import Struct, json

from windlass.node.network import links, nft
from windlass.node.network.helper_client import HelperClient
from windlass.node.network.netlink import NETLINK_NETFILTER, NETLINK_ROUTE, NetlinkSocket
from windlass.node.network.plan import UPLINK, UPLINKS
from windlass.node.network.ruleset import Chain, Hook, Ruleset

_FORWARD = Path("/proc/sys/net/ipv4/ip_forward")
_MTU = 1500
_TABLES = "windlass-"  # and the link that a table is for
_WITHIN = 15.0
_CANNOT = "pods cannot reach the outside"
_NO_LOGGER = re.compile(r"Failed to send \d+ bytes to syslog")
_TIME = re.compile(r"^\d+\.\d+: ")


class NoUplink(Exception):
    """Pods cannot reach the outside; the message says what is missing."""


class Record(Struct):
    """The process that provides the uplink, and its network namespace."""

    pid: int
    namespace: int
    started: str


def subnet(data_dir: str) -> tuple[str, str, str]:
    """Return the host's link and both addresses; each data directory has its own."""
    digest = hashlib.sha256(data_dir.encode()).digest()
    pairs = UPLINKS.num_addresses // 4
    first = UPLINKS.network_address + int.from_bytes(digest[:4], "big") % pairs * 4
    return f"wlu{digest.hex()[:8]}", str(first + 1), str(first + 2)


def host_rules(link: str, inside: str) -> Ruleset:
    """Rules of the host's network: what comes from the node leaves with the host's own address."""
    out = (("is", "saddr", inside), ("masquerade",))
    go = ((("comes by", link), ("accept",)), (("leaves by", link), ("state", "established", "related"), ("accept",)))
    return Ruleset(
        chains={
            "postrouting": Chain((out,), Hook("nat", "postrouting", 100)),
            "forward": Chain(go, Hook("filter", "forward", 0)),
        }
    )


def commands(anchor: int, data_dir: str) -> list[list[str]]:
    """Return the commands that provide an ordinary user's uplink, of the installed programs, the best first.

    By default pasta would give the pods' network the machine's own address, at which pods then could not reach the
    machine.
    """
    _, outside, inside = subnet(data_dir)
    known = (
        [
            *("pasta", "--foreground", "--quiet", "--config-net", "--no-map-gw", "--ipv4-only", "--ns-ifname", UPLINK),
            *("--address", inside, "--netmask", "30", "--gateway", outside),
            *("--tcp-ports", "none", "--udp-ports", "none", "--tcp-ns", "none", "--udp-ns", "none"),
            *("--no-dhcp", "--no-ra", "--no-ndp", "--no-dhcpv6"),
            *("--userns", f"/proc/{anchor}/ns/user", "--netns", f"/proc/{anchor}/ns/net"),
        ],
        [
            *("slirp4netns", "--configure", f"--mtu={_MTU}", "--disable-host-loopback", "--disable-dns"),
            *(f"--userns-path=/proc/{anchor}/ns/user", "--netns-type=path", f"/proc/{anchor}/ns/net", UPLINK),
        ],
    )
    return [[found, *arguments] for name, *arguments in known if (found := shutil.which(name))]


def reason(said: str) -> str:
    """Return a program's last output in one line, without timestamps and complaints about a missing system logger."""
    lines = (_TIME.sub("", line.strip()) for line in said.splitlines())
    return "; ".join(line for line in lines if line and not _NO_LOGGER.fullmatch(line))[-300:]


class Uplink:
    """Creates and removes the uplink."""

    def __init__(self, data_dir: Path, inside: HelperClient) -> None:
        self._data_dir, self._inside = data_dir, inside
        self._file, self._said = data_dir / "node" / "uplink.json", data_dir / "node" / "uplink.log"
        self._table = _TABLES + subnet(str(data_dir))[0]

    async def start(self) -> None:
        """Create the uplink unless it exists. Raises `NoUplink`."""
        try:
            if os.geteuid() == 0:
                await self._veth()
            else:
                await self._process()
        except OSError as error:
            raise NoUplink(f"{_CANNOT}: {error}") from error

    async def stop(self) -> None:
        if os.geteuid() == 0:
            self._remove_veth()
        else:
            await self._end_process()

    async def _veth(self) -> None:
        link, outside, inside = subnet(str(self._data_dir))
        _switch_forwarding_on()
        if UPLINK not in await self._inside.call("links"):
            namespace = os.open(f"/proc/{self._inside.anchor_pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
            route = NetlinkSocket(NETLINK_ROUTE)
            try:
                macs = os.urandom(5), os.urandom(5)
                route.send([links.delete_link(link)], ignore=frozenset({ENODEV}))
                route.send([links.veth(link, b"\x0a" + macs[0], UPLINK, b"\x0a" + macs[1], namespace, _MTU)])
                route.send([links.address(socket.if_nametoindex(link), outside, 30)])
            finally:
                route.close()
                os.close(namespace)
            await self._inside.call("uplink", UPLINK, inside, 30, outside)
        self._filter(nft.replace_table(self._table, host_rules(link, inside)))
        self._sweep()

    def _sweep(self) -> None:
        """Remove tables that a killed agent left in the host's network: their links are gone."""
        netfilter = NetlinkSocket(NETLINK_NETFILTER)
        try:
            tables = [nft.table_name(body) for _, body in netfilter.dump(nft.LIST_TABLES)]
            there = {name for _, name in socket.if_nameindex()}
            for table in tables:
                if table.startswith(_TABLES) and table.removeprefix(_TABLES) not in there:
                    netfilter.batch(nft.BEGIN, nft.delete_table(table), nft.END)
        finally:
            netfilter.close()

    def _remove_veth(self) -> None:
        route = NetlinkSocket(NETLINK_ROUTE)
        try:
            route.send([links.delete_link(subnet(str(self._data_dir))[0])], ignore=frozenset({ENODEV}))
        finally:
            route.close()
        self._filter(nft.delete_table(self._table))

    def _filter(self, messages: list[nft.Message]) -> None:
        netfilter = NetlinkSocket(NETLINK_NETFILTER)
        try:
            netfilter.batch(nft.BEGIN, messages, nft.END)
        finally:
            netfilter.close()

    async def _process(self) -> None:
        anchor = self._inside.anchor_pid
        namespace = _namespace_of(anchor)
        known = self._known()
        if known is not None:
            if known.namespace == namespace and UPLINK in await self._inside.call("links"):
                return None
            await self._end_process()
        found = commands(anchor, str(self._data_dir))
        if not found:
            raise NoUplink(f"{_CANNOT}: install passt or slirp4netns")
        problems = list[str]()
        for argv in found:
            try:
                return await self._run(argv, namespace)
            except NoUplink as error:
                await self._end_process()
                problems.append(str(error))
        raise NoUplink(f"{_CANNOT}: {'; '.join(problems)}")

    async def _run(self, argv: list[str], namespace: int) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        pid = spawn(argv, self._said)
        self._file.write_bytes(json.encode(Record(pid, namespace, _started(pid))))
        await self._until_there(pid, Path(argv[0]).name)

    async def _until_there(self, pid: int, name: str) -> None:
        deadline = asyncio.get_running_loop().time() + _WITHIN
        while UPLINK not in await self._inside.call("links"):
            code = _exit_code(pid)
            if code is not None:
                said = reason(self._said.read_text(errors="replace")) or f"exit code {code}"
                raise NoUplink(f"{name} ended: {said}")
            if asyncio.get_running_loop().time() > deadline:
                raise NoUplink(f"{name} created no link within {_WITHIN:g} s")
            await asyncio.sleep(0.02)

    def _known(self) -> Record | None:
        """Return the recorded process, if it is still the same one."""
        try:
            record = json.decode(self._file.read_bytes(), type=Record)
            return record if _started(record.pid) == record.started else None
        except (OSError, ValueError):
            return None

    async def _end_process(self) -> None:
        known = self._known()
        if known is not None:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):  # it may be a former agent's child
                os.kill(known.pid, signal.SIGTERM)
                await asyncio.to_thread(os.waitpid, known.pid, 0)
        self._file.unlink(missing_ok=True)


def spawn(argv: list[str], said: Path) -> int:
    """Start a process that outlives the agent; its output goes to a file, since a pipe would close with the agent.

    It inherits none of the agent's descriptors, such as the lock of the data directory, which would look as if Windlass
    still ran.
    """
    write = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    files = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, str(said), write, 0o600),
        *((os.POSIX_SPAWN_CLOSE, descriptor) for descriptor in _inheritable()),
    ]
    changed = (signal.SIGPIPE, signal.SIGXFSZ)  # by Python, for itself
    return os.posix_spawn(argv[0], argv, os.environ, setsid=True, setsigdef=changed, file_actions=files)


def _inheritable() -> list[int]:
    found = list[int]()
    for each in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # the one that this folder is read by is closed since
            if int(each.name) > 2 and os.get_inheritable(int(each.name)):
                found.append(int(each.name))
    return found


def _exit_code(pid: int) -> int | None:
    """Return a child's exit code; None while it runs."""
    ended, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended else None


def _started(pid: int) -> str:
    """Return a process' start time, which distinguishes it from a later one with the same pid."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]


def _namespace_of(pid: int) -> int:
    return Path(f"/proc/{pid}/ns/net").stat().st_ino


def _switch_forwarding_on() -> None:
    if _FORWARD.read_text().strip() != "1":
        try:
            _FORWARD.write_text("1")
        except OSError as error:
            raise NoUplink(f"{_CANNOT}: IP forwarding is off and cannot be enabled") from error
