"""The notebooks app."""

from windlass.apis.app import PLATFORM_OPTION, READ, WRITE, App, UserRules
from windlass.apis.crd import SameSchema, definition
from windlass.apis.stops import Stop, StopOrder
from windlass.apis.wellknown import KUBEFLOW_GROUP as GROUP
from windlass.apps.notebooks.entrance import ENTRANCE
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.names import STOPPED
from windlass.apps.notebooks.options import Options
from windlass.kube.json import Object, timestamp

OTHER_VERSIONS = ("v1beta1", "v1alpha1")


def definitions() -> list[Object]:
    """Return the definition, ready to create: a Notebook has at least one container, with a name and an image."""
    made = definition(Notebook, *map(SameSchema, OTHER_VERSIONS))
    containers = _pod_spec(made)["properties"]["containers"]
    containers["minItems"] = 1
    containers["items"] = {**containers["items"], "required": ["name", "image"]}
    return [made]


def _pod_spec(made: Object) -> Object:
    """The schema of the pod, which all versions share. It is Kubernetes' own, so it is copied before it is changed."""
    whole = made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    template = whole["properties"]["spec"]["properties"]["template"]
    spec = template["properties"]["spec"]
    copied = {**spec, "properties": {**spec["properties"], "containers": {**spec["properties"]["containers"]}}}
    template["properties"]["spec"] = copied
    return copied


APP = App(
    name="notebooks",
    definitions=definitions,
    controllers="windlass.apps.notebooks.controllers",
    schemes=frozenset({"notebook"}),
    user_rules=(
        UserRules(
            role="notebooks",
            edit=(f"{WRITE} | {GROUP} | notebooks", f"get | {GROUP} | notebooks/status"),
            view=(f"{READ} | {GROUP} | notebooks", f"get | {GROUP} | notebooks/status"),
        ),
        UserRules(
            role="notebook-ui",
            edit=(f"{WRITE} | {GROUP} | notebooks", f"create delete | {GROUP} | poddefaults"),
            view=(
                f"{READ} | {GROUP} | notebooks notebooks/status poddefaults",
                f"{READ} | storage.k8s.io | storageclasses",
            ),
        ),
    ),
    manager_rights={
        "": {"secrets": "get", "pods/proxy": "get", "events": "list watch create patch"},
        "metrics.k8s.io": {"pods": "get"},
    },
    controllers_declare_rights=True,
    install_option=PLATFORM_OPTION,
    required=(Notebook,),
    web="windlass.apps.notebooks.web",
    gateway_rules=(f"patch | {GROUP} | notebooks",),  # when they were last used
    options=Options,
    entrances=(ENTRANCE,),
    stops=(Stop(kind=Notebook, order=StopOrder.JOB, path=("metadata", "annotations", STOPPED), value=timestamp),),
)
