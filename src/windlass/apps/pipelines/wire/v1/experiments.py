"""Experiments of /apis/v1beta1."""

from windlass.apps.pipelines.model import Experiment
from windlass.apps.pipelines.wire.call import Call
from windlass.apps.pipelines.wire.protojson import encode
from windlass.apps.pipelines.wire.runs import experiments
from windlass.apps.pipelines.wire.v1 import shapes
from windlass.apps.pipelines.wire.v1.references import namespace_scope, reference, referred
from windlass.kube.json import Object


def shown(experiment: Experiment) -> Object:
    return {
        "id": experiment.experiment_id,
        "name": experiment.display_name,
        "description": experiment.description,
        "created_at": experiment.created_at,
        "resource_references": [reference("NAMESPACE", experiment.namespace)],
        "storage_state": f"STORAGESTATE_{experiment.storage_state}",
    }


async def create_experiment(call: Call) -> Object:
    body = await call.body(shapes.EXPERIMENT)
    fields = {
        "display_name": body.get("name", ""),
        "description": body.get("description", ""),
        "namespace": referred(body.get("resource_references", []), "NAMESPACE"),
    }
    return encode(shapes.EXPERIMENT, shown(await experiments.new_experiment(call, fields)))


async def get_experiment(call: Call) -> Object:
    return encode(shapes.EXPERIMENT, shown(await experiments.find_experiment(call, call.part("id"), "get")))


async def list_experiments(call: Call) -> Object:
    page, token = await experiments.experiment_page(call, namespace_scope(call))
    answer = {"experiments": [shown(each) for each in page.records], "total_size": page.total, "next_page_token": token}
    return encode(shapes.EXPERIMENTS, answer)
