"""Stories with the unmodified kfp SDK 1.8, in an environment of its own.

python kfp1_stories.py STORY HOST TOKEN NAMESPACE
"""

# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false, reportCallIssue=false

import json
import sys
import tempfile
import time
from pathlib import Path

import kfp
from kfp import compiler, dsl

IMAGE = "python:3.11"
TRAIN = (
    "import json,sys; json.dump({'w':2.0,'epochs':int(sys.argv[1])}, open('/data/model.json','w')); "
    "json.dump([1,2,3], open('/data/test.json','w'))"
)
PREDICT = (
    "import json; w=json.load(open('/data/model.json'))['w']; "
    "open('/data/result.txt','w').write(','.join(str(w*x) for x in json.load(open('/data/test.json'))))"
)


@dsl.pipeline(name="train-and-predict")
def train_and_predict(pvc_size: str = "1Gi", epochs: int = 3):
    claim = dsl.VolumeOp(name="create-pvc", resource_name="data-volume", modes=dsl.VOLUME_MODE_RWO, size=pvc_size)
    train = dsl.ContainerOp("train", IMAGE, ["python3", "-c"], [TRAIN, epochs], pvolumes={"/data": claim.volume})
    predict = dsl.ContainerOp("predict", IMAGE, ["python3", "-c"], [PREDICT], pvolumes={"/data": train.pvolume})
    dsl.ContainerOp(
        "print-result", IMAGE, ["sh", "-c"], ["cat /data/result.txt | tee /tmp/out.txt"],
        pvolumes={"/data": predict.pvolume}, file_outputs={"result": "/tmp/out.txt"},
    )  # fmt: skip


def client_of(host, token, namespace):
    client = kfp.Client(host=host, existing_token=token, namespace=namespace)
    client.set_user_namespace(namespace)
    return client


def wait(client, run_id, within=120.0):
    until = time.monotonic() + within
    while True:
        detail = client.get_run(run_id)
        if (detail.run.status or "").lower() in ("succeeded", "failed", "error", "skipped"):
            return detail
        if time.monotonic() > until:
            raise TimeoutError(f"{detail.run.status}: {detail.pipeline_runtime.workflow_manifest[:3000]}")
        time.sleep(0.1)


def seed(client, namespace):
    with tempfile.TemporaryDirectory() as folder:
        package = str(Path(folder) / "pipeline.yaml")
        compiler.Compiler().compile(train_and_predict, package)
        pipeline = client.upload_pipeline(package, pipeline_name="train-and-predict-v1")
    experiment = client.create_experiment("v1", namespace=namespace)
    run = client.run_pipeline(experiment.id, "first", pipeline_id=pipeline.id, params={"epochs": 5})
    detail = wait(client, run.id)
    workflow = json.loads(detail.pipeline_runtime.workflow_manifest)
    nodes = {node["displayName"]: node for node in workflow["status"]["nodes"].values() if node["type"] == "Pod"}
    found = {
        "status": detail.run.status,
        "name": workflow["metadata"]["name"],
        "nodes": {name: node["phase"] for name, node in nodes.items()},
        "parameters": sorted(parameter.name for parameter in pipeline.parameters or []),
        "template": "train-and-predict" in client.pipelines.get_template(pipeline.id).template,
    }
    if detail.run.status == "Succeeded":
        read = client.runs.read_artifact(run.id, nodes["print-result"]["id"], "print-result-result")
        found["artifact"] = read.data
    return found


if __name__ == "__main__":
    story, host, token, namespace = sys.argv[1:5]
    print(json.dumps({"seed": seed}[story](client_of(host, token, namespace), namespace), default=str))
