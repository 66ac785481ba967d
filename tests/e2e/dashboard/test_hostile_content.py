"""Markup in everything that users write: names, descriptions, parameters, events, logs, artifacts, annotations.

Every page that shows it is opened. Nothing of it may become an element, ask for an address or run.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
import yaml
from playwright.sync_api import Dialog, Locator, Request, Response, expect

from tests.apps.pipelines.wire.people import PipelinesUser, ok
from tests.e2e.browser.tab import Tab
from tests.e2e.dashboard.people import DEMO_NAMESPACE, card
from tests.e2e.notebooks.desk import Desk
from tests.gateway.browser import Person, a_person
from tests.gateway.platform import Platform
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

FILE_NAME = f'"><img src={MARK} onerror=window.hostile=1><svg onload=hostile=1>'
"""Markup without a slash, which no name of a file has."""
FILES = {
    f"{FILE_NAME}.txt": EVERYTHING,
    f"{FILE_NAME}.md": MARKDOWN,
    f"{FILE_NAME}.html": DOCUMENT,
    f"{FILE_NAME}.csv": f"name,note\n{IMAGE},{EVERYTHING}\n",
    f"{FILE_NAME}.ipynb": json.dumps(
        {
            "cells": [
                {
                    "cell_type": kind,
                    "source": [EVERYTHING],
                    "outputs": [
                        {"output_type": "stream", "text": [EVERYTHING]},
                        {"output_type": "display_data", "data": {"text/html": DOCUMENT, "image/png": IMAGE}},
                    ],
                }
                for kind in ("code", "markdown")
            ]
        }
    ),
}
SERVER = """
import datetime, http.server, json, pathlib, sys
files, noise = json.loads(sys.argv[1]), sys.argv[2]
for name, text in files.items():
    pathlib.Path("/data", name).write_text(text)
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        now = datetime.datetime.now(datetime.timezone.utc).isoformat()
        listed = [{"name": name, "path": name, "type": "file", "last_modified": now} for name in files]
        body = json.dumps({"content": listed}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *words):
        print(noise, flush=True)
print(noise, flush=True)
http.server.ThreadingHTTPServer(("0.0.0.0", 8888), Handler).serve_forever()
"""
"""In the place of Jupyter: writes the files, lists them, and prints what it is given."""

ELEMENTS = """() => [...document.querySelectorAll("*")].filter((element) =>
  [...element.attributes].some(({name, value}) => name.startsWith("on") || /^\\s*(javascript|data:text)/i.test(value))
  || (element.tagName === "SCRIPT" && !/\\/assets\\/|\\/page\\.js$/.test(element.src))
  || (element.tagName === "IMG" && element.src.includes("hostile")))
  .map((element) => element.outerHTML.slice(0, 200))"""
"""Elements that no page has by itself, so that users must have written them."""

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
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "hostile-files"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    },
    {
        "apiVersion": "kubeflow.org/v1",
        "kind": "Notebook",
        "metadata": {"name": "hostile-server"},
        "spec": {
            "template": {
                "spec": {
                    "containers": [
                        {
                            "name": "hostile-server",
                            "image": "python:3.11",
                            "command": ["python", "-c", SERVER, json.dumps(FILES), EVERYTHING],
                            "volumeMounts": [{"name": "data", "mountPath": "/data"}],
                        }
                    ],
                    "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "hostile-files"}}],
                }
            }
        },
    },
    {
        "apiVersion": "kubeflow.org/v1alpha1",
        "kind": "PVCViewer",
        "metadata": {"name": "hostile-files"},
        "spec": {
            "pvc": "hostile-files",
            "networking": {"targetPort": 8080, "basePrefix": "/pvcviewers", "rewrite": "/"},
        },
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


@dataclass
class Inspection:
    """A tab that looks for markup of users which became a part of a page."""

    tab: Tab
    found: list[str] = field(default_factory=list[str])
    shown: set[str] = field(default_factory=set[str])
    """Addresses of pages on which the markup is text."""

    def __post_init__(self) -> None:
        self.tab.page.on("request", self._requested)
        self.tab.page.on("dialog", self._dialog)
        self.tab.errors.clear()

    def open(self, path: str) -> Response:
        """Load a page, and expect that it stays."""
        answer = self.tab.page.goto(path)
        assert answer is not None
        policy = dict(each.split(" ", 1) for each in answer.headers["content-security-policy"].split("; "))
        assert policy.get("script-src", policy["default-src"]) in ("'self'", "'none'"), path
        return answer

    def look(self, path: str, body: Locator) -> None:
        """At the page as it is now, where `body` has what users wrote."""
        page = self.tab.page
        self.shown |= {path} if MARK in body.inner_text() else set()
        self.found += [f"{path}: {element}" for element in page.evaluate(ELEMENTS)]
        self.found += [f"{path}: a script ran"] if page.evaluate("window.hostile") is not None else []
        self.found += [f"{path} was left for {self.tab.path}"] if urlsplit(page.url).path != urlsplit(path).path else []

    def visit(self, path: str) -> None:
        """A page of the dashboard."""
        self.open(path)
        main = self.tab.page.get_by_role("main")
        expect(main.get_by_role("heading", level=1)).to_be_visible()
        self.tab.page.wait_for_load_state("networkidle")
        self.look(path, main)

    def assert_harmless(self) -> None:
        assert self.found == []
        assert [error for error in self.tab.errors if "Content Security Policy" in error] == []

    def _requested(self, request: Request) -> None:
        if urlsplit(request.url).path.endswith(f"/{MARK}"):
            self.found.append(f"asked for {request.url}")

    def _dialog(self, dialog: Dialog) -> None:
        self.found.append(f"asked: {dialog.message}")
        dialog.dismiss()


def test_nothing_that_users_write_becomes_a_part_of_a_page(hostile: dict[str, str], tab: Tab) -> None:
    inspection = Inspection(tab)
    for path in pages(hostile):
        inspection.visit(path)

    assert len(inspection.shown) >= 20, "or the test looks at pages without what users wrote"
    inspection.assert_harmless()


def test_names_of_files_and_logs_of_a_server_are_text(hostile: dict[str, str], tab: Tab, desk: Desk) -> None:
    desk.until_ready("notebook", "hostile-server")
    desk.until_ready("pvcviewer", "hostile-files")
    inspection, page = Inspection(tab), tab.page

    logs = f"/jupyter/notebook/details/{DEMO_NAMESPACE}/hostile-server?tab=logs"
    inspection.open(logs)
    expect(page.get_by_role("main").get_by_text("<svg onload").first).to_be_visible()
    inspection.look(logs, page.get_by_role("main"))
    inspection.open("/")
    expect(card(page, "Recent notebook files").get_by_text(f"{FILE_NAME}.txt")).to_be_visible()
    inspection.look("/", card(page, "Recent notebook files"))
    assert inspection.shown == {logs, "/"}

    files = desk.get("pvcviewer", "hostile-files")["status"]["url"]
    inspection.open(files)
    for name in FILES:
        page.locator("#rows tr", has_text=name).locator(".name a").click()
        expect(page.locator("#preview h2")).to_have_text(name)
        inspection.look(files, page.locator("#preview .content"))
        assert files in inspection.shown, name
        inspection.shown.remove(files)
    page.get_by_role("button", name="Close preview").click()
    table = page.locator("#rows tr", has_text=f"{FILE_NAME}.csv")
    table.hover()
    table.get_by_role("button", name="Rename").click()
    expect(page.locator("#ask h2")).to_contain_text(MARK)
    inspection.look(files, page.locator("#ask"))
    page.get_by_role("button", name="Cancel").click()
    table.hover()
    table.get_by_role("button", name="Delete").click()
    expect(page.locator("#undo")).to_contain_text(MARK)
    page.locator("#bin").click()
    expect(page.locator("#bin-list")).to_contain_text(MARK)
    inspection.look(files, page.locator("#ask"))

    assert inspection.shown == {logs, "/", files}
    inspection.assert_harmless()


def test_what_a_person_is_called_and_signs_in_with_is_text(
    hostile: dict[str, str], platform: Platform, desk: Desk, new_tab: Callable[..., Tab]
) -> None:
    person = Person("hostile@example.com", "secret of hostile")
    words = ("user", "add", person.email, "--username", EVERYTHING, "--password-stdin")
    made = platform.windlass(*words, stdin=f"{person.password}\n")
    assert made.returncode == 0, made.stderr
    refused = platform.windlass("user", "token", person.email, "--name", IMAGE)
    assert "a token's name has 1 to 63 letters, digits, - and _" in refused.stderr
    admin = a_person(platform, "inspector@example.com")
    desk.kubectl("create", "clusterrolebinding", "inspector", "--clusterrole=cluster-admin", f"--user={admin.email}")
    own, cluster = (Inspection(new_tab(user_agent=EVERYTHING)), Inspection(new_tab()))

    own.tab.sign_in(person, "/account")
    cluster.tab.sign_in(admin, "/cluster/")
    for inspection, path in ((own, "/account"), (cluster, "/cluster/")):
        page = inspection.tab.page
        inspection.open(path)
        expect(page.get_by_title(EVERYTHING, exact=True).first).to_be_visible()
        page.wait_for_load_state("networkidle")
        inspection.look(path, page.get_by_role("main"))
        for other in ("/", "/activity", "/manage-users"):
            inspection.visit(other)
        inspection.assert_harmless()


def test_pages_of_the_gateway_repeat_addresses_and_names_as_text(
    platform: Platform, tab: Tab, new_tab: Callable[..., Tab]
) -> None:
    inspection = Inspection(new_tab())
    page, said = inspection.tab.page, quote(FILE_NAME, safe="")
    inspection.open(f"/{said}?next={quote(EVERYTHING)}")
    login = urlsplit(page.url).path
    inspection.tab.fill_in(EVERYTHING, "wrong")
    expect(page.locator("#login-error")).to_be_visible()
    expect(page.locator("#login")).to_have_value(EVERYTHING)
    inspection.look(login, page.locator("body"))
    for path in (f"/dex/auth?client_id={said}&state={said}&redirect_uri={said}", f"/dex/{said}", f"/oauth2/{said}"):
        page.goto(path)
        inspection.look(urlsplit(page.url).path, page.locator("body"))
    inspection.assert_harmless()

    signed_in = Inspection(tab)
    for path in (
        f"/{said}",
        f"/jobs/PyTorchJob/{DEMO_NAMESPACE}/{said}",
        f"/notebook/{DEMO_NAMESPACE}/{said}/",
        f"/pvcviewers/{said}/{said}/",
        f"/pipelines/runs/details/{said}",
        f"/objects/{said}/v1/{said}/{said}/{said}",
    ):
        tab.page.goto(path)
        tab.page.wait_for_load_state("networkidle")
        signed_in.look(urlsplit(tab.page.url).path, tab.page.locator("body"))
    signed_in.assert_harmless()
