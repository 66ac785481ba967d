"""Markup in everything that users write: names, descriptions, parameters, events, logs, artifacts, annotations.

Every page that shows it is opened. Nothing of it may become an element, ask for an address or run.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
import yaml
from playwright.sync_api import Dialog, expect

from tests.e2e.browser.tab import Tab
from tests.e2e.dashboard.people import DEMO_NAMESPACE
from tests.e2e.notebooks.desk import Desk
from tests.gateway.platform import Platform
from tests.pipelines.wire.people import PipelinesUser, ok
from tests.support import KUBECTL, eventually

MARK = "hostile-marker"
IMAGE = f'"><img src=/{MARK} onerror="window.hostile=1">'
MARKDOWN = f"[link](javascript:hostile=1) ![picture](/{MARK}) <script>hostile=1</script> [data](data:text/html,x)"
EVERYTHING = f"{IMAGE}<svg onload=hostile=1><script src=/{MARK}></script><a href=javascript:hostile=1>x</a>"
DOCUMENT = (
    f"<p>scores</p>{EVERYTHING}<script>try {{ parent.hostile = 1 }} catch {{}}; top.location = '/{MARK}'</script>"
    f"<form action=/{MARK}><button autofocus onfocus=this.form.submit()></form>"
    f"<meta http-equiv=refresh content='0;url=/{MARK}'>"
)

ELEMENTS = """() => [...document.querySelectorAll("*")].filter((element) =>
  [...element.attributes].some(({name, value}) => name.startsWith("on") || /^\\s*(javascript|data:text)/i.test(value))
  || (element.tagName === "SCRIPT" && !element.src.includes("/assets/"))
  || (element.tagName === "IMG" && element.src.includes("hostile")))
  .map((element) => element.outerHTML.slice(0, 200))"""
"""Elements that no page of the dashboard has, and that users would have to write."""

OBJECTS: list[dict[str, Any]] = [
    {
        "apiVersion": "kubeflow.org/v1",
        "kind": "Notebook",
        "metadata": {
            "name": "hostile",
            "annotations": {"notebooks.kubeflow.org/server-type": IMAGE, "example.com/note": EVERYTHING},
        },
        "spec": {
            "template": {
                "spec": {
                    "containers": [
                        {"name": "hostile", "image": IMAGE, "env": [{"name": "TEXT", "value": EVERYTHING}]},
                    ]
                }
            }
        },
    },
    {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": "hostile", "annotations": {"example.com/note": EVERYTHING}},
        "spec": {
            "pytorchReplicaSpecs": {
                "Master": {
                    "replicas": 1,
                    "restartPolicy": "Never",
                    "template": {
                        "spec": {
                            "containers": [
                                {
                                    "name": "pytorch",
                                    "image": "python:3.11",
                                    "command": [
                                        "python",
                                        "-c",
                                        "import sys; print(sys.argv[1]); sys.exit(sys.argv[1])",
                                    ],
                                    "args": [EVERYTHING],
                                }
                            ]
                        }
                    },
                }
            }
        },
    },
    {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "hostile", "annotations": {"example.com/note": EVERYTHING}},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    },
    {
        "apiVersion": "tensorboard.kubeflow.org/v1alpha1",
        "kind": "Tensorboard",
        "metadata": {"name": "hostile"},
        "spec": {"logspath": f"s3://x/{IMAGE}"},
    },
    {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "hostile", "annotations": {"example.com/note": EVERYTHING}},
        "data": {"page.html": DOCUMENT, "links.md": MARKDOWN},
    },
    {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {
            "name": "hostile",
            "annotations": {"workflows.argoproj.io/title": MARKDOWN, "workflows.argoproj.io/description": EVERYTHING},
        },
        "spec": {
            "entrypoint": "main",
            "arguments": {"parameters": [{"name": "text", "value": EVERYTHING, "description": EVERYTHING}]},
            "templates": [
                {
                    "name": "main",
                    "inputs": {"parameters": [{"name": "text"}]},
                    "metadata": {"annotations": {"workflows.argoproj.io/display-name": IMAGE}},
                    "container": {
                        "image": "python:3.11",
                        "command": [
                            "python",
                            "-c",
                            "import os, sys; print(os.environ['TEXT']); sys.exit(os.environ['TEXT'])",
                        ],
                        "env": [{"name": "TEXT", "value": EVERYTHING}],
                    },
                }
            ],
        },
    },
    {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "CronWorkflow",
        "metadata": {"name": "hostile", "annotations": {"workflows.argoproj.io/description": MARKDOWN}},
        "spec": {
            "schedules": ["0 3 * * *"],
            "workflowSpec": {
                "entrypoint": "main",
                "arguments": {"parameters": [{"name": "text", "value": EVERYTHING}]},
                "templates": [{"name": "main", "suspend": {}}],
            },
        },
    },
    *(
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": f"hostile-{number}"},
            "involvedObject": {"apiVersion": version, "kind": kind, "name": "hostile", "namespace": DEMO_NAMESPACE},
            "type": "Warning",
            "reason": IMAGE,
            "message": EVERYTHING,
            "source": {"component": IMAGE},
            "count": 1,
        }
        for number, (version, kind) in enumerate(
            [("kubeflow.org/v1", "Notebook"), ("kubeflow.org/v1", "PyTorchJob"), ("v1", "PersistentVolumeClaim")]
        )
    ),
]
PIPELINE = {
    "pipelineInfo": {"name": "hostile", "displayName": IMAGE, "description": MARKDOWN},
    "schemaVersion": "2.1.0",
    "sdkVersion": f"kfp-2.17.0{IMAGE}",
    "root": {
        "inputDefinitions": {"parameters": {"text": {"parameterType": "STRING", "description": EVERYTHING}}},
        "dag": {
            "tasks": {
                "write": {
                    "taskInfo": {"name": IMAGE},
                    "componentRef": {"name": "comp-write"},
                    "inputs": {"parameters": {"text": {"componentInputParameter": "text"}}},
                }
            }
        },
    },
    "components": {
        "comp-write": {
            "executorLabel": "exec-write",
            "inputDefinitions": {"parameters": {"text": {"parameterType": "STRING"}}},
            "outputDefinitions": {
                "parameters": {"said": {"parameterType": "STRING"}},
                "artifacts": {
                    "page": {"artifactType": {"schemaTitle": "system.HTML", "schemaVersion": "0.0.1"}},
                    "notes": {"artifactType": {"schemaTitle": "system.Markdown", "schemaVersion": "0.0.1"}},
                    "data": {"artifactType": {"schemaTitle": "system.Dataset", "schemaVersion": "0.0.1"}},
                },
            },
        }
    },
    "deploymentSpec": {
        "executors": {
            "exec-write": {
                "container": {
                    "image": "python:3.11",
                    "command": [
                        "python3",
                        "-c",
                        "import pathlib, sys\n"
                        "print(sys.argv[1])\n"
                        "for path, text in zip(sys.argv[2::2], sys.argv[3::2]):\n"
                        "    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)\n"
                        "    pathlib.Path(path).write_text(text)\n",
                    ],
                    "args": [
                        "{{$.inputs.parameters['text']}}",
                        "{{$.outputs.parameters['said'].output_file}}",
                        EVERYTHING,
                        "{{$.outputs.artifacts['page'].path}}",
                        DOCUMENT,
                        "{{$.outputs.artifacts['notes'].path}}",
                        MARKDOWN,
                        "{{$.outputs.artifacts['data'].path}}",
                        DOCUMENT,
                    ],
                }
            }
        }
    },
}

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(600),
]


@pytest.fixture(scope="module")
def hostile(platform: Platform, desk: Desk) -> Iterator[dict[str, str]]:
    """Objects and runs with markup in them, by the id that their pages need."""
    desk.apply(*OBJECTS)
    token = platform.windlass("user", "token", desk.person.email, "--name", "hostile").stdout.strip()
    user = PipelinesUser(platform.url, token, desk.namespace, desk.person.email)
    pipeline = ok(
        user.upload(
            yaml.safe_dump(PIPELINE).encode(), f"{IMAGE}.yaml", name="hostile", display_name=IMAGE, description=MARKDOWN
        )
    )
    experiment = user.an_experiment(display_name=IMAGE, description=EVERYTHING)
    run = {
        "display_name": IMAGE,
        "description": MARKDOWN,
        "experiment_id": experiment["experiment_id"],
        "pipeline_version_reference": {"pipeline_id": pipeline["pipeline_id"]},
        "runtime_config": {"parameters": {"text": EVERYTHING}},
    }
    started = user.post("/runs", run)
    recurring = user.post(
        "/recurringruns",
        {**run, "mode": "DISABLE", "max_concurrency": "1", "trigger": {"cron_schedule": {"cron": "0 0 3 * * *"}}},
    )
    path = f"/runs/{started['run_id']}"
    eventually(lambda: user.get(path)["state"] in ("SUCCEEDED", "FAILED"), 120, "the run's end")
    eventually(
        lambda: desk.get("workflow", "hostile").get("status", {}).get("phase") == "Failed", 120, "the workflow's end"
    )
    yield {
        "run": started["run_id"],
        "recurring": recurring["recurring_run_id"],
        "pipeline": pipeline["pipeline_id"],
        "experiment": experiment["experiment_id"],
        "artifacts": " ".join(
            one["artifact_id"] for one in user.get("/artifacts", namespace=desk.namespace)["artifacts"]
        ),
    }
    desk.kubectl("delete", "--wait=false", "-f", "-", stdin="\n---\n".join(map(yaml.safe_dump, OBJECTS)))


def pages(ids: dict[str, str]) -> list[str]:
    mine = f"{DEMO_NAMESPACE}/hostile"
    run = f"/pipelines/runs/details/{ids['run']}"
    return [
        "/",
        "/activity",
        "/manage-users",
        "/jupyter/",
        f"/jupyter/notebook/details/{mine}",
        f"/jupyter/notebook/details/{mine}?tab=yaml",
        "/jobs/",
        f"/jobs/PyTorchJob/{mine}",
        f"/jobs/PyTorchJob/{mine}?tab=logs",
        "/volumes/",
        f"/volumes/details/{mine}",
        "/tensorboards/",
        f"/tensorboards/details/{mine}",
        f"/objects/core/v1/configmaps/{mine}",
        "/objects/core/v1/events",
        "/pipelines/",
        f"/pipelines/details/{ids['pipeline']}",
        f"/pipelines/runs/new?pipeline={ids['pipeline']}",
        "/pipelines/runs/",
        run,
        f"{run}?node=root.write",
        f"{run}?node=root.write&panel=logs",
        f"/pipelines/runs/compare?runs={ids['run']},{ids['run']}",
        "/pipelines/experiments/",
        f"/pipelines/experiments/{ids['experiment']}",
        "/pipelines/executions/",
        "/pipelines/artifacts/",
        *(f"/pipelines/artifacts/{artifact}" for artifact in ids["artifacts"].split()),
        "/pipelines/recurring/",
        f"/pipelines/recurring/{ids['recurring']}",
        "/pipelines/workflows/",
        f"/pipelines/workflows/{mine}",
        f"/pipelines/workflows/{mine}?node=root",
        "/pipelines/cron-workflows/",
        f"/pipelines/cron-workflows/{mine}?tab=details",
        "/account",
        f"/pipelines/runs/?q={quote(EVERYTHING)}&ns={DEMO_NAMESPACE}",
    ]


def test_nothing_that_users_write_becomes_a_part_of_a_page(hostile: dict[str, str], tab: Tab) -> None:
    page, found, asked, shown = tab.page, list[str](), list[str](), list[str]()
    page.on("request", lambda request: asked.append(request.url) if urlsplit(request.url).path == f"/{MARK}" else None)

    def dismiss(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    tab.errors.clear()
    for path in pages(hostile):
        answer = page.goto(path)
        assert answer is not None
        assert "script-src 'self';" in answer.headers["content-security-policy"] + ";", path
        expect(page.get_by_role("main").get_by_role("heading", level=1)).to_be_visible()
        page.wait_for_load_state("networkidle")
        shown += [path] if MARK in page.get_by_role("main").inner_text() else []
        found += [f"{path}: {element}" for element in page.evaluate(ELEMENTS)]
        found += [f"{path}: a script ran"] if page.evaluate("window.hostile") is not None else []
        found += [f"{path} was left for {tab.path}"] if urlsplit(page.url).path != urlsplit(path).path else []
    assert len(shown) >= 20, "or the test looks at pages without what users wrote"
    assert found == []
    assert asked == []
    assert [error for error in tab.errors if "Content Security Policy" in error] == []
