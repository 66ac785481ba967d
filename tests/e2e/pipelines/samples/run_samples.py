"""Runs every sample with the SDK of this Python, all at once, and prints how each ended, as JSON.

python run_samples.py HOST TOKEN NAMESPACE [NAME ...]
"""

# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

import json
import sys
import time

import artifacts  # noqa: F401 - modules of samples register theirs
import containers  # noqa: F401
import control  # noqa: F401
import exits  # noqa: F401
import kfp
import nesting  # noqa: F401
import platform_features  # noqa: F401
import values  # noqa: F401
from catalogue import SAMPLES

FINAL = ("SUCCEEDED", "FAILED", "SKIPPED", "CANCELED")
LONGEST = 400.0


def tasks_of(client, run_id):
    answer = client._run_api.api_client.call_api(
        f"/apis/v2beta1/runs/{run_id}/tasks",
        "GET",
        query_params=[("page_size", 200)],
        response_type="object",
        auth_settings=["Bearer"],
    )[0]
    return answer.get("tasks", [])


def outputs_of(tasks):
    root = next(task for task in tasks if task["name"] == "root")
    return {given["parameter_key"]: given.get("value") for given in root.get("outputs", {}).get("parameters", [])}


def end_of(client, run_id, until):
    run = client.get_run(run_id)
    while run.state not in FINAL and time.monotonic() < until:
        time.sleep(0.2)
        run = client.get_run(run_id)
    tasks = tasks_of(client, run_id)
    failed = {task["name"]: task.get("status_metadata") for task in tasks if task["state"] == "FAILED"}
    return {"state": run.state, "outputs": outputs_of(tasks), "failed": failed}


def main(host, token, namespace, *names):
    client = kfp.Client(host=host, existing_token=token, namespace=namespace)
    version = kfp.__version__
    chosen = {name: SAMPLES[name] for name in names or SAMPLES}
    runs = {
        name: client.create_run_from_pipeline_func(
            wanted.pipeline,
            arguments=wanted.arguments,
            run_name=f"run of {name} by {version}",
            namespace=namespace,
            experiment_name=f"samples of {version}",
            enable_caching=False,
        ).run_id
        for name, wanted in chosen.items()
    }
    until = time.monotonic() + LONGEST
    found = {}
    for name, wanted in chosen.items():
        end = end_of(client, runs[name], until)
        found[name] = {**end, "wanted_state": wanted.state, "wanted_outputs": wanted.outputs}
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
