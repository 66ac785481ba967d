"""How commands reach the embedded server or a cluster, and what other commands need to reach the same."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from windlass.cli import screen
from windlass.cli.failure import Failure
from windlass.cli.settings import ClusterFlags, data_dir_at, default_data_dir
from windlass.kube import errors
from windlass.supervisor.datadir import DataDir

if TYPE_CHECKING:
    from windlass.kube.client import Client

T = TypeVar("T")


def with_client(settings: ClusterFlags, work: "Callable[[Client], Awaitable[T]]") -> T:
    """Run `work` with a client; what the server says against it is a failure in its own words."""
    import asyncio

    async def run() -> T:
        async with await connect(settings) as client:
            return await work(client)

    try:
        return asyncio.run(run())
    except errors.ServiceUnavailable as error:
        raise Failure(str(error)) from error
    except errors.ApiError as error:
        raise Failure(f"the server refuses: {error}") from error


async def connect(settings: ClusterFlags) -> "Client":
    from windlass.kube.connect import by_kubeconfig

    path = kubeconfig_of(settings)
    if settings.kubeconfig is None and not is_up(data_dir_at(settings.data_dir)):
        raise Failure(
            f"no Windlass runs on {screen.short(settings.data_dir)}. Start it (windlass up --detach), "
            f"or name a cluster's kubeconfig with --kubeconfig"
        )
    try:
        return await by_kubeconfig(path, context=settings.context or "")
    except (ValueError, OSError) as error:
        raise Failure(str(error)) from error


def is_up(data: DataDir) -> bool:
    return data.kubeconfig.is_file() and data.socket.exists()


def kubeconfig_of(settings: ClusterFlags) -> Path:
    return settings.kubeconfig or data_dir_at(settings.data_dir).kubeconfig


def namespace_of(settings: ClusterFlags, told: str | None) -> str:
    """What was told, else the namespace of the kubeconfig's context, else `default`."""
    import yaml

    if told:
        return told
    try:
        config: Any = yaml.safe_load(kubeconfig_of(settings).read_text()) or {}
    except (OSError, yaml.YAMLError):
        return "default"
    name = settings.context or config.get("current-context")
    contexts = {entry.get("name"): entry.get("context") or {} for entry in config.get("contexts") or []}
    return str(contexts.get(name, {}).get("namespace") or "default")


def own_words(settings: ClusterFlags, namespace: str) -> str:
    """What another command of Windlass needs to see the same, where it is not what it would take anyway."""
    words = "" if namespace_of(settings, None) == namespace else f" -n {namespace}"
    if settings.kubeconfig is not None:
        words += f" --kubeconfig {screen.quoted(settings.kubeconfig)}"
    elif settings.data_dir != default_data_dir() and "WINDLASS_DATA_DIR" not in os.environ:
        words += f" --data-dir {screen.quoted(settings.data_dir)}"
    return words + (f" --context {settings.context}" if settings.context else "")


def kubectl_words(settings: ClusterFlags, namespace: str) -> str:
    """What `kubectl` needs to see the same, to be shown to people."""
    words = "kubectl"
    ours = kubeconfig_of(settings)
    listed = os.environ.get("KUBECONFIG", "").split(os.pathsep)
    if str(ours) not in listed:
        words += f" --kubeconfig {screen.quoted(ours)}"
    if settings.context:
        words += f" --context {settings.context}"
    return words if namespace == "default" else f"{words} -n {namespace}"
