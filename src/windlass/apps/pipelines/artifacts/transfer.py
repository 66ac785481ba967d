"""The program beside a task's container on a cluster:
`python3 -m windlass.apps.pipelines.artifacts.transfer fetch PLAN`.

`fetch` puts input artifacts into the pod's volume before the main container starts; `publish` puts its outputs into
their stores after it has ended, and the report at last. A failure is written where Kubernetes looks for the reason.
"""

import asyncio
import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from windlass.apps.pipelines.artifacts.claim_folders import NoFolder
from windlass.apps.pipelines.artifacts.stores.placed_store import PlacedStore
from windlass.apps.pipelines.artifacts.stores.providers import Provider, parse_providers, provider_of
from windlass.apps.pipelines.artifacts.stores.remote_store import RemoteStore, StoreError
from windlass.apps.pipelines.artifacts.stores.store_locations import PlacedArtifact, SecretKey
from windlass.apps.pipelines.artifacts.stores.store_settings import Credentials, credentials_of
from windlass.apps.pipelines.artifacts.transfer_plan import (
    SECRETS_PATH,
    VOLUME_PATH,
    WORKSPACE_MOUNT,
    InputArtifact,
    TransferPlan,
    TransferReport,
    from_arguments,
)
from windlass.apps.pipelines.artifacts.uris import claim_path, join_uri
from windlass.apps.pipelines.names import ARTIFACTS_CLAIM
from windlass.formats.volume_files import exists, open_folder, read_file, write_file
from windlass.kube.json import dig, dig_object, is_object

TERMINATION_MESSAGE = Path("/dev/termination-log")
MAX_MESSAGE = 4096
"""Bytes of a termination message that Kubernetes keeps."""
MAX_EXECUTOR_OUTPUT = 16 << 20
MAX_PARAMETER = 4 << 20
MAX_RESULT = 256 << 10
AT_ONCE = 4
VERBS = ("fetch", "publish")
WORKSPACE = "workspace"


class MountedSettings:
    """Settings of stores from the plan, with credentials from Secrets that are mounted as files."""

    def __init__(self, providers: str, secrets: Path) -> None:
        """Raises ValueError."""
        self._providers, self._secrets = parse_providers(providers), secrets

    async def provider(self, namespace: str, uri: str) -> Provider | None:
        return provider_of(self._providers, uri)

    async def credentials(self, namespace: str, provider: Provider) -> Credentials:
        reference = provider.secret
        if reference is None:
            return Credentials(source="without credentials")
        where, folder = f"Secret {namespace}/{reference.name}", self._secrets / reference.name
        if not any((folder / key).exists() for key in reference.keys):
            if reference.is_required:
                raise ValueError(f"the {where} does not exist, or has none of the keys {', '.join(reference.keys)}")
            return Credentials(source=f"without credentials: there is no {where}")
        return credentials_of(provider, where, [_secret_value(folder / key, where) for key in reference.keys])

    async def value(self, namespace: str, reference: SecretKey) -> str:
        """The value of a key of a Secret. Raises ValueError."""
        where, path = f"Secret {namespace}/{reference.name}", self._secrets / reference.name / reference.key
        if not path.parent.exists():
            raise ValueError(f"the {where} does not exist")
        return _secret_value(path, where)


class PodFolders:
    """The pod's volume, and the workspace of its run."""

    def __init__(self, volume: Path, workspace: Path) -> None:
        self._folders = {ARTIFACTS_CLAIM: volume, WORKSPACE: workspace}

    async def folder(self, namespace: str, claim: str = ARTIFACTS_CLAIM) -> Path:
        if not self._folders[claim].is_dir():
            raise NoFolder(f"{self._folders[claim]} is not mounted")
        return self._folders[claim]

    async def make(self, namespace: str, claim: str = ARTIFACTS_CLAIM) -> Path:
        return await self.folder(namespace, claim)


class Transfer:
    """Carries out a plan. Its methods raise StoreError, ValueError and OSError."""

    def __init__(self, plan: TransferPlan, volume: Path, secrets: Path, workspace: Path) -> None:
        """Raises ValueError."""
        self._plan, self._volume = plan, volume
        settings, folders = MountedSettings(plan.providers, secrets), PodFolders(volume, workspace)
        # The main container reaches whatever this one does, so that no address needs to be refused.
        self._store = RemoteStore(settings, folders, allow_local=True)
        self._placed = PlacedStore(self._store, folders, settings.value)

    async def close(self) -> None:
        await self._store.close()

    async def fetch(self) -> None:
        limit = asyncio.Semaphore(AT_ONCE)

        async def one(wanted: InputArtifact) -> None:
            claim = WORKSPACE if wanted.workspace_path else ARTIFACTS_CLAIM
            async with limit:
                await self._store.fetch(
                    self._plan.namespace,
                    wanted.uri,
                    claim=claim,
                    path=wanted.workspace_path,
                    must_exist=wanted.must_exist,
                )

        async def placed(wanted: PlacedArtifact) -> None:
            async with limit:
                await self._placed.fetch(self._plan.namespace, wanted)

        await asyncio.gather(*map(one, self._plan.inputs), *map(placed, self._plan.placed_inputs))
        for path, text in self._plan.texts.items():
            await asyncio.to_thread(write_file, self._volume, path, text.encode())
        await asyncio.to_thread(_let_everyone_write, self._volume)

    async def publish(self) -> None:
        plan = self._plan
        report = await asyncio.to_thread(self._report)
        for uri in report.published:
            await self._store.publish(plan.namespace, uri)
        placed = [made.place.uri for made in plan.placed_outputs if await self._placed.publish(plan.namespace, made)]
        report = msgspec.structs.replace(report, published=[*report.published, *placed])
        path = claim_path(plan.report)
        if path is None:
            raise ValueError(f"{plan.report} is not the URI of an object")
        await asyncio.to_thread(write_file, self._volume, path, msgspec.json.encode(report))
        await self._store.publish(plan.namespace, plan.report)

    def _report(self) -> TransferReport:
        plan = self._plan
        written = (
            read_file(self._volume, plan.executor_output, MAX_EXECUTOR_OUTPUT + 1) if plan.executor_output else None
        )
        if written is not None and len(written) > MAX_EXECUTOR_OUTPUT:
            raise ValueError(f"The executor output is larger than {MAX_EXECUTOR_OUTPUT >> 20} MiB")
        parameters, problems = self._parameters()
        result = read_file(self._volume, plan.result, MAX_RESULT) if plan.result else None
        inputs = {one.uri for one in plan.inputs}
        uris = dict.fromkeys((*_output_uris(plan, written), *self._entries()))
        return TransferReport(
            executor_output=written.decode(errors="replace") if written is not None else None,
            parameters=parameters,
            problems=problems,
            result=result.decode(errors="replace") if result is not None else None,
            published=[uri for uri in uris if uri not in inputs and self._has_content(uri)],
        )

    def _parameters(self) -> tuple[dict[str, str], dict[str, str]]:
        found, problems = dict[str, str](), dict[str, str]()
        for name in _names_in(self._volume, self._plan.parameters) if self._plan.parameters else ():
            content = read_file(self._volume, f"{self._plan.parameters}/{name}", MAX_PARAMETER + 1)
            if content is None:
                continue
            if len(content) > MAX_PARAMETER:
                problems[name] = f"is larger than {MAX_PARAMETER >> 20} MiB: use an artifact"
                continue
            try:
                found[name] = content.decode()
            except UnicodeDecodeError as error:
                problems[name] = f"is not UTF-8 text: {error}"
        return found, problems

    def _entries(self) -> Iterator[str]:
        """URIs of the entries of folders in which each is an artifact."""
        for folder in self._plan.folders:
            for name in _names_in(self._volume, claim_path(folder) or ""):
                yield join_uri(folder, name)

    def _has_content(self, uri: str) -> bool:
        path = claim_path(uri)
        return path is not None and exists(self._volume, path)


def _output_uris(plan: TransferPlan, written: bytes | None) -> Iterator[str]:
    """The URIs of output artifacts: those that the executor output names, else those of the plan."""
    document: Any = None
    with contextlib.suppress(ValueError, RecursionError):  # the engine finds the same, and fails the task
        document = msgspec.json.decode(written) if written and written.strip() else None
    lists = dig_object(document, "artifacts") if is_object(document) else {}
    for name, uri in plan.artifacts.items():
        entries = dig(lists.get(name), "artifacts")
        for entry in cast(list[Any], entries) if isinstance(entries, list) and entries else [None]:
            named = dig(entry, "uri")
            yield named if isinstance(named, str) and named else uri


def _names_in(root: Path, path: str) -> list[str]:
    folder = open_folder(root, path)
    if folder is None:
        return []
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - of a descriptor, which no link can redirect
    finally:
        os.close(folder)


def _secret_value(path: Path, where: str) -> str:
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        raise ValueError(f"the {where} has no key {path.name!r}") from None
    except UnicodeDecodeError:
        raise ValueError(f"the {where}: the value of {path.name!r} is not text") from None


def _let_everyone_write(root: Path) -> None:
    """Main containers of any user make files beside the fetched ones."""
    for _, names, _, at in os.fwalk(root, follow_symlinks=False):
        for name in names:
            os.chmod(name, 0o777, dir_fd=at)


async def _run(verb: str, plan: TransferPlan, volume: Path, secrets: Path, workspace: Path) -> None:
    transfer = Transfer(plan, volume, secrets, workspace)
    try:
        await (transfer.fetch() if verb == "fetch" else transfer.publish())
    finally:
        await transfer.close()


def main(
    arguments: Sequence[str],
    *,
    volume: Path = Path(VOLUME_PATH),
    secrets: Path = Path(SECRETS_PATH),
    workspace: Path = Path(WORKSPACE_MOUNT),
    message: Path = TERMINATION_MESSAGE,
) -> int:
    try:
        verb, *rest = arguments or ("",)
        if verb not in VERBS:
            raise ValueError(f"{verb!r} is none of {', '.join(VERBS)}")
        asyncio.run(_run(verb, from_arguments(rest), volume, secrets, workspace))
    except (StoreError, ValueError, OSError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - the log of the container
        with contextlib.suppress(OSError):
            message.write_bytes(str(error).encode()[:MAX_MESSAGE])
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
