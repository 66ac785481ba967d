"""kfp's client without a host: through the API server of a kubeconfig.

    python kfp2_kubeconfig_stories.py KUBECONFIG NAMESPACE

Prints what it found out as JSON on its last line.
"""

# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false, reportInvalidTypeForm=false

import json
import os
import sys
import time

os.environ["KUBECONFIG"] = sys.argv[1]

import kfp
import kfp_server_api
from kfp import dsl


@dsl.component(base_image="python:3.11")
def say(text: str) -> str:
    return text


@dsl.pipeline(name="by-kubeconfig")
def by_kubeconfig(text: str = "hello"):
    say(text=text)


def main(namespace):
    client = kfp.Client()
    run = client.create_run_from_pipeline_func(
        by_kubeconfig, arguments={"text": "hi"}, namespace=namespace, experiment_name="by kubeconfig"
    )
    until = time.monotonic() + 120
    while (found := client.get_run(run.run_id)).state not in ("SUCCEEDED", "FAILED") and time.monotonic() < until:
        time.sleep(0.2)
    try:
        client.list_runs(namespace="kubeflow")
        foreign = 200
    except kfp_server_api.ApiException as error:
        foreign = error.status
    return {"state": found.state, "foreign": foreign}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[2])))
