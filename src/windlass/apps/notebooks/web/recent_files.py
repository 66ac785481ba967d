"""The notebook files that were changed last, as the servers of a namespace list them. Best effort."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from urllib.parse import quote

import msgspec

from windlass.apps.notebooks.children import target_port
from windlass.apps.notebooks.culling import has_jupyter
from windlass.apps.notebooks.entrance import ENTRANCE
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.names import prefix
from windlass.apps.notebooks.web.notebook_view import RecentFile
from windlass.gateway.context import GatewayContext
from windlass.gateway.request import Identity
from windlass.gateway.views.reading import time_text, typed
from windlass.kube.errors import ApiError
from windlass.kube.json import Object
from windlass.kube.meta import Key

TIMEOUT = timedelta(seconds=2)
MAX_FILES = 5
MAX_SERVERS = 10


class _Entry(msgspec.Struct):
    name: str = ""
    path: str = ""
    type: str = ""
    last_modified: str | None = None


class _Folder(msgspec.Struct):
    content: list[_Entry] | None = None


_folder = msgspec.json.Decoder(_Folder)


async def recent_files(
    context: GatewayContext, identity: Identity, notebooks: Sequence[Object]
) -> tuple[RecentFile, ...]:
    """Of the running servers that the user may enter. Who may not enter a server sees none of its files."""
    servers = [notebook for obj in notebooks if (notebook := typed(obj, Notebook)) is not None]
    running = [one for one in servers if one.status.ready_replicas == 1 and has_jupyter(one)][:MAX_SERVERS]
    found = await asyncio.gather(*(_files_of(context, identity, one) for one in running))
    newest = sorted((each for files in found for each in files), key=lambda each: each.modified, reverse=True)
    return tuple(newest[:MAX_FILES])


async def _files_of(context: GatewayContext, identity: Identity, notebook: Notebook) -> list[RecentFile]:
    key = notebook.metadata.key
    entering = ENTRANCE.access(key.namespace, key.name)
    if not await context.proxy.reviews.allows(identity, entering):
        return []
    token = context.proxy.server_tokens.of(entering)
    try:
        async with asyncio.timeout(TIMEOUT.total_seconds()):
            answer = await context.client.ask_pod(
                Key(key.namespace, f"{key.name}-0"),
                target_port(notebook),
                f"{prefix(key)}/api/contents/",
                {},
                {"token": token} if token else {},
            )
        folder = _folder.decode(answer.body) if answer.code == 200 else _Folder()
    except (ApiError, TimeoutError, OSError, msgspec.MsgspecError, RecursionError):
        return []
    return [
        RecentFile(
            server=key.name,
            path=entry.path,
            name=entry.name,
            modified=modified,
            link=f"{prefix(key)}/lab/tree/{quote(entry.path)}",
        )
        for entry in folder.content or ()
        if entry.type in ("notebook", "file") and (modified := time_text(entry.last_modified)) is not None
    ]
