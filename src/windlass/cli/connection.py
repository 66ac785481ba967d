"""Connecting commands to the embedded server or a cluster, and the flags that other commands need for the same."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from windlass.cli import screen
from windlass.cli.failure import Failure
from windlass.cli.settings import ClusterFlags, data_dir_at, default_data_dir
from windlass.formats import yaml_reader
from windlass.kube import errors
from windlass.supervisor.datadir import DataDir

if TYPE_CHECKING:
    from windlass.kube.client import Client

T = TypeVar("T")


def with_client(settings: ClusterFlags, work: "Callable[[Client], Awaitable[T]]") -> T:
    """Run `work` with a client, and turn errors of the server into a `Failure`."""
    import asyncio

    async def run() -> T:
        async with await connect(settings) as client:
            return await work(client)

    try:
        return asyncio.run(run())
    except errors.ServiceUnavailable as error:
        raise Failure(str(error)) from error
    except errors.ApiError as error:
        raise Failure(f"the server refused the request: {error}") from error


async def connect(settings: ClusterFlags) -> "Client":
    from windlass.kube.connect import by_kubeconfig

    path = kubeconfig_path(settings)
    if settings.kubeconfig is None and not is_up(data_dir_at(settings.data_dir)):
        raise Failure(
            f"Windlass is not running on {screen.short_path(settings.data_dir)}. Start it (windlass up --detach), "
            f"or use a cluster with --kubeconfig"
        )
    try:
        return await by_kubeconfig(path, context=settings.context or "")
    except (ValueError, OSError) as error:
        raise Failure(str(error)) from error


def is_up(data: DataDir) -> bool:
    return data.kubeconfig.is_file() and data.socket.exists()


def kubeconfig_path(settings: ClusterFlags) -> Path:
    return settings.kubeconfig or data_dir_at(settings.data_dir).kubeconfig


def namespace_of(settings: ClusterFlags, namespace: str | None) -> str:
    """The given namespace, else that of the kubeconfig's context, else `default`."""
    if namespace:
        return namespace
    try:
        config: Any = yaml_reader.read(kubeconfig_path(settings).read_text()) or {}
    except (OSError, yaml_reader.BadYaml):
        return "default"
    name = settings.context or config.get("current-context")
    contexts = {entry.get("name"): entry.get("context") or {} for entry in config.get("contexts") or []}
    return str(contexts.get(name, {}).get("namespace") or "default")


def windlass_flags(settings: ClusterFlags, namespace: str) -> str:
    """Flags that another windlass command needs for the same server and namespace, beyond its defaults."""
    flags = "" if namespace_of(settings, None) == namespace else f" -n {namespace}"
    if settings.kubeconfig is not None:
        flags += f" --kubeconfig {screen.quoted(settings.kubeconfig)}"
    elif settings.data_dir != default_data_dir() and "WINDLASS_DATA_DIR" not in os.environ:
        flags += f" --data-dir {screen.quoted(settings.data_dir)}"
    return flags + (f" --context {settings.context}" if settings.context else "")


def kubectl_command(settings: ClusterFlags, namespace: str) -> str:
    """`kubectl` with the flags that it needs for the same server and namespace, to show to the user."""
    command = "kubectl"
    ours = kubeconfig_path(settings)
    listed = os.environ.get("KUBECONFIG", "").split(os.pathsep)
    if str(ours) not in listed:
        command += f" --kubeconfig {screen.quoted(ours)}"
    if settings.context:
        command += f" --context {settings.context}"
    return command if namespace == "default" else f"{command} -n {namespace}"
