"""Commands that set one thing: scale, autoscale, set, expose; and reading events."""

import pytest

from tests.e2e.shell import DEPLOYMENT, WIDGET, Shell

pytestmark = pytest.mark.kubectl


@pytest.fixture
def web(kubectl: Shell) -> Shell:
    kubectl("apply -f -", DEPLOYMENT)
    return kubectl


def test_scale_sets_the_replicas_of_anything_that_has_them(widgets: Shell) -> None:
    widgets("apply -f -", DEPLOYMENT + "---" + WIDGET)
    assert widgets("scale deployment/web widget/lamp --replicas=5").splitlines() == [
        "deployment.apps/web scaled",
        "widget.shop.example/lamp scaled",
    ]
    assert widgets("get deployment web -o jsonpath='{.spec.replicas} {.metadata.generation}'") == "5 2"
    assert widgets("get widget lamp -o jsonpath='{.spec.replicas} {.metadata.generation}'") == "5 2"
    assert widgets("scale deployment --all --replicas=0") == "deployment.apps/web scaled"


def test_scale_checks_what_it_is_told_to_expect(web: Shell) -> None:
    assert web.fails("scale deployment web --current-replicas=9 --replicas=3") == (
        "error: Expected replicas to be 9, was 2"
    )
    assert web("scale deployment web --current-replicas=2 --replicas=3") == "deployment.apps/web scaled"
    assert web.fails("scale deployment web --resource-version=1 --replicas=4").startswith(
        "error: Expected resource version to be 1, was "
    )
    assert web("scale deployment web --replicas=7 --dry-run=server") == "deployment.apps/web scaled (server dry run)"
    assert web("get deployment web -o jsonpath={.spec.replicas}") == "3"


def test_what_has_no_scale_cannot_be_scaled(kubectl: Shell) -> None:
    kubectl("create job pi --image=perl")
    assert "could not find the requested resource" in kubectl.fails("scale job pi --replicas=2")


def test_autoscale_makes_an_autoscaler(web: Shell) -> None:
    assert web("autoscale deployment web --min=1 --max=5 --cpu-percent=80") == (
        "horizontalpodautoscaler.autoscaling/web autoscaled"
    )
    web("wait hpa/web --for jsonpath={.status.currentReplicas}=2 --timeout 90s")
    header, row = web("get hpa web").splitlines()
    assert header.split() == ["NAME", "REFERENCE", "TARGETS", "MINPODS", "MAXPODS", "REPLICAS", "AGE"]
    assert "Deployment/web   cpu: <unknown>/80%   1         5         2" in row
    [metric] = web.json("get horizontalpodautoscalers.v2.autoscaling web")["spec"]["metrics"]
    assert metric["resource"]["target"] == {"averageUtilization": 80, "type": "Utilization"}
    assert web.json("get horizontalpodautoscalers.v1.autoscaling web")["spec"]["targetCPUUtilizationPercentage"] == 80
    assert "AlreadyExists" in web.fails("autoscale deployment web --max=5")


def test_autoscale_refuses_what_is_missing_or_upside_down(web: Shell) -> None:
    assert web.fails("autoscale deployment nothing --max=5") == (
        'Error from server (NotFound): deployments.apps "nothing" not found'
    )
    assert web.fails("autoscale deployment web --min=5 --max=4").startswith("error: --max=MAXPODS must be larger")


def test_set_image_and_env(web: Shell) -> None:
    assert web("set image deployment/web main=nginx:2") == "deployment.apps/web image updated"
    assert web.fails("set image deployment/web other=nginx:2") == 'error: unable to find container named "other"'
    web("create configmap extra --from-literal=THIRD=3")
    assert web("set env deployment/web FIRST=one SECOND-") == "deployment.apps/web env updated"
    web("set env deployment/web --from=configmap/extra")
    assert web("set env deployment/web --list").splitlines() == [
        "# Deployment web, container main",
        "FIRST=one",
        "# THIRD from configmap extra, key THIRD",
    ]
    assert "THIRD=3" in web("set env deployment/web --list --resolve")
    assert web("get deployment web -o jsonpath={.spec.template.spec.containers[0].image}") == "nginx:2"


def test_set_resources_and_service_account(web: Shell) -> None:
    web("set resources deployment/web -c=main --limits=cpu=200m,memory=512Mi --requests=cpu=100m")
    web("set serviceaccount deployment web robot")
    spec = web.json("get deployment web")["spec"]["template"]["spec"]
    assert spec["containers"][0]["resources"] == {
        "limits": {"cpu": "200m", "memory": "512Mi"},
        "requests": {"cpu": "100m"},
    }
    assert spec["serviceAccountName"] == "robot"
    said = web.fails("set resources deployment/web --limits=cpu=100m --requests=cpu=300m")
    assert "must be less than or equal to cpu limit of 100m" in said


def test_set_selector_and_subject(kubectl: Shell) -> None:
    kubectl("create service clusterip one --tcp=80")
    assert kubectl("set selector service one app=other") == "service/one selector updated"
    assert kubectl("get service one -o jsonpath={.spec.selector}") == '{"app":"other"}'
    kubectl("create rolebinding readers --clusterrole=view --user=jane")
    kubectl("set subject rolebinding readers --user=joe --group=team --serviceaccount=default:robot")
    row = kubectl("get rolebinding readers -o wide --no-headers")
    assert row.split(None, 3)[3].split() == ["jane,", "joe", "team", "default/robot"]


def test_expose_makes_a_service_of_a_pod_a_deployment_or_a_service(web: Shell) -> None:
    assert web("expose deployment web --port=80 --target-port=8080 --type=NodePort") == "service/web exposed"
    assert web("expose service web --name=again --port=81") == "service/again exposed"
    web("run one --image=nginx --port=5000")
    assert web("expose pod one --name=pod-one") == "service/pod-one exposed"
    service = web.json("get service web")
    assert service["spec"]["selector"] == {"app": "web"}
    [port] = service["spec"]["ports"]
    assert (port["port"], port["targetPort"], port["protocol"]) == (80, 8080, "TCP")
    assert 30000 <= port["nodePort"] <= 32767
    assert web.rows("get service pod-one")[1][4] == "5000/TCP"
    assert web.fails("expose deployment web --port=80") == (
        'Error from server (AlreadyExists): services "web" already exists'
    )


def test_a_headless_service_has_no_address(web: Shell) -> None:
    web("expose deployment web --port=80 --cluster-ip=None")
    assert web.rows("get service web")[1][1:5] == ["ClusterIP", "None", "<none>", "80/TCP"]


EVENTS = """
apiVersion: v1
kind: Event
metadata: {name: one.1}
involvedObject: {apiVersion: v1, kind: Pod, name: one, namespace: NAMESPACE}
reason: Failed
message: it is broken
type: Warning
count: 3
source: {component: kubelet}
firstTimestamp: "2020-01-01T00:00:00Z"
lastTimestamp: "2020-01-02T00:00:00Z"
---
apiVersion: events.k8s.io/v1
kind: Event
metadata: {name: web.1}
regarding: {apiVersion: apps/v1, kind: Deployment, name: web, namespace: NAMESPACE}
reason: Scaled
note: it is bigger
type: Normal
action: Scaling
eventTime: "2020-01-03T00:00:00.000000Z"
reportingController: example.com/scaler
reportingInstance: scaler-0
"""


@pytest.fixture
def events(kubectl: Shell) -> Shell:
    kubectl("create -f -", EVENTS.replace("NAMESPACE", kubectl.namespace))
    return kubectl


def test_events_are_listed_oldest_first_and_filtered(events: Shell) -> None:
    header, *rows = events.rows("events")
    assert header == ["LAST", "SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
    assert [row[-5] for row in rows] == ["Failed", "Scaled"]
    assert [row[-4] for row in rows] == ["Pod/one", "Deployment/web"]
    assert "x3 over" in events("events --types=Warning")
    assert events("events --for pod/one -o jsonpath='{.items[*].reason}'") == "Failed"
    assert events("events --for deployment/web -o jsonpath='{.items[*].reason}'") == "Scaled"
    assert events.rows("events -A --no-headers")[0][0]


def test_events_are_got_as_objects_of_both_groups(events: Shell) -> None:
    header, *rows = events.rows("get events")
    assert header == ["LAST", "SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
    assert sorted(row[3] for row in rows) == ["deployment/web", "pod/one"]
    picked = "get events --field-selector=involvedObject.kind=Pod,reason=Failed,type=Warning -o name"
    assert events(picked) == "event/one.1"
    core = events.json("get events web.1")
    assert (core["apiVersion"], core["message"], core["involvedObject"]["name"]) == ("v1", "it is bigger", "web")
    newer = events.json("get events.events.k8s.io one.1")
    assert (newer["apiVersion"], newer["note"], newer["deprecatedCount"]) == ("events.k8s.io/v1", "it is broken", 3)


def test_events_are_watched(events: Shell) -> None:
    with events.watching("events --watch") as watcher:
        watcher.until("Scaled")
        text = EVENTS.split("---")[0].replace("NAMESPACE", events.namespace).replace("one.1", "one.2")
        events("create -f -", text.replace("Failed", "Mended"))
        assert watcher.until("Mended")
