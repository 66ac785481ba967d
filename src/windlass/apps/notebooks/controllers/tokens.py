"""The token of a notebook's server, which Jupyter reads from JUPYTER_TOKEN."""

from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.names import SERVER_TOKENS, TOKEN_VARIABLE
from windlass.controllers.server_tokens import controller
from windlass.kube.json import dig_list


def needs_token(notebook: Notebook) -> bool:
    """Whether the server's token is Windlass' to make: not where the user has set one."""
    containers = dig_list(notebook.spec.template.spec, "containers")
    given = dig_list(containers[0], "env") if containers else []
    return all(variable.get("name") != TOKEN_VARIABLE for variable in given)


CONTROLLER = controller("notebook-tokens", Notebook, SERVER_TOKENS, needs_token)
