"""Admission of objects that a subresource accepts and does not store: Bindings, Evictions, TokenRequests."""

from windlass.apiserver.api import Api
from windlass.apiserver.call import Call
from windlass.apiserver.verbs import write
from windlass.apiserver.verbs.bodies import media_type, read_document
from windlass.kube.errors import BadRequest
from windlass.kube.json import Object, is_object


def read_plain(call: Call) -> Object:
    """Decode the body as an object without a schema."""
    document = read_document(call.request.body, media_type(call))
    if not is_object(document):
        raise BadRequest("the body of the request must be an object")
    return document


async def admit(api: Api, call: Call, body: Object, api_version: str, kind: str, *, dry_run: bool = False) -> Object:
    """Run admission on the body, which plug-ins, webhooks and policies see as the creation of such an object."""
    obj: Object = {**body, "apiVersion": api_version, "kind": kind}
    attributes = write.attributes_of(call, "CREATE", obj, None)
    attributes.dry_run = dry_run or call.dry_run
    chain, remote = api.admission.chain, api.admission.remote
    chain.mutate(attributes)
    if remote is not None:
        attributes.options = write.options_of(call, "CreateOptions")
        await remote.mutate(attributes)
    chain.validate(attributes)
    if remote is not None:
        await remote.validate(attributes)
    assert attributes.obj is not None
    return attributes.obj
