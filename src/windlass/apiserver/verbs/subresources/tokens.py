"""serviceaccounts/token: a time- and audience-bound token for a service account."""

from windlass.apiserver.api import Api
from windlass.apiserver.auth.token_request import GROUP, answer_token_request
from windlass.apiserver.call import Call
from windlass.apiserver.connection import Response
from windlass.apiserver.verbs.answers import plain_answer
from windlass.apiserver.verbs.bodies import media_type, read_document
from windlass.apiserver.verbs.patch import live_object
from windlass.apiserver.verbs.subresources.admitted import admit
from windlass.kube.errors import BadRequest
from windlass.kube.json import is_object


async def request_token(api: Api, call: Call) -> Response:
    body = read_document(call.request.body, media_type(call))
    if not is_object(body):
        raise BadRequest("the body of the request must be a TokenRequest")
    tokens = api.authenticator.service_accounts
    assert tokens is not None
    account = live_object(api, call)
    body = await admit(api, call, body, f"{GROUP}/v1", "TokenRequest")

    def get(resource: str, namespace: str, name: str) -> dict[str, object] | None:
        return api.read(f"/{resource}", namespace, name)

    return plain_answer(call, answer_token_request(tokens, get, account, body), 201)
