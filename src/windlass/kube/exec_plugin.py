"""Credentials of an exec plug-in: the program that a kubeconfig names for a cloud's or an OpenID Connect login.

The protocol is Kubernetes' `client.authentication.k8s.io`: the program is given an ExecCredential in the variable
KUBERNETES_EXEC_INFO and prints another one, with a token, a client certificate or both. It is run again when what it
gave has expired or was refused.
"""

import asyncio
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import msgspec

from windlass.kube.errors import ServiceUnavailable
from windlass.kube.json import BadJson, Object, dig_list, dig_object, encode, parse_as

API_VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
CONFIG_EXTENSION = "client.authentication.k8s.io/exec"
"""The extension of a kubeconfig's cluster that a plug-in gets as its configuration."""
EXEC_INFO = "KUBERNETES_EXEC_INFO"
INTERACTIVE_MODES = ("IfAvailable", "Never", "Always")
NO_EXPIRY = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Plugin:
    """One entry `exec` of a kubeconfig."""

    command: str
    arguments: tuple[str, ...]
    variables: Mapping[str, str]
    api_version: str
    interactive_mode: str
    install_hint: str
    cluster: Object | None
    """What the plug-in may know of the cluster; None where the kubeconfig does not provide it."""


class _Status(msgspec.Struct, rename="camel"):
    token: str = ""
    client_certificate_data: str = ""
    client_key_data: str = ""
    expiration_timestamp: datetime | None = None


class _Answer(msgspec.Struct, rename="camel"):
    kind: str
    api_version: str
    status: _Status | None = None


@dataclass(frozen=True)
class PluginAnswer:
    token: str
    certificate: bytes
    private_key: bytes
    expires: datetime


def read_plugin(entry: Object, cluster: Object, folder: Path) -> Plugin:
    """Read the entry `exec` of a user; `folder` is the kubeconfig's. Raises ValueError."""
    command, api_version = str(entry.get("command") or ""), str(entry.get("apiVersion") or "")
    mode = str(entry.get("interactiveMode") or "IfAvailable")
    if not command:
        raise ValueError("exec.command: is required")
    if api_version not in API_VERSIONS:
        raise ValueError(f"exec.apiVersion: {api_version!r} is not supported: use {' or '.join(API_VERSIONS)}")
    if mode not in INTERACTIVE_MODES:
        raise ValueError(f"exec.interactiveMode: {mode!r} is none of {', '.join(INTERACTIVE_MODES)}")
    return Plugin(
        # A name is looked up in PATH; a relative path starts at the kubeconfig.
        command=str(folder / command) if os.sep in command else command,
        arguments=tuple(str(argument) for argument in dig_list(entry, "args")),
        variables={str(pair.get("name")): str(pair.get("value", "")) for pair in dig_list(entry, "env")},
        api_version=api_version,
        interactive_mode=mode,
        install_hint=str(entry.get("installHint") or ""),
        cluster=_cluster_info(cluster) if entry.get("provideClusterInfo") else None,
    )


def _cluster_info(cluster: Object) -> Object:
    names = ("server", "tls-server-name", "insecure-skip-tls-verify", "certificate-authority-data", "proxy-url")
    info: Object = {name: cluster[name] for name in names if cluster.get(name)}
    for extension in dig_list(cluster, "extensions"):
        if extension.get("name") == CONFIG_EXTENSION:
            info["config"] = dig_object(cast(Object, extension), "extension")
    return info


def exec_info(plugin: Plugin, *, is_interactive: bool) -> str:
    """The value of KUBERNETES_EXEC_INFO."""
    spec: Object = {"interactive": is_interactive}
    if plugin.cluster is not None:
        spec["cluster"] = plugin.cluster
    return encode({"apiVersion": plugin.api_version, "kind": "ExecCredential", "spec": spec}).decode()


def read_answer(plugin: Plugin, printed: bytes) -> PluginAnswer:
    """Read what a plug-in printed. Raises ValueError."""
    try:
        answer = parse_as(printed, _Answer)
    except BadJson as error:
        raise ValueError(f"it printed no ExecCredential: {error}") from error
    if (answer.kind, answer.api_version) != ("ExecCredential", plugin.api_version):
        raise ValueError(
            f"it printed a {answer.kind} of {answer.api_version}, not an ExecCredential of {plugin.api_version}"
        )
    status = answer.status
    if status is None or not (status.token or status.client_certificate_data):
        raise ValueError("it printed neither a token nor a client certificate")
    if bool(status.client_certificate_data) != bool(status.client_key_data):
        raise ValueError("it printed a client certificate without its key, or a key without its certificate")
    return PluginAnswer(
        token=status.token,
        certificate=status.client_certificate_data.encode(),
        private_key=status.client_key_data.encode(),
        expires=status.expiration_timestamp or NO_EXPIRY,
    )


class PluginCredential:
    """The token of a plug-in, which is run when one is first needed, when it has expired and when it was refused."""

    def __init__(
        self,
        plugin: Plugin,
        use_certificate: Callable[[bytes, bytes], None],
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._plugin = plugin
        self._use_certificate = use_certificate
        self._clock = clock
        self._answer: PluginAnswer | None = None
        self._running = asyncio.Lock()

    async def header(self) -> str | None:
        """Raises ServiceUnavailable where the plug-in gives no credential."""
        answer = await self.answer()
        return f"Bearer {answer.token}" if answer.token else None

    def refused(self) -> bool:
        self._answer = None
        return True

    async def answer(self) -> PluginAnswer:
        # Many requests may wait for one login, which may ask a person.
        async with self._running:
            if self._answer is None or self._answer.expires <= self._clock():
                self._answer = await run_plugin(self._plugin)
                if self._answer.certificate:
                    self._use_certificate(self._answer.certificate, self._answer.private_key)
            return self._answer


async def run_plugin(plugin: Plugin) -> PluginAnswer:
    """Run the program; what it writes to stderr is the user's to read. Raises ServiceUnavailable."""
    has_terminal = sys.stdin is not None and sys.stdin.isatty()
    is_interactive = has_terminal and plugin.interactive_mode != "Never"
    if plugin.interactive_mode == "Always" and not has_terminal:
        raise ServiceUnavailable(
            f"the login {plugin.command} asks questions, and there is no terminal to answer them in"
        )
    environment = {**os.environ, **plugin.variables, EXEC_INFO: exec_info(plugin, is_interactive=is_interactive)}
    try:
        process = await asyncio.create_subprocess_exec(
            plugin.command,
            *plugin.arguments,
            env=environment,
            stdin=None if is_interactive else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
        )
    except OSError as error:
        hint = f". {plugin.install_hint}" if plugin.install_hint else ""
        raise ServiceUnavailable(f"the login {plugin.command} cannot be run: {error.strerror}{hint}") from error
    printed, _ = await process.communicate()
    if process.returncode:
        raise ServiceUnavailable(f"the login {plugin.command} failed with exit code {process.returncode}")
    try:
        return read_answer(plugin, printed)
    except ValueError as error:
        raise ServiceUnavailable(f"the login {plugin.command}: {error}") from error
