# pyright: reportAttributeAccessIssue=false
# kfp is installed where this runs, not where it is checked.
"""What a user does with the unmodified SDK; run by an environment that has kfp, and prints what came of it as JSON.

python kfp_stories.py STORY HOST TOKEN FOLDER
"""

import json
import sys
import warnings
from pathlib import Path
from typing import Any

warnings.filterwarnings("ignore")

import kfp  # noqa: E402
from kfp import compiler, dsl  # noqa: E402


@dsl.component(base_image="python:3.11")
def greet(name: str, n: int) -> str:
    return " ".join([f"Hello {name}!"] * n)


@dsl.pipeline(name="greeting")
def greeting(name: str = "world", n: int = 1) -> None:
    greet(name=name, n=n)


def package(folder: Path) -> str:
    path = str(folder / "greeting.yaml")
    compiler.Compiler().compile(greeting, path)
    return path


def experiments(client: kfp.Client, folder: Path) -> Any:
    made = client.create_experiment("story", description="d")
    again = client.create_experiment("story")
    found = client.get_experiment(experiment_name="story")
    names = [each.display_name for each in client.list_experiments(page_size=50).experiments]
    client.archive_experiment(made.experiment_id)
    archived = client.get_experiment(experiment_id=made.experiment_id).storage_state
    client.unarchive_experiment(made.experiment_id)
    client.delete_experiment(made.experiment_id)
    return {
        "same": made.experiment_id == again.experiment_id == found.experiment_id,
        "listed": "story" in names,
        "archived": archived,
        "created": made.created_at.year >= 2026,
    }


def pipelines(client: kfp.Client, folder: Path) -> Any:
    path = package(folder)
    made = client.upload_pipeline(path, pipeline_name="greeting", description="d")
    version = client.upload_pipeline_version(path, "v2", pipeline_id=made.pipeline_id)
    versions = client.list_pipeline_versions(made.pipeline_id, sort_by="created_at desc").pipeline_versions
    found = client.get_pipeline(made.pipeline_id)
    specification = client.get_pipeline_version(made.pipeline_id, version.pipeline_version_id).pipeline_spec
    by_name = client.get_pipeline_id("greeting")
    client.delete_pipeline_version(made.pipeline_id, version.pipeline_version_id)
    client.delete_pipeline_version(made.pipeline_id, versions[1].pipeline_version_id)
    client.delete_pipeline(made.pipeline_id)
    return {
        "name": found.display_name,
        "versions": [each.display_name for each in versions],
        "pipeline": specification["pipelineInfo"]["name"],
        "by name": by_name == made.pipeline_id,
        "left": client.get_pipeline_id("greeting"),
    }


def runs(client: kfp.Client, folder: Path) -> Any:
    path = package(folder)
    experiment = client.create_experiment("runs")
    made = client.upload_pipeline(path, pipeline_name="for runs")
    version = client.list_pipeline_versions(made.pipeline_id).pipeline_versions[0]
    run = client.run_pipeline(
        experiment.experiment_id, "by version", params={"name": "x", "n": 2}, pipeline_id=made.pipeline_id,
        version_id=version.pipeline_version_id,
    )  # fmt: skip
    inline = client.create_run_from_pipeline_package(path, arguments={"n": 3}, run_name="inline", enable_caching=False)
    listed = client.list_runs(experiment_id=experiment.experiment_id, sort_by="created_at desc").runs
    client.terminate_run(run.run_id)
    state = client.get_run(run.run_id).state
    client.archive_run(run.run_id)
    archived = client.get_run(run.run_id).storage_state
    client.unarchive_run(run.run_id)
    client.delete_run(run.run_id)
    return {
        "parameters": run.runtime_config.parameters,
        "inline": client.get_run(inline.run_id).runtime_config.parameters,
        "listed": [each.display_name for each in listed],
        "state": state,
        "archived": archived,
    }


def recurring_runs(client: kfp.Client, folder: Path) -> Any:
    path = package(folder)
    experiment = client.create_experiment("recurring")
    made = client.create_recurring_run(
        experiment.experiment_id, "nightly", cron_expression="0 0 3 * * *", pipeline_package_path=path,
        params={"n": 1}, max_concurrency=3,
    )  # fmt: skip
    listed = client.list_recurring_runs(experiment_id=experiment.experiment_id).recurring_runs
    client.disable_recurring_run(made.recurring_run_id)
    status = client.get_recurring_run(made.recurring_run_id).status
    client.enable_recurring_run(made.recurring_run_id)
    client.delete_recurring_run(made.recurring_run_id)
    return {
        "listed": [each.display_name for each in listed],
        "concurrency": made.max_concurrency,
        "cron": made.trigger.cron_schedule.cron,
        "status": status,
    }


STORIES = {story.__name__: story for story in (experiments, pipelines, runs, recurring_runs)}

if __name__ == "__main__":
    story, host, token, folder = sys.argv[1:]
    sys.stdout.write(json.dumps(STORIES[story](kfp.Client(host=host, existing_token=token), Path(folder))) + "\n")
