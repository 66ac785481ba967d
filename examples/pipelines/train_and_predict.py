"""Create a volume, train on it, predict, print: a pipeline with the kfp SDK.

pip install kfp kfp-kubernetes
python train_and_predict.py http://127.0.0.1:8080/pipeline "$(windlass user token user@example.com)"
"""

import sys

from kfp import Client, dsl, kubernetes  # pyright: ignore[reportMissingImports, reportAttributeAccessIssue]


@dsl.component(base_image="python:3.11")
def train(epochs: int, folder: str, metrics: dsl.Output[dsl.Metrics]) -> str:
    import json
    from pathlib import Path

    weight = 0.0
    for epoch in range(epochs):
        weight += (2.0 - weight) / 2
        print(f"epoch={epoch + 1} loss={(2.0 - weight) ** 2:.4f}")
    metrics.log_metric("weight", weight)
    model = Path(folder) / "model.json"
    model.write_text(json.dumps({"weight": weight}))
    return str(model)


@dsl.component(base_image="python:3.11")
def predict(model: str, x: float) -> float:
    import json
    from pathlib import Path

    return json.loads(Path(model).read_text())["weight"] * x


@dsl.component(base_image="python:3.11")
def show(value: float) -> str:
    print(f"predicted {value:.2f}")
    return f"{value:.2f}"


@dsl.pipeline(name="train-and-predict")
def train_and_predict(epochs: int = 10, x: float = 21.0) -> str:
    volume = kubernetes.CreatePVC(
        pvc_name_suffix="-data", access_modes=["ReadWriteOnce"], size="1Gi", storage_class_name="standard"
    )
    trained = train(epochs=epochs, folder="/data").set_caching_options(False)
    predicted = predict(model=trained.outputs["Output"], x=x).set_caching_options(False)
    for task in (trained, predicted):
        kubernetes.mount_pvc(task, pvc_name=volume.outputs["name"], mount_path="/data")
    shown = show(value=predicted.output)
    kubernetes.DeletePVC(pvc_name=volume.outputs["name"]).after(predicted)
    return shown.output


if __name__ == "__main__":
    host, token, namespace = [*sys.argv[1:], "kubeflow-user-example-com"][:3]
    client = Client(host=host, existing_token=token, namespace=namespace)
    run = client.create_run_from_pipeline_func(train_and_predict, arguments={"epochs": 20}, namespace=namespace)
    print(run.wait_for_run_completion().state)
