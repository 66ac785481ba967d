"""Volumes of files from the API: configMap, secret, downwardAPI, projected. Read-only, and updated live."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from msgspec.structs import replace

from windlass.kube.errors import ApiError
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.node.field_paths import needs_allocatable
from windlass.node.sources import Reference
from windlass.node.volumes import atomic, payload
from windlass.node.volumes.atomic import File
from windlass.node.volumes.base import Failed, Prepared, Request
from windlass.node.volumes.volume_folders import make_private

Files = dict[str, File]


async def config_map(request: Request, source: Object) -> Prepared:
    files = await _config_map_files(request, source, payload.mode_of(source))
    return await _write(request, request.on_disk(), files)


async def secret(request: Request, source: Object) -> Prepared:
    named = {**source, "name": source.get("secretName")}
    files = await _secret_files(request, named, payload.mode_of(source))
    if request.owner.single_id:
        # others' rights are nobody's, and ssh refuses a key of its user's own that others may read
        files = {path: replace(file, mode=file.mode & ~0o077) for path, file in files.items()}
    return await _write(request, request.in_memory(), files)


async def downward_api(request: Request, source: Object) -> Prepared:
    files = await _downward_files(request, source, payload.mode_of(source))
    return await _write(request, request.in_memory(), files)


async def projected(request: Request, source: Object) -> Prepared:
    """Project the parts in order; a later file hides an earlier one at the same path.

    All errors are reported together.
    """
    files, wrong, mode = dict[str, File](), list[str](), payload.mode_of(source)
    for part in dig_list(source, "sources"):
        try:
            for kind, inner in part.items():
                files |= await _part(request, kind, inner, mode)
        except Failed as error:
            wrong.append(str(error))
    if wrong:
        raise Failed(wrong[0] if len(wrong) == 1 else f"[{', '.join(wrong)}]")
    return await _write(request, request.in_memory(), files)


async def _part(request: Request, kind: str, source: Object, mode: int) -> Files:
    make = _PARTS.get(kind)
    if make is None:
        raise Failed(f"{kind} sources are not supported by this node")
    return await make(request, source, mode)


async def _config_map_files(request: Request, source: Object, mode: int) -> Files:
    name = str(source.get("name") or "")
    request.references.add(Reference("ConfigMap", request.namespace, name))
    found = await request.sources.config_map(request.namespace, name)
    if found is not None:
        return payload.of_config_map(found, source, mode)
    if source.get("optional"):
        return {}
    raise Failed(f'configmap "{name}" not found')


async def _secret_files(request: Request, source: Object, mode: int) -> Files:
    name = str(source.get("name") or "")
    request.references.add(Reference("Secret", request.namespace, name))
    found = await request.sources.secret(request.namespace, name)
    if found is not None:
        return payload.of_secret(found, source, mode)
    if source.get("optional"):
        return {}
    raise Failed(f'secret "{name}" not found')


async def _downward_files(request: Request, source: Object, mode: int) -> Files:
    items = dig_list(source, "items")
    resources = [dig_object(item, "resourceFieldRef") for item in items if item.get("resourceFieldRef")]
    unlimited = any(needs_allocatable(request.pod, {}, reference) for reference in resources)
    allocatable = await request.sources.allocatable() if unlimited else {}
    return payload.of_downward(request.pod, items, mode, allocatable)


async def _token_file(request: Request, source: Object, _mode: int) -> Files:
    seconds = int(source.get("expirationSeconds") or 3600)
    try:
        token = await request.sources.token(request.pod, str(source.get("audience") or ""), seconds)
    except ApiError as error:
        raise Failed(f"failed to fetch token: {error.message}") from error
    request.renewals.append(token.renew_at)
    user = only_user(request.pod)
    # Kubelet's rule: closed where one user or fsGroup may be given it, else open to all users of the pod.
    mode = 0o600 if user is not None or request.owner.fs_group is not None else 0o644
    return {payload.safe(str(source.get("path"))): File(token.value.encode(), mode, user or 0)}


def only_user(pod: Object) -> int | None:
    """Return the user that all containers run as, if the manifest sets one."""
    usual = dig(pod, "spec", "securityContext", "runAsUser")
    containers = dig_list(pod, "spec", "initContainers") + dig_list(pod, "spec", "containers")
    users = {
        usual if (own := dig(container, "securityContext", "runAsUser")) is None else own for container in containers
    }
    return users.pop() if len(users) == 1 else None


_PARTS: dict[str, Callable[[Request, Object, int], Awaitable[Files]]] = {
    "configMap": _config_map_files,
    "secret": _secret_files,
    "downwardAPI": _downward_files,
    "serviceAccountToken": _token_file,
}


async def _write(request: Request, folder: Path, files: Files) -> Prepared:
    await asyncio.to_thread(_write_now, request, folder, files)
    return Prepared(str(folder), read_only=True)


def _write_now(request: Request, folder: Path, files: Files) -> None:
    make_private(folder.parent)
    request.owner.make_folder(folder, 0o755)
    atomic.write(folder, files, request.owner)
