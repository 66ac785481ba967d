# pyright: reportAttributeAccessIssue=false
# kfp is installed where this runs, not where it is checked.
"""What a user does with the unmodified SDK 1.8; prints what came of it as JSON.

python kfp_v1_stories.py HOST TOKEN NAMESPACE FOLDER
"""

import json
import sys
import warnings
from pathlib import Path
from typing import Any

warnings.filterwarnings("ignore")

import kfp  # noqa: E402
from kfp import components, dsl  # noqa: E402


def double(n: int) -> int:
    return 2 * n


double_op = components.create_component_from_func(double, base_image="python:3.11")


@dsl.pipeline(name="doubling", description="d")
def doubling(n: int = 1) -> None:
    double_op(n)


def life(client: kfp.Client, namespace: str, folder: Path) -> Any:
    path = str(folder / "doubling.yaml")
    kfp.compiler.Compiler().compile(doubling, path)
    experiment = client.create_experiment("v1 story", namespace=namespace)
    found = client.get_experiment(experiment_name="v1 story", namespace=namespace)
    pipeline = client.upload_pipeline(path, pipeline_name="doubling")
    version = client.upload_pipeline_version(path, "v2", pipeline_id=pipeline.id)
    by_version = client.run_pipeline(experiment.id, "by version", params={"n": "3"}, version_id=version.id)
    by_package = client.run_pipeline(experiment.id, "by package", pipeline_package_path=path, params={"n": "4"})
    detail = client.get_run(by_package.id)
    listed = client.list_runs(experiment_id=experiment.id, sort_by="created_at desc").runs
    job = client.create_recurring_run(
        experiment.id, "nightly", cron_expression="0 0 3 * * *", pipeline_package_path=path, enabled=False
    )
    jobs = client.list_recurring_runs(experiment_id=experiment.id).jobs
    client.delete_job(job.id)
    return {
        "same": found.id == experiment.id,
        "pipeline": client.get_pipeline(pipeline.id).parameters[0].name,
        "by version": by_version.name,
        "parameters": [[each.name, each.value] for each in detail.run.pipeline_spec.parameters],
        "manifest": json.loads(detail.pipeline_runtime.workflow_manifest)["kind"],
        "listed": [each.name for each in listed],
        "jobs": [each.name for each in jobs],
    }


if __name__ == "__main__":
    host, token, namespace, folder = sys.argv[1:]
    sys.stdout.write(json.dumps(life(kfp.Client(host=host, existing_token=token), namespace, Path(folder))) + "\n")
