"""certificatesigningrequests/approval: approve or deny a request; nothing else of it may change here."""

from windlass.apiserver.api import Api
from windlass.apiserver.auth.attributes import Attributes, forbidden_resource
from windlass.apiserver.call import Call
from windlass.apiserver.connection import Response
from windlass.apiserver.verbs.patch import live_object, patch
from windlass.apiserver.verbs.update import update
from windlass.kube.json import Object, dig

SIGNERS = "signers"
GROUP = "certificates.k8s.io"


async def approve(api: Api, call: Call) -> Response:
    """Write the approval, for users who may `approve` the request's signer."""
    request = live_object(api, call)
    require_signer_verb(api, call, request, "approve")
    return await (patch(api, call) if call.verb == "patch" else update(api, call))


def require_signer_verb(api: Api, call: Call, request: Object, verb: str) -> None:
    signer = str(dig(request, "spec", "signerName") or "")
    domain = signer.partition("/")[0] + "/*"
    for name in (signer, domain):
        if api.rbac.allowed(call.user, Attributes(verb, GROUP, SIGNERS, "", "", name)).allowed:
            return
    why = f'user not permitted to {verb} requests with signerName "{signer}"'
    raise forbidden_resource(call.resource.plural, GROUP, call.path.name, why)
