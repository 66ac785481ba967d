"""A story with every method of `kfp.Client`, of its aliases, and of the newer `PipelinesClient`. See kfp2_stories.py.

python kfp2_client_stories.py HOST TOKEN NAMESPACE
"""

# pyright: basic, reportMissingImports=false, reportInvalidTypeForm=false, reportFunctionMemberAccess=false
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

import json
import sys
import tempfile
from pathlib import Path

import kfp
from kfp import compiler, dsl
from kfp.kubeflow_client import PipelinesClient
from kfp.kubeflow_client.backends.kubernetes.types import KubernetesBackendConfig
from kfp2_stories import IMAGE


@dsl.component(base_image=IMAGE)
def greet(name: str) -> str:
    return f"hello {name}"


@dsl.pipeline(name="every-method")
def every_method(name: str = "nobody") -> str:
    return greet(name=name).output


def use_client(host, token, namespace, folder):
    client = kfp.Client(host=host, existing_token=token, namespace=namespace)
    found = {"healthz": client.get_kfp_healthz().multi_user, "namespace": client.get_user_namespace()}
    package = str(folder / "every.yaml")
    compiler.Compiler().compile(every_method, package)

    experiment = client.create_experiment("every method", description="of the client", namespace=namespace)
    id = experiment.experiment_id
    found["experiment"] = client.get_experiment(experiment_name="every method", namespace=namespace).experiment_id == id
    pipeline = client.upload_pipeline_from_pipeline_func(every_method, pipeline_name="every", namespace=namespace)
    second = client.upload_pipeline_version_from_pipeline_func(
        every_method, pipeline_version_name="second", pipeline_id=pipeline.pipeline_id, description="again"
    )
    third = client.upload_pipeline_version(package, "third", pipeline_name="every")
    found["pipeline"] = client.get_pipeline(client.get_pipeline_id("every")).display_name
    found["version"] = client.get_pipeline_version(pipeline.pipeline_id, third.pipeline_version_id).display_name
    listed = client.list_pipeline_versions(pipeline.pipeline_id, page_size=2, sort_by="created_at")
    more = client.list_pipeline_versions(pipeline.pipeline_id, page_token=listed.next_page_token, sort_by="created_at")
    found["versions"] = [one.display_name for page in (listed, more) for one in page.pipeline_versions]

    run = client.create_run_from_pipeline_package(
        package, {"name": "you"}, run_name="a package", experiment_name="every method", namespace=namespace
    )
    found["waited"] = run.wait_for_run_completion(timeout=60).state
    started = client.run_pipeline(
        id, "a version", pipeline_id=pipeline.pipeline_id, version_id=second.pipeline_version_id, enable_caching=False
    )
    found["state"] = client.wait_for_run_completion(started.run_id, timeout=60, sleep_duration=1).state
    found["runs"] = sorted(one.display_name for one in client.list_runs(experiment_id=id, namespace=namespace).runs)
    client.archive_run(started.run_id)
    client.unarchive_run(started.run_id)
    client.delete_run(started.run_id)

    recurring = client.create_recurring_run(
        id,
        "yearly",
        cron_expression="0 0 0 1 1 *",
        pipeline_package_path=package,
        params={"name": "year"},
        enabled=False,
        max_concurrency=3,
    ).recurring_run_id
    states = [client.get_recurring_run(recurring).status]
    for change in (client.enable_job, client.disable_job, client.enable_recurring_run, client.disable_recurring_run):
        change(recurring)
        states.append(client.get_recurring_run(recurring).status)
    found["recurring"] = states
    found["recurring runs"] = [one.display_name for one in client.list_recurring_runs(experiment_id=id).recurring_runs]
    client.delete_job(recurring)

    client.archive_experiment(id)
    client.unarchive_experiment(id)
    for version in (third, second):
        client.delete_pipeline_version(pipeline.pipeline_id, version.pipeline_version_id)
    first = client.list_pipeline_versions(pipeline.pipeline_id).pipeline_versions[0]
    client.delete_pipeline_version(pipeline.pipeline_id, first.pipeline_version_id)
    client.delete_pipeline(pipeline.pipeline_id)
    client.delete_run(run.run_id)
    client.delete_experiment(id)
    return found


def use_pipelines_client(host, token, namespace):
    client = PipelinesClient(KubernetesBackendConfig(base_url=host, user_token=token, namespace=namespace))
    seen = []
    version = client.upload_pipeline(every_method, name="newer", version="one", description="first")
    client.upload_pipeline(every_method, name="newer", version="two")
    client.create_experiment("newer", description="of the newer client")
    runs = [
        client.run("newer", params={"name": "latest"}, name="by name", experiment="newer"),
        client.run("newer", version="one", name="by version", experiment="newer"),
        client.run(every_method, name="by function", experiment="newer"),
        client.run(version, name="by object", experiment="newer"),
    ]
    for run in runs:
        ended = client.wait_for_run_status(run, timeout=60, polling_interval=1, callbacks=[lambda one: seen.append(1)])
        assert ended.state == client.get_run(ended.run_id).state
    found = {
        "pipeline": client.get_pipeline("newer").display_name,
        "version": client.get_pipeline_version("newer", "two").display_name,
        "pipelines": "newer" in [one.display_name for one in client.list_pipelines(page_size=100).pipelines],
        "versions": sorted(one.display_name for one in client.list_pipeline_versions("newer").pipeline_versions),
        "runs": sorted(f"{one.display_name} {one.state}" for one in client.list_runs(experiment="newer").runs),
        "of a pipeline": len(client.list_runs(pipeline="newer", experiment="newer", status="succeeded").runs),
        "experiment": client.get_experiment("newer").display_name,
        "experiments": "newer" in [one.display_name for one in client.list_experiments(page_size=100).experiments],
        "callbacks": bool(seen),
        "older client": client.kfp_client.get_user_namespace(),
    }
    client.delete_pipeline("newer", version="two")
    client.delete_pipeline("newer", force=True)
    client.delete_experiment("newer")
    return found


if __name__ == "__main__":
    host, token, namespace = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        older = use_client(host, token, namespace, Path(folder))
    print(json.dumps({"client": older, "newer": use_pipelines_client(host, token, namespace)}, default=str))
