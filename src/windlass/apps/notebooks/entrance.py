"""The entrance to notebook servers. A user who enters runs code as the service account of the notebook."""

from windlass.apis.app import Cause, Entrance
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.names import PATH_PREFIX, SERVER_TOKENS
from windlass.kube.json import dig


def why_not_ready(notebook: Notebook) -> Cause | None:
    """Return why a notebook's server does not answer; None if its status gives no reason."""
    state = notebook.status.container_state
    cause = dig(state, "waiting", "reason")
    if cause:
        return Cause(str(cause), str(dig(state, "waiting", "message") or ""))
    if dig(state, "running") is not None:
        return None
    for condition in notebook.status.conditions or ():
        if condition.status == "False" and condition.reason and condition.message:
            return Cause(condition.reason, condition.message)
    return None


ENTRANCE = Entrance(
    prefix=PATH_PREFIX,
    kind=Notebook,
    enter="update",
    why_not_ready=why_not_ready,
    server_tokens=SERVER_TOKENS,
    token_scope="notebooks",
    on_use="windlass.apps.notebooks.web.activity:NotebookActivity",
)
