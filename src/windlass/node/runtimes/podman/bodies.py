"""Builds the bodies of requests to the engine from pods and containers. Pure."""

from collections.abc import Mapping
from typing import Any

from windlass.kube.json import Object
from windlass.node.runtimes.base import ContainerSpec, Limits, PodSpec
from windlass.node.runtimes.podman import holder

UID, NAME, ATTEMPT, HASH, OWNER = (f"windlass.dev/{each}" for each in ("pod", "container", "attempt", "hash", "data"))
_PIDS = 4096
_LOG_SIZE = "10mb"


def pod_name(uid: str) -> str:
    return f"windlass-{uid}"


def container_name(uid: str, name: str, attempt: int) -> str:
    return f"windlass-{uid}-{name}-{attempt}"


def pod(spec: PodSpec, owner: str) -> Object:
    """The container that holds a pod's network and IPC; `owner` identifies the data directory."""
    host: dict[str, Any] = {
        "NetworkMode": "host" if spec.host_network else "bridge",
        "IpcMode": "host" if spec.host_ipc else "shareable",
        "ShmSize": spec.shm_size,
        "RestartPolicy": {"Name": "no"},
    }
    if spec.sysctls:
        host["Sysctls"] = dict(spec.sysctls)
    body: Object = {
        "Image": holder.IMAGE,
        "Entrypoint": ["/pause"],
        "Cmd": [],
        "Labels": {UID: spec.uid, OWNER: owner},
        "HostConfig": host,
    }
    if not spec.host_network:
        body["Hostname"] = spec.hostname
    return body


def container(spec: ContainerSpec, pod: PodSpec, owner: str, files: Mapping[str, str], beside: str = "") -> Object:
    """The request for a container.

    `files` are extra files by target; `beside` is a container whose processes it sees.
    """
    labels = {UID: pod.uid, NAME: spec.name, ATTEMPT: str(spec.attempt), HASH: spec.spec_hash, OWNER: owner}
    body: Object = {
        "Image": spec.image,
        "Entrypoint": [spec.argv[0]],
        "Cmd": list(spec.argv[1:]),
        "Env": [f"{name}={value}" for name, value in spec.environment.items()],
        "WorkingDir": spec.working_dir,
        "Labels": labels,
        "Tty": spec.tty,
        "OpenStdin": spec.stdin,
        "StdinOnce": spec.stdin_once,
        "AttachStdin": spec.stdin,
        "AttachStdout": True,
        "AttachStderr": True,
        "StopSignal": spec.stop_signal,
        "HostConfig": _host_config(spec, pod, files, beside),
    }
    user = _user(spec)
    return {**body, "User": user} if user else body


def for_podman(body: Object, pod: PodSpec, log_path: str) -> Object:
    """Add what only podman supports: the pod's hostname, and output in the format and place that the agent reads."""
    uts = {} if pod.host_network else {"UTSMode": f"container:{pod_name(pod.uid)}"}
    log = {"LogConfig": {"Type": "k8s-file", "Config": {"path": log_path, "max-size": _LOG_SIZE}}}
    return {**body, "HostConfig": {**body["HostConfig"], **uts, **log}}


def _user(spec: ContainerSpec) -> str:
    if spec.user is None and spec.group is None:
        return ""
    return f"{spec.user or 0}" if spec.group is None else f"{spec.user or 0}:{spec.group}"


def _host_config(spec: ContainerSpec, pod: PodSpec, files: Mapping[str, str], beside: str) -> dict[str, Any]:
    held = f"container:{pod_name(pod.uid)}"
    config: dict[str, Any] = {
        "NetworkMode": held,
        "IpcMode": "host" if pod.host_ipc else held,
        "RestartPolicy": {"Name": "no"},
        "ReadonlyRootfs": spec.read_only_root,
        "CapDrop": list(spec.drop_capabilities),
        "GroupAdd": [str(group) for group in spec.groups],
        "SecurityOpt": _security_options(spec),
        "Mounts": [_bind(source, target) for target, source in files.items()],
        "Devices": [_device(path) for path in spec.devices],
        **limits(spec.limits),
    }
    for mount in spec.mounts:
        if mount.source.startswith("tmpfs"):
            size = f",size={mount.size}" if mount.size else ""
            config.setdefault("Tmpfs", {})[mount.target] = f"mode=1777{size}"
        else:
            config["Mounts"].append(_bind(mount.source, mount.target, read_only=mount.read_only))
    if pod.share_processes or beside:
        config["PidMode"] = f"container:{beside}" if beside else held
    return config


def _security_options(spec: ContainerSpec) -> list[str]:
    """Return options for the engine, whose own default is its RuntimeDefault profile."""
    options = ["no-new-privileges"] if spec.no_new_privileges else []
    return [*options, *(["seccomp=unconfined"] if spec.seccomp_profile == "Unconfined" else [])]


def _bind(source: str, target: str, *, read_only: bool = False) -> dict[str, Any]:
    """A mount, rather than an entry of `Binds`, whose paths may not contain a colon."""
    return {"Type": "bind", "Source": source, "Target": target, "ReadOnly": read_only}


def limits(given: Limits) -> dict[str, Any]:
    found: dict[str, Any] = {"PidsLimit": given.pids or _PIDS, "OomScoreAdj": given.oom_score_adj}
    if given.memory is not None:
        found |= {"Memory": given.memory, "MemorySwap": given.memory}
    if given.cpu_millis is not None:
        found["NanoCpus"] = given.cpu_millis * 10**6
    if given.cpu_request_millis:
        found["CpuShares"] = max(2, given.cpu_request_millis * 1024 // 1000)
    return found


def _device(path: str) -> dict[str, str]:
    return {"PathOnHost": path, "PathInContainer": path, "CgroupPermissions": "rwm"}


def execution(argv: list[str], *, stdin: bool, stdout: bool, stderr: bool, tty: bool) -> Object:
    return {
        "Cmd": argv,
        "AttachStdin": stdin or tty,
        "AttachStdout": stdout or tty,
        "AttachStderr": stderr and not tty,
        "Tty": tty,
        **({"Env": ["TERM=xterm"]} if tty else {}),
    }
