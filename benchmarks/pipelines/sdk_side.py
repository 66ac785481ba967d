"""The half of the benchmark that needs the kfp SDK: `python sdk_side.py HOST TOKEN NAMESPACE`, which prints JSON."""

# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

import json
import sys
import tempfile
import time
import urllib.request

import kfp
from kfp import dsl, local

IMAGE = "python:3.11"
FINAL = ("SUCCEEDED", "FAILED")


@dsl.component(base_image=IMAGE)
def hello(name: str) -> str:
    return f"Hello, {name}"


@dsl.component(base_image=IMAGE)
def increment(x: int) -> int:
    return x + 1


@dsl.pipeline(name="bench-hello")
def hello_pipeline(name: str = "World") -> str:
    return hello(name=name).output


@dsl.pipeline(name="bench-chain")
def chain_pipeline(start: int = 0) -> int:
    step = increment(x=start)
    for _ in range(9):
        step = increment(x=step.output)
    return step.output


@dsl.container_component
def touch(number: int):
    return dsl.ContainerSpec(image="busybox", command=["true"], args=[number])


@dsl.pipeline(name="bench-loop")
def loop_pipeline():
    with dsl.ParallelFor(list(range(1000)), parallelism=20) as number:
        touch(number=number)


@dsl.pipeline(name="bench-twenty")
def twenty_pipeline():
    with dsl.ParallelFor(list(range(20)), parallelism=2) as number:
        touch(number=number)


def finish(client, run_id, within=900.0):
    """Ask less often as time goes by: the SDK takes seconds of a processor to make objects of a thousand tasks."""
    began = time.monotonic()
    while (run := client.get_run(run_id)).state not in FINAL:
        passed = time.monotonic() - began
        if passed > within:
            raise TimeoutError(run_id)
        time.sleep(max(0.01, min(passed / 10, 5.0)))
    if run.state != "SUCCEEDED":
        raise RuntimeError(f"{run_id}: {run.error}")


def seconds(client, namespace, function, caching, times):
    """From before the run is created until it has succeeded."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        run = client.create_run_from_pipeline_func(
            function, namespace=namespace, experiment_name="bench", enable_caching=caching
        )
        finish(client, run.run_id)
        taken.append(round(time.perf_counter() - began, 3))
    return taken


def in_process(function, times):
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        function()
        taken.append(round(time.perf_counter() - began, 3))
    return taken


def large(client, namespace, host, token):
    run = client.create_run_from_pipeline_func(
        loop_pipeline, namespace=namespace, experiment_name="bench", enable_caching=False
    )
    began = time.perf_counter()
    finish(client, run.run_id)
    took = time.perf_counter() - began
    began = time.perf_counter()
    read(host, token, run.run_id)
    return {"seconds": round(took, 1), "read": round(time.perf_counter() - began, 3)}


def read(host, token, run_id):
    """Over HTTP alone: the SDK takes seconds to make objects of a thousand tasks."""
    request = urllib.request.Request(f"{host}/apis/v2beta1/runs/{run_id}", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request) as answer:
        answer.read()


def many(client, namespace, count=50):
    began = time.perf_counter()
    runs = [
        client.create_run_from_pipeline_func(
            twenty_pipeline, namespace=namespace, experiment_name="bench", enable_caching=False
        ).run_id
        for _ in range(count)
    ]
    created = time.perf_counter() - began
    for run in runs:
        finish(client, run)
    tasks = [task.display_name for run in runs for task in client.get_run(run).run_details.task_details]
    return {
        "created": round(created, 1),
        "seconds": round(time.perf_counter() - began, 1),
        "tasks": sum(name == "touch" for name in tasks),
    }


def main(host, token, namespace, parts):
    client = kfp.Client(host=host, existing_token=token, namespace=namespace)
    found = {}
    if "speed" in parts:
        seconds(client, namespace, hello_pipeline, False, 1)  # the environment is built
        found["hello"] = seconds(client, namespace, hello_pipeline, False, 5)
        found["chain"] = seconds(client, namespace, chain_pipeline, False, 3)
        seconds(client, namespace, chain_pipeline, True, 1)
        found["cached"] = seconds(client, namespace, chain_pipeline, True, 3)
        with tempfile.TemporaryDirectory() as folder:
            local.init(local.SubprocessRunner(use_venv=False), pipeline_root=folder)
            in_process(hello_pipeline, 1)
            found["local hello"] = in_process(hello_pipeline, 3)
            found["local chain"] = in_process(chain_pipeline, 2)
    if "large" in parts:
        found["loop"] = large(client, namespace, host, token)
    if "many" in parts:
        found["many"] = many(client, namespace)
    print("\n" + json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4].split(","))
