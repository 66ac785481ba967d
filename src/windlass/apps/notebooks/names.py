"""Labels, annotations and paths of notebooks, as Kubeflow has them."""

from windlass.kube.meta import Key

STOPPED = "kubeflow-resource-stopped"
LAST_ACTIVITY = "notebooks.kubeflow.org/last-activity"
LAST_CHECK = "notebooks.kubeflow.org/last_activity_check_timestamp"
SERVER_TYPE = "notebooks.kubeflow.org/server-type"
CREATOR = "notebooks.kubeflow.org/creator"
REWRITE = "notebooks.kubeflow.org/http-rewrite-uri"
REQUEST_HEADERS = "notebooks.kubeflow.org/http-headers-request-set"
STARTED_AT = "notebooks.windlass.dev/started-at"
"""When the server was started again, by the web app; RFC3339."""
CULL_IDLE_MINUTES = "notebooks.windlass.dev/cull-idle-minutes"

NOTEBOOK_LABEL = "notebook-name"
STATEFUL_SET_LABEL = "statefulset"
PREFIX_VARIABLE, TOKEN_VARIABLE = "NB_PREFIX", "JUPYTER_TOKEN"
PORT, PORT_NAME = 8888, "notebook-port"
HOME = "/home/jovyan"


def prefix(key: Key) -> str:
    """The path of a notebook at the gateway, without a trailing slash."""
    return f"/notebook/{key.namespace}/{key.name}"


def virtual_service_name(key: Key) -> str:
    return f"notebook-{key.namespace}-{key.name}"
