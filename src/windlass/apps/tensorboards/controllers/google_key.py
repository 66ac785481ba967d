"""The key of a Google service account, for boards over gs://: in the Secret that Kubeflow mounts into their pods.

Kubeflow leaves it to a PodDefault to name the key's file to the client library. Here the controller names it, unless a
PodDefault does: two values of one variable would refuse the pod.
"""

from windlass.apis.core_v1 import Secret
from windlass.apps.profiles.kinds import PodDefault
from windlass.apps.tensorboards.children import GCP_MOUNT, GCP_SECRET, GCP_VARIABLE
from windlass.apps.tensorboards.kinds import Tensorboard, is_gcs
from windlass.apps.tensorboards.names import APP_LABEL, SECRET_NOT_FOUND
from windlass.kube.controller import Observed, matches
from windlass.kube.plan import Event
from windlass.kube.view import View, typed

USUAL_KEY = f"{GCP_SECRET}.json"
"""The name of the file in Kubeflow's documents."""
SECRETS: View[Secret] = typed(Secret).narrowed(f"metadata.name={GCP_SECRET}")


def key_file(board: Tensorboard, observed: Observed) -> str:
    """The path of the key in the board's pod; empty where none is to be named."""
    secret = observed.one(SECRETS, GCP_SECRET) if is_gcs(board.spec.logspath) else None
    if secret is None or any(_names_key(each) for each in observed.all(PodDefault) if is_for(board, each)):
        return ""
    names = [USUAL_KEY] if USUAL_KEY in secret.data else list(secret.data)
    return f"{GCP_MOUNT}/{names[0]}" if len(names) == 1 else ""


def missing_secret(board: Tensorboard, observed: Observed) -> Event | None:
    """Why the pod of a board over gs:// does not start."""
    if not is_gcs(board.spec.logspath) or observed.one(SECRETS, GCP_SECRET) is not None:
        return None
    message = (
        f'Secret "{GCP_SECRET}" with the key of a Google service account does not exist. Create it: '
        f"kubectl create secret generic {GCP_SECRET} -n {board.metadata.namespace} --from-file={USUAL_KEY}=KEY.json"
    )
    return Event(reason=SECRET_NOT_FOUND, message=message, warning=True)


def reads_key(board: Tensorboard, _: Secret) -> bool:
    return is_gcs(board.spec.logspath)


def is_for(board: Tensorboard, pod_default: PodDefault) -> bool:
    """Whether a PodDefault applies to the board's pod, which has the labels of the board."""
    labels = {**board.metadata.labels, APP_LABEL: board.metadata.name}
    return is_gcs(board.spec.logspath) and matches(pod_default.spec.selector, labels)


def _names_key(pod_default: PodDefault) -> bool:
    return any(variable.get("name") == GCP_VARIABLE for variable in pod_default.spec.env)
