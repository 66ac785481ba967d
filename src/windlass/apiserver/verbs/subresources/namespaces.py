"""namespaces/finalize: remove a finalizer from a namespace's spec, and the namespace with the last one."""

from windlass.apiserver.api import Api
from windlass.apiserver.call import Call
from windlass.apiserver.connection import Response
from windlass.apiserver.verbs.bodies import read_object
from windlass.apiserver.verbs.update import rewrite
from windlass.kube.json import Object, dig_list


async def finalize(api: Api, call: Call) -> Response:
    body = read_object(call)

    def change(obj: Object) -> Object:
        obj.setdefault("spec", {})["finalizers"] = dig_list(body, "spec", "finalizers")
        version = body["metadata"].get("resourceVersion") if isinstance(body.get("metadata"), dict) else None
        if version:
            obj["metadata"]["resourceVersion"] = version
        return obj

    return await rewrite(api, call, change)
