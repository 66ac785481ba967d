"""The topic `tree`: an object's owners and children, as they come and go.

No index of owners exists at an API server, so the metadata of all kinds of the namespace is followed while a page
shows a tree in it. The status is read of the objects in the tree alone, with the user's rights.
"""

from collections.abc import Sequence
from datetime import timedelta

import msgspec

from windlass.gateway.request import Identity
from windlass.gateway.views.inputs import Inputs, Want
from windlass.gateway.views.live_view import LiveView, TreeParams
from windlass.gateway.views.object_tree import Found, descendants, listing_of, owners_of, shown_kinds, tree_node
from windlass.gateway.views.services import ViewServices
from windlass.gateway.views.tree import ObjectTree
from windlass.kube.errors import BadRequest, NotFound
from windlass.kube.kind import Kind
from windlass.kube.meta import PartialObjectMetadata
from windlass.kube.view import metadata_only


class Tree(LiveView):
    name, value = "tree", ObjectTree
    params = TreeParams
    is_personal = True
    discovery_age = timedelta(seconds=10)

    def wants(self, params: TreeParams, served: Sequence[Kind]) -> list[Want]:
        root = _root_kind(params, served)
        kinds = shown_kinds(served, namespaced=root.namespaced)
        return [Want(kind, _namespace(root, params), metadata_only=True) for kind in kinds]

    async def compute(
        self, services: ViewServices, inputs: Inputs, params: TreeParams, served: Sequence[Kind], user: Identity
    ) -> ObjectTree:
        """Raises NotFound and Forbidden of the object itself; what else may not be listed is left out."""
        client, kind = services.context.client_of(user), _root_kind(params, served)
        root = Found(kind, (await client.get(metadata_only(kind), params.name, _namespace(kind, params))).metadata)
        kinds = shown_kinds(served, namespaced=kind.namespaced)
        listing = listing_of(
            Found(each, msgspec.convert(obj, PartialObjectMetadata).metadata)
            for each in kinds
            for obj in inputs.of(each)
        )
        owners = owners_of(root, listing)
        below, hidden = descendants(root, listing)
        placed = [(one, at - len(owners)) for at, one in enumerate(owners)] + below
        statuses = await services.statuses.read(client, [one for one, _ in placed])
        nodes = tuple(tree_node(one, depth, statuses.get(one.uid, {})) for one, depth in placed)
        refused = sorted(each.group_resource for each in kinds if not inputs.may_list(each))
        notes = (f"You may not list {', '.join(refused)}: such children are not shown",) * bool(refused)
        return ObjectTree(owners=nodes[: len(owners)], nodes=nodes[len(owners) :], hidden=hidden, notes=notes)


def _root_kind(params: TreeParams, served: Sequence[Kind]) -> Kind:
    place = (params.group, params.version, params.resource)
    kind = next((each for each in served if each.place == place), None)
    if kind is None:
        raise NotFound(
            f"resource: the server does not serve {params.resource} in {params.group or 'core'}/{params.version}"
        )
    if kind.namespaced and not params.namespace:
        raise BadRequest(f"namespace: {kind.plural} are in namespaces")
    return kind


def _namespace(kind: Kind, params: TreeParams) -> str:
    return params.namespace if kind.namespaced else ""
