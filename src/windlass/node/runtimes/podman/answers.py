"""Interprets the engine's responses. Pure."""

from datetime import datetime

from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.node.images.image import Image
from windlass.node.runtimes.base import ContainerFacts, Usage
from windlass.node.runtimes.podman.bodies import ATTEMPT, HASH, NAME

_RUNNING = ("running", "paused", "removing", "stopping")


def nanoseconds(text: str) -> int:
    """Parse `2026-11-16T02:00:00.123456789Z`, in any time zone. Raises ValueError."""
    whole, _, rest = text.partition(".")
    digits = rest[: next((at for at, each in enumerate(rest) if not each.isdigit()), len(rest))]
    zone = rest[len(digits) :] if rest else whole[19:]
    moment = datetime.fromisoformat(whole[:19] + ("+00:00" if zone in ("", "Z") else zone))
    return int(moment.timestamp()) * 10**9 + int(digits.ljust(9, "0")[:9] or 0)


def seconds(stamp: object) -> float:
    """Parse a time as Go prints it; Go's zero time is 0."""
    text = str(stamp or "")
    return 0.0 if not text or text.startswith("0001-") else nanoseconds(text) / 1e9


def container_facts(inspected: Object, message: str) -> ContainerFacts | None:
    """Return the facts of a container; None while it is created but not started yet."""
    state, labels = dig_object(inspected, "State"), dig_object(inspected, "Config", "Labels")
    status = str(state.get("Status") or "")
    common = {
        "name": str(labels.get(NAME)),
        "attempt": int(labels.get(ATTEMPT) or 0),
        "id": str(inspected.get("Id")),
        "started_at": seconds(state.get("StartedAt")),
        "spec_hash": str(labels.get(HASH) or ""),
    }
    if status in _RUNNING:
        return ContainerFacts(**common, state="running", pid=int(state.get("Pid") or 0))
    failure = str(state.get("Error") or "")
    if not common["started_at"] and not failure:
        return None
    code = int(state.get("ExitCode") or 0)
    if failure and not common["started_at"]:
        return cannot_run(common["name"], common["attempt"], common["id"], failure, code or 128, common["spec_hash"])
    return ContainerFacts(
        **common,
        state="exited",
        finished_at=seconds(state.get("FinishedAt")),
        exit_code=code,
        signal=code - 128 if 128 < code < 160 else 0,
        oom_killed=bool(state.get("OOMKilled")),
        message=message,
    )


def cannot_run(name: str, attempt: int, identity: str, message: str, code: int, spec_hash: str) -> ContainerFacts:
    return ContainerFacts(
        name,
        attempt,
        identity,
        "exited",
        exit_code=code,
        reason="ContainerCannotRun",
        message=message,
        spec_hash=spec_hash,
    )


def exit_code_of_refusal(message: str) -> int:
    """Return a shell's exit code for it: 127 for a missing program, 126 for one that cannot be executed."""
    if "not found" in message or "no such file" in message:
        return 127
    return 126 if "permission denied" in message else 128


def usage(stats: Object) -> Usage:
    return Usage(
        float(dig(stats, "cpu_stats", "cpu_usage", "total_usage") or 0) / 1e9,
        int(dig(stats, "memory_stats", "usage") or 0),
        int(dig(stats, "pids_stats", "current") or 0),
    )


def address(inspected: Object) -> str:
    """Return a pod's address on whichever of the engine's networks it is."""
    networks = dig_object(inspected, "NetworkSettings", "Networks")
    found = [str(dig(each, "IPAddress") or "") for each in networks.values()]
    return next((each for each in found if each), str(dig(inspected, "NetworkSettings", "IPAddress") or ""))


def image(reference: str, inspected: Object) -> Image:
    config = dig_object(inspected, "Config")
    parted = [str(each).partition("=") for each in dig_list(config, "Env")]
    variables = {name: value for name, _, value in parted}
    user = str(config.get("User") or "").partition(":")[0]
    return Image(
        reference=reference,
        id=str(inspected.get("Id")),
        environment=variables,
        entrypoint=tuple(map(str, dig_list(config, "Entrypoint"))),
        command=tuple(map(str, dig_list(config, "Cmd"))),
        working_dir=str(config.get("WorkingDir") or "/"),
        user=int(user) if user.isdigit() else None,
        size=int(inspected.get("Size") or 0),
    )
