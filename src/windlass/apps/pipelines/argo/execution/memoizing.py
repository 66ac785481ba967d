"""Memoized templates: outputs of an earlier node with the same key, kept in a ConfigMap as Argo keeps them."""

from windlass.apps.pipelines.argo.config_maps import TYPE_LABEL, BadConfigMap
from windlass.apps.pipelines.argo.execution.turn import Call, Memo, Turn
from windlass.apps.pipelines.argo.language.scope import Scope
from windlass.apps.pipelines.argo.language.tags import substitute
from windlass.apps.pipelines.argo.nodes import SUCCEEDED
from windlass.apps.pipelines.argo.times import moment, seconds_of
from windlass.kube.json import Object, dig, dig_object, encode, is_object, parse, timestamp

CACHE_TYPE = "Cache"
STATUS = "memoizationStatus"


def remembered(turn: Turn, call: Call, scope: Scope, type: str) -> Object | None:
    """The node of a call whose outputs are known; None if it has to run. Raises Awaited, BadConfigMap and TagError."""
    memoize = substitute(dig_object(call.template, "memoize"), scope)
    name, key = str(dig(memoize, "cache", "configMap", "name") or ""), str(memoize.get("key") or "")
    found = turn.config_maps.get(name)
    if found is not None and dig(found, "metadata", "labels", TYPE_LABEL) != CACHE_TYPE:
        raise BadConfigMap(f"the ConfigMap {name} needs the label {TYPE_LABEL}: {CACHE_TYPE}")
    outputs = _fresh(turn, dig(found, "data", key), str(memoize.get("maxAge") or ""))
    if outputs is None:
        return None
    status: Object = {"hit": True, "key": key, "cacheName": name}
    return turn.add(call, type, SUCCEEDED, outputs=outputs, memoizationStatus=status)


def _fresh(turn: Turn, text: object, max_age: str) -> Object | None:
    """Outputs of an entry that is not too old; None for one that is, or that cannot be read."""
    try:
        entry = parse(text) if isinstance(text, str) else None
    except ValueError:
        return None
    if not is_object(entry):
        return None
    age = (turn.now - moment(entry.get("creationTimestamp"))).total_seconds()
    if max_age and age > seconds_of(max_age):
        return None
    return dig_object(entry, "outputs")


def remember(turn: Turn, call: Call, scope: Scope, node: Object) -> None:
    """Keep the outputs of a node that has just succeeded."""
    memoize = substitute(dig_object(call.template, "memoize"), scope)
    name, key = str(dig(memoize, "cache", "configMap", "name") or ""), str(memoize.get("key") or "")
    entry: Object = {
        "nodeID": node["id"],
        "outputs": dig_object(node, "outputs"),
        "creationTimestamp": timestamp(turn.now),
        "lastHitTimestamp": timestamp(turn.now),
    }
    turn.change(node, memoizationStatus={"hit": False, "key": key, "cacheName": name})
    turn.memos.append(Memo(config_map=name, key=key, value=encode(entry).decode()))
