"""Nodes that list objects of a store, and change the list by expressions: `data` templates. They need no pod."""

from windlass.apps.pipelines.argo.artifacts.artifact_places import is_in_own_store, place_of, place_problem, uri_of
from windlass.apps.pipelines.argo.artifacts.repositories import located
from windlass.apps.pipelines.argo.execution.turn import Call, Turn
from windlass.apps.pipelines.argo.inputs import Inputs
from windlass.apps.pipelines.argo.language.expressions import ExpressionError, evaluate
from windlass.apps.pipelines.argo.language.scope import Scope, Unresolved
from windlass.apps.pipelines.argo.language.values import text_of
from windlass.apps.pipelines.argo.nodes import ERROR, FAILED, PENDING, SUCCEEDED
from windlass.apps.pipelines.argo.observation import Listing
from windlass.kube.json import Object, dig_list, dig_object

SOURCE = "data.source.artifactPaths"


def run_data(turn: Turn, call: Call, template: Object, inputs: Inputs) -> Object | None:
    """Advance the node; `template` has its tags replaced."""
    node = turn.node(call.name)
    if node is None:
        if not turn.may_start(call, is_pod=True):
            return None
        node = turn.add(call, "Pod", PENDING, inputs=inputs.record)
    if turn.is_stopped(call):
        return turn.finish(node, FAILED, turn.stop_message)
    source = located(dig_object(template, "data", "source", "artifactPaths"), turn.repository)
    if problem := place_problem(source):
        return turn.finish(node, ERROR, f"{SOURCE}: {problem}")
    answer = turn.observation.listings.get(node["id"])
    if answer is None:
        own = is_in_own_store(source)
        listing = Listing(node_id=node["id"], uri=uri_of(source["s3"])) if own else None
        turn.listings.append(listing or Listing(node_id=node["id"], place=place_of(source)))
        return node
    if answer.error:
        return turn.finish(node, ERROR, answer.error)
    try:
        result = text_of(transformed(list(answer.keys), dig_list(template, "data", "transformation")))
    except (ExpressionError, Unresolved) as error:
        return turn.finish(node, ERROR, f"data.transformation: {error}")
    return turn.finish(node, SUCCEEDED, outputs={"result": result, "exitCode": "0"})


def transformed(data: object, steps: list[Object]) -> object:
    """The value of `data` after all expressions, each of which sees that of the one before it.

    Raises ExpressionError and Unresolved.
    """
    for step in steps:
        data = evaluate(str(step["expression"]), Scope(), data=data)
    return data
