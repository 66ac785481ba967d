"""Pod subresources that reach into a running pod: log, exec, attach, portforward, proxy.

The server only finds the pod's node and joins the two connections; the node agent speaks the protocol.
"""

from windlass.apiserver.api import Api
from windlass.apiserver.call import Call
from windlass.apiserver.connection import Answer
from windlass.apiserver.verbs.patch import live_object
from windlass.kube.errors import BadRequest
from windlass.kube.json import dig


async def logs(api: Api, call: Call) -> Answer:
    return await connect(api, call)


async def connect(api: Api, call: Call) -> Answer:
    pod = live_object(api, call)
    name = call.path.name
    if not dig(pod, "spec", "nodeName"):
        raise BadRequest(f"pod {name} does not have a host assigned")
    raise BadRequest(f"the node of pod {name} cannot be reached")
