"""Labels, annotations and paths of notebooks, as Kubeflow has them."""

from windlass.apis.server_tokens import TokenSecrets
from windlass.apis.wellknown import STOPPED_ANNOTATION
from windlass.kube.meta import Key

STOPPED = STOPPED_ANNOTATION
LAST_ACTIVITY = "notebooks.kubeflow.org/last-activity"
LAST_CHECK = "notebooks.kubeflow.org/last_activity_check_timestamp"
SERVER_TYPE = "notebooks.kubeflow.org/server-type"
CREATOR = "notebooks.kubeflow.org/creator"
REWRITE = "notebooks.kubeflow.org/http-rewrite-uri"
REQUEST_HEADERS = "notebooks.kubeflow.org/http-headers-request-set"
STARTED_AT = "notebooks.windlass.dev/started-at"
"""When the server was started again, by the web app; RFC3339."""
CULL_IDLE_MINUTES = "notebooks.windlass.dev/cull-idle-minutes"

PATH_PREFIX = "notebook"
"""First segment of the paths of notebooks at the gateway."""
NOTEBOOK_LABEL = "notebook-name"
STATEFUL_SET_LABEL = "statefulset"
PREFIX_VARIABLE, TOKEN_VARIABLE = "NB_PREFIX", "JUPYTER_TOKEN"
PORT, PORT_NAME = 8888, "notebook-port"
HOME = "/home/jovyan"
SERVER_TOKENS = TokenSecrets(resource="notebooks", name_label=NOTEBOOK_LABEL)


def prefix(key: Key) -> str:
    """The path of a notebook at the gateway, without a trailing slash."""
    return f"/{PATH_PREFIX}/{key.namespace}/{key.name}"


def url_with_token(origin: str, key: Key, token: str) -> str:
    """The address of a notebook's Jupyter server for an IDE."""
    return f"{origin}{prefix(key)}/?token={token}"


def virtual_service_name(key: Key) -> str:
    return f"notebook-{key.namespace}-{key.name}"
