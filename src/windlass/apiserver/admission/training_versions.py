"""Training jobs of old versions: refused in the words of their own version, before they are converted to v1."""

from windlass.apis.kubeflow_v2beta1 import CREATED_AS
from windlass.apis.training.common import GROUP
from windlass.apis.training.conversion import legacy_problems
from windlass.apiserver.admission.chain import Attributes, Plugin
from windlass.kube.errors import Invalid
from windlass.kube.json import Object, dig, dig_object


class TrainingVersions(Plugin):
    """What only an old version can get wrong is named; what an MPIJob was created as, it stays."""

    kinds = frozenset({f"{GROUP}/tfjobs", f"{GROUP}/mpijobs"})
    operations = frozenset({"CREATE", "UPDATE"})

    def mutate(self, attributes: Attributes) -> None:
        """A client that replaces all annotations must not hand a running job to another controller."""
        new, old = attributes.obj, attributes.old
        if new is None or old is None:
            return
        was = dig(old, "metadata", "annotations", CREATED_AS)
        if was == dig(new, "metadata", "annotations", CREATED_AS):
            return
        annotations: Object = {**dig_object(new, "metadata", "annotations"), CREATED_AS: was}
        new["metadata"]["annotations"] = {name: value for name, value in annotations.items() if value is not None}

    def validate(self, attributes: Attributes) -> None:
        resource = attributes.resource
        causes = legacy_problems(attributes.obj) if attributes.obj is not None else []
        if causes:
            raise Invalid.of(resource.kind, resource.group, attributes.name, causes)
