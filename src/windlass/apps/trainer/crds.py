"""The CustomResourceDefinitions of TrainJobs and training runtimes."""

from windlass.apis.crd import definition
from windlass.apis.crd_descriptions import described
from windlass.apps.trainer.descriptions import DESCRIPTIONS
from windlass.apps.trainer.kinds import ClusterTrainingRuntime, TrainingRuntime, TrainJob
from windlass.kube.json import Object

_POLICIES = ("torch", "mpi", "jax", "xgboost", "flux")
_ONE_POLICY: Object = {
    "rule": f"[{', '.join(f'has(self.{name})' for name in _POLICIES)}].filter(x, x).size() <= 1",
    "message": "Only one of the policy can be configured",
}
_ONE_SCHEDULER: Object = {
    "rule": "!(has(self.coscheduling) && has(self.volcano))",
    "message": "Only one of the policy can be configured",
}
_NAME_RULES: list[Object] = [
    {
        "rule": "self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
        "message": "metadata.name must match RFC 1035 DNS label format",
    },
    {"rule": "size(self.metadata.name) <= 63", "message": "metadata.name must be no more than 63 characters"},
]


def definitions() -> list[Object]:
    """Return all definitions, ready to create."""
    return [_job(), *(_runtime(kind) for kind in (TrainingRuntime, ClusterTrainingRuntime))]


def _job() -> Object:
    made = definition(TrainJob)
    for version in made["spec"]["versions"]:
        schema = described(version["schema"]["openAPIV3Schema"], DESCRIPTIONS)
        version["schema"] = {"openAPIV3Schema": {**schema, "x-kubernetes-validations": _NAME_RULES}}
    return made


def _runtime(kind: type[TrainingRuntime] | type[ClusterTrainingRuntime]) -> Object:
    made = definition(kind)
    for version in made["spec"]["versions"]:
        schema = described(version["schema"]["openAPIV3Schema"], DESCRIPTIONS)
        fields = schema["properties"]["spec"]["properties"]
        fields["mlPolicy"]["x-kubernetes-validations"] = [_ONE_POLICY]
        fields["podGroupPolicy"]["x-kubernetes-validations"] = [_ONE_SCHEDULER]
        version["schema"] = {"openAPIV3Schema": schema}
    return made
