"""Reading with `kubectl get`: every output form, selectors, sorting, watching, several kinds at once."""

import itertools
import json

import pytest

from tests.e2e.shell import DEPLOYMENT, PAUSED, WIDGET, Shell
from tests.support import eventually

pytestmark = pytest.mark.kubectl


@pytest.fixture
def maps(kubectl: Shell) -> Shell:
    """Three ConfigMaps: b (tier=front), a (tier=back), c (no tier)."""
    for name, labels, data in (
        ("b", {"tier": "front", "x": "1"}, {"size": "1", "color": "red"}),
        ("a", {"tier": "back", "x": "1"}, {"size": "3"}),
        ("c", {"x": "1"}, {"size": "2"}),
    ):
        kubectl.server.create(
            f"/api/v1/namespaces/{kubectl.namespace}/configmaps",
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": labels}, "data": data},
        )
    return kubectl


def _names(shell: Shell, line: str) -> list[str]:
    return [row[0] for row in shell.rows(f"{line} --no-headers")]


def test_a_table_has_the_columns_of_its_kind(kubectl: Shell) -> None:
    kubectl("apply -f -", DEPLOYMENT)
    header, row = kubectl.rows("get deployment web")
    assert header == ["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE"]
    assert row[:2] == ["web", "0/2"]
    header, row = kubectl.rows("get deployment web -o wide")
    assert header[5:] == ["CONTAINERS", "IMAGES", "SELECTOR"]
    assert row[5:] == ["main", "nginx:1", "app=web"]


def test_labels_are_shown_as_columns_or_in_one(maps: Shell) -> None:
    assert maps.rows("get cm b --show-labels --no-headers")[0][3:] == ["tier=front,x=1"]
    header, *rows = maps.rows("get cm -l x -L tier")
    assert header == ["NAME", "DATA", "AGE", "TIER"]
    assert [row[3:] for row in rows] == [["back"], ["front"], []]


def test_an_object_is_printed_as_yaml_json_or_name(maps: Shell) -> None:
    text = maps("get cm b -o yaml")
    assert text.startswith('apiVersion: v1\ndata:\n  color: red\n  size: "1"\nkind: ConfigMap\nmetadata:\n')
    obj = json.loads(maps("get cm b -o json"))
    assert obj["kind"] == "ConfigMap"
    assert set(obj["metadata"]) == {"creationTimestamp", "labels", "name", "namespace", "resourceVersion", "uid"}
    assert maps("get cm -l x -o name").splitlines() == ["configmap/a", "configmap/b", "configmap/c"]
    listed = maps.json("get cm -l x")
    assert (listed["kind"], len(listed["items"])) == ("List", 3)


@pytest.mark.parametrize(
    ("form", "printed"),
    [
        ("jsonpath='{.items[*].metadata.name}'", "a b c"),
        ("""jsonpath='{range .items[*]}{.metadata.name}={.data.size}{"\\n"}{end}'""", "a=3\nb=1\nc=2"),
        ("""jsonpath='{.items[?(@.data.color=="red")].metadata.name}'""", "b"),
        ("jsonpath-as-json='{.items[*].data.size}'", '[\n    "3",\n    "1",\n    "2"\n]'),
        ("go-template='{{range .items}}{{.metadata.name}} {{end}}'", "a b c "),
        ("custom-columns=N:.metadata.name,S:.data.size", "N     S\na     3\nb     1\nc     2"),
        ("custom-columns-file=columns", "NAME   COLOR\na      <none>\nb      red\nc      <none>"),
        ("go-template-file=template", "3;1;2;"),
    ],
)  # fmt: skip
def test_a_template_prints_what_it_names(maps: Shell, form: str, printed: str) -> None:
    maps.file("columns", "NAME COLOR\nmetadata.name data.color\n")
    maps.file("template", "{{range .items}}{{.data.size}};{{end}}")
    assert maps(f"get cm -l x -o {form}") == printed


def test_a_list_is_sorted_by_any_field(maps: Shell) -> None:
    assert _names(maps, "get cm -l x --sort-by=.data.size") == ["b", "c", "a"]
    assert _names(maps, "get cm -l x --sort-by='{.metadata.name}'") == ["a", "b", "c"]
    assert len(_names(maps, "get cm -l x --sort-by=.metadata.creationTimestamp")) == 3


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        ("tier=front", ["b"]),
        ("tier!=front,x", ["a", "c"]),
        ("'tier in (front,back)'", ["a", "b"]),
        ("'tier notin (front),x=1'", ["a", "c"]),
        ("'!tier,x'", ["c"]),
        ("tier=none", []),
    ],
)
def test_a_label_selector_picks(maps: Shell, selector: str, names: list[str]) -> None:
    assert _names(maps, f"get cm -l {selector}") == names


def test_a_field_selector_picks(kubectl: Shell) -> None:
    kubectl("run one --image=nginx")
    kubectl("run two --image=nginx")
    kubectl.set_status("pod two", {"phase": "Running"})
    assert _names(kubectl, "get pods --field-selector=status.phase=Running") == ["two"]
    assert _names(kubectl, "get pods --field-selector=status.phase!=Running,spec.nodeName=") == ["one"]
    assert _names(kubectl, "get pods --field-selector=metadata.name=one") == ["one"]


@pytest.mark.parametrize(
    ("kind", "flag", "why"),
    [
        ("pods", "--field-selector=color=red", "field label not supported: color"),
        (
            "configmaps",
            "--field-selector=data.a=b",
            '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
        ),
        ("pods", "-l a=b=c", "found '=', expected: ',' or 'end of string'"),
        ("pods", "--field-selector=color", "invalid selector: 'color'; can't understand 'color'"),
    ],
)
def test_a_selector_that_makes_no_sense_is_refused(kubectl: Shell, kind: str, flag: str, why: str) -> None:
    said = kubectl.fails(f"get {kind} {flag}")
    assert said.startswith(f'Error from server (BadRequest): Unable to find "/v1, Resource={kind}" that match label')
    assert said.endswith(f": {why}")


def test_a_long_list_comes_in_chunks(maps: Shell) -> None:
    assert _names(maps, "get cm -l x --chunk-size=1") == ["a", "b", "c"]
    done = maps.run("get cm -l x --chunk-size=2 -v=6 -o name")
    assert done.stdout.split() == ["configmap/a", "configmap/b", "configmap/c"]
    assert done.stderr.count("/configmaps?") == 2


def test_several_kinds_and_names_are_got_at_once(kubectl: Shell) -> None:
    kubectl("apply -f -", PAUSED)
    kubectl("run one --image=nginx --expose --port=80")
    kubectl("run two --image=nginx")
    assert kubectl("get pod/one svc/one deploy/web -o name").split() == [
        "pod/one",
        "service/one",
        "deployment.apps/web",
    ]
    assert kubectl("get pods two one -o name").split() == ["pod/two", "pod/one"]
    table = kubectl("get pods,svc")
    assert [line.split()[0] for line in table.splitlines() if line] == [
        "NAME", "pod/one", "pod/two", "NAME", "service/one",
    ]  # fmt: skip
    assert kubectl.rows("get pods --show-kind --no-headers")[0][0] == "pod/one"


def test_get_all_shows_the_workloads(widgets: Shell) -> None:
    widgets("apply -f -", PAUSED + "---" + WIDGET)
    widgets("run one --image=nginx")
    widgets("create configmap hidden")
    found = {line.split()[0] for line in widgets("get all").splitlines() if line}
    assert found == {"NAME", "pod/one", "deployment.apps/web", "widget.shop.example/lamp"}


def test_what_is_missing_is_told_or_ignored(kubectl: Shell) -> None:
    kubectl("create configmap one")
    done = kubectl.run("get cm one two -o name")
    assert (done.returncode, done.stdout) == (1, "configmap/one\n")
    assert done.stderr == 'Error from server (NotFound): configmaps "two" not found\n'
    assert kubectl("get cm two --ignore-not-found") == ""
    assert kubectl.fails("get gadgets") == 'error: the server doesn\'t have a resource type "gadgets"'
    assert kubectl.warns("get pods") == f"No resources found in {kubectl.namespace} namespace."


def test_all_namespaces_are_listed_with_their_names(maps: Shell) -> None:
    header, *rows = maps.rows("get cm -A -l x")
    assert header[:2] == ["NAMESPACE", "NAME"]
    assert [maps.namespace, "a"] in [row[:2] for row in rows]


def test_raw_paths_are_read_as_they_are(maps: Shell) -> None:
    listed = json.loads(maps(f"get --raw '/api/v1/namespaces/{maps.namespace}/configmaps?labelSelector=x'"))
    assert (listed["kind"], len(listed["items"])) == ("ConfigMapList", 3)
    assert maps("get --raw /readyz") == "ok"
    assert json.loads(maps("get --raw /version"))["major"] == "1"
    assert "Error from server (NotFound)" in maps.fails("get --raw /nowhere")


def test_status_and_scale_are_got_as_subresources(widgets: Shell) -> None:
    widgets("apply -f -", PAUSED + "---" + WIDGET)
    widgets.set_status("widget lamp", {"replicas": 4})
    assert widgets.rows("get deployment web --subresource=status")[1][:2] == ["web", "0/2"]
    assert widgets.rows("get deployment web --subresource=scale")[0] == ["NAME", "DESIRED", "AVAILABLE", "AGE"]
    assert widgets.rows("get widget lamp --subresource=scale")[1][:3] == ["lamp", "1", "4"]
    scale = widgets.json("get deployment web --subresource=scale")
    assert (scale["kind"], scale["spec"], scale["status"]) == (
        "Scale",
        {"replicas": 2},
        {"replicas": 0, "selector": "app=web"},
    )


def test_a_custom_kind_prints_its_own_columns(widgets: Shell) -> None:
    widgets("apply -f -", WIDGET)
    assert widgets.rows("get wd") == [["NAME", "SIZE"], ["lamp", "small"]]
    assert widgets("get widgets.v1.shop.example lamp -o name") == "widget.shop.example/lamp"


def test_short_singular_and_full_names_mean_the_same(kubectl: Shell) -> None:
    kubectl("apply -f -", DEPLOYMENT)
    for name in ("deploy", "deployment", "deployments", "deployments.apps", "deployments.v1.apps", "Deployment"):
        assert kubectl(f"get {name} -o name") == "deployment.apps/web"


def test_a_watch_shows_each_change(kubectl: Shell) -> None:
    kubectl("create configmap first")
    with kubectl.watching("get cm -l seen=yes -w --output-watch-events") as watcher:
        kubectl("label configmap first seen=yes")
        watcher.until("ADDED")
        kubectl('patch configmap first --type=merge -p \'{"data":{"a":"1"}}\'')
        watcher.until("MODIFIED")
        kubectl("delete configmap first")
        said = watcher.until("DELETED")
    rows = [line.split()[:3] for line in said.splitlines()]
    assert rows == [
        ["EVENT", "NAME", "DATA"],
        ["ADDED", "first", "0"],
        ["MODIFIED", "first", "1"],
        ["DELETED", "first", "1"],
    ]


def test_a_watch_of_one_object_prints_it_first(kubectl: Shell) -> None:
    kubectl("create configmap one")
    with kubectl.watching("get cm one -w -o jsonpath='{.data.a};'") as watcher:
        watcher.until(";")
        kubectl('patch configmap one --type=merge -p \'{"data":{"a":"1"}}\'')
        assert watcher.until("1;") == ";1;"


def test_watch_only_starts_with_what_happens_next(kubectl: Shell) -> None:
    kubectl("create configmap old")
    path, numbers = f"/api/v1/namespaces/{kubectl.namespace}/configmaps", itertools.count()
    with kubectl.watching("get cm --watch-only --no-headers") as watcher:

        def shown() -> str:
            kubectl.server.create(path, {"metadata": {"name": f"new-{next(numbers)}"}})
            return watcher.out.read_text()

        eventually(shown, 60, "the watch, which begins at some moment after the command was started")
        assert watcher.until("new-").startswith("new-")


def test_tables_without_the_servers_help_show_name_and_age(kubectl: Shell) -> None:
    kubectl("apply -f -", DEPLOYMENT)
    assert kubectl.rows("get deployment --server-print=false")[0] == ["NAME", "AGE"]


def test_every_kind_can_be_listed(kubectl: Shell) -> None:
    listable = kubectl("api-resources --verbs=list -o name").split()
    assert len(listable) > 50
    shown = [name for name in listable if name not in ("endpoints", "events", "events.events.k8s.io")]
    done = kubectl.run(f"get {','.join(shown)} -A")
    assert done.returncode == 0, done.stderr
    assert "namespace/default" in done.stdout
