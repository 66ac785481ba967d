"""An MPIJob stays what it was created as, v1 or v2beta1, whoever writes it at whichever version.

A client that replaces all annotations must not hand a running job to another controller.
"""

import base64

from windlass.apis.kubeflow_v2beta1 import CREATED_AS, VERSION
from windlass.kube.json import Object, dig, dig_object, encode, is_object


def keep_created_as(request: Object) -> Object:
    """The answer to an AdmissionReview: with a patch where an update would make another job of it."""
    obj, old = request.get("object"), request.get("oldObject")
    if request.get("operation") != "UPDATE" or not is_object(obj) or not is_object(old):
        return {"allowed": True}
    was = created_as(old)
    if created_as(obj) == was:
        return {"allowed": True}
    annotations: Object = {**dig_object(obj, "metadata", "annotations"), CREATED_AS: was}
    patch = [{"op": "add", "path": "/metadata/annotations", "value": annotations}]
    return {"allowed": True, "patchType": "JSONPatch", "patch": base64.b64encode(encode(patch)).decode()}


def created_as(obj: Object) -> str:
    """The version at which a job was created; one that does not say so was created at the version that it has."""
    version = VERSION if str(obj.get("apiVersion")).endswith(f"/{VERSION}") else "v1"
    return str(dig(obj, "metadata", "annotations", CREATED_AS) or version)
