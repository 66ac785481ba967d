"""An MPIJob stays what it was created as, v1 or v2beta1, whoever writes it at whichever version."""

from windlass.apis.kubeflow_v2beta1 import CREATED_AS
from windlass.apis.training.common import GROUP
from windlass.apiserver.admission.chain import Attributes, Plugin
from windlass.kube.json import Object, dig, dig_object


class CreatedAs(Plugin):
    """A client that replaces all annotations must not hand a running job to another controller."""

    kinds = frozenset({f"{GROUP}/mpijobs"})
    operations = frozenset({"UPDATE"})

    def mutate(self, attributes: Attributes) -> None:
        new, old = attributes.obj, attributes.old
        was = dig(old, "metadata", "annotations", CREATED_AS)
        if new is None or was == dig(new, "metadata", "annotations", CREATED_AS):
            return
        annotations: Object = {**dig_object(new, "metadata", "annotations"), CREATED_AS: was}
        new["metadata"]["annotations"] = {name: value for name, value in annotations.items() if value is not None}
