"""A real kubectl's typed commands, whose bodies are protobuf from 1.32 on, store what their JSON form would store."""

import json
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
from tests.support import Windlass, running

pytestmark = pytest.mark.kubectl

_PLACES = {
    "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "ConfigMap": "/api/v1/namespaces/{}/configmaps",
    "CronJob": "/apis/batch/v1/namespaces/{}/cronjobs",
    "Deployment": "/apis/apps/v1/namespaces/{}/deployments",
    "Ingress": "/apis/networking.k8s.io/v1/namespaces/{}/ingresses",
    "Job": "/apis/batch/v1/namespaces/{}/jobs",
    "Namespace": "/api/v1/namespaces",
    "PodDisruptionBudget": "/apis/policy/v1/namespaces/{}/poddisruptionbudgets",
    "PriorityClass": "/apis/scheduling.k8s.io/v1/priorityclasses",
    "ResourceQuota": "/api/v1/namespaces/{}/resourcequotas",
    "Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/roles",
    "RoleBinding": "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/rolebindings",
    "Secret": "/api/v1/namespaces/{}/secrets",
    "Service": "/api/v1/namespaces/{}/services",
    "ServiceAccount": "/api/v1/namespaces/{}/serviceaccounts",
}

_CREATED = [
    "clusterrole readers --verb=get,list --resource=pods,deployments.apps/status --resource-name=one",
    "clusterrole healthy --verb=get --non-resource-url=/healthz,/livez/*",
    "clusterrole summed --aggregation-rule=a=b,c=d",
    "clusterrolebinding bound --clusterrole=view --user=jane --group=devs --serviceaccount=ns:robot",
    "configmap words --from-literal=greeting=hello --from-literal=empty= --from-literal='unicode=grüße ☃'",
    "configmap blob --from-file=/bin/true",
    "configmap nothing",
    "cronjob ticker --image=busybox --schedule='*/5 * * * *' --restart=OnFailure -- date -u",
    "deployment web --image=nginx --image=sidecar:1 --replicas=3 --port=80",
    "deployment asleep --image=nginx --replicas=0",
    "ingress hosts --class=public --rule=a.example/path*=web:80,tls=cert --rule=b.example/=web:http --annotation=x=y",
    "ingress fallback --default-backend=web:80",
    "job once --image=busybox -- sleep 1",
    "namespace island",
    "poddisruptionbudget half --selector=app=web --min-available=50%",
    "poddisruptionbudget none-away --selector=app=web --max-unavailable=0",
    "priorityclass urgent --value=1000 --description=first --preemption-policy=Never",
    "priorityclass zero --value=0",
    "quota small --hard=cpu=1,memory=1Gi,pods=0 --scopes=BestEffort",
    "role writers --verb='*' --resource=configmaps --resource-name=words",
    "rolebinding bound --role=writers --serviceaccount=ns:robot",
    "secret generic keys --from-literal=user=admin --from-literal=none= --type=example/kind",
    "secret docker-registry pulls --docker-server=r.example --docker-username=u --docker-password=p",
    "service clusterip inner --tcp=80:8080 --tcp=443",
    "service clusterip headless --clusterip=None",
    "service nodeport outer --tcp=80:http",
    "service externalname elsewhere --external-name=example.com",
    "service loadbalancer balanced --tcp=80:8080",
    "serviceaccount robot",
]


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    """A server without controllers, where objects stay as they are stored."""
    with running(tmp_path_factory.mktemp("protobuf")) as windlass:
        for name in ("as-json", "as-protobuf"):
            windlass.create("/api/v1/namespaces", _named("Namespace", name))
            windlass.create(f"/api/v1/namespaces/{name}/serviceaccounts", _named("ServiceAccount", "default"))
        yield windlass


def _named(kind: str, name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}}


def _comparable(obj: Any) -> Any:
    """Without what differs between any two creates."""
    metadata = obj["metadata"]
    own = metadata.pop("uid")
    for key in ("resourceVersion", "creationTimestamp", "namespace"):
        metadata.pop(key, None)
    metadata["managedFields"] = [entry["fieldsV1"] for entry in metadata.pop("managedFields", ())]
    if obj["kind"] == "Service":
        for key in ("clusterIP", "clusterIPs"):
            obj["spec"][key] = obj["spec"].get(key) in ("None", ["None"])
        for port in obj["spec"].get("ports", ()):
            port.pop("nodePort", None)
    return json.loads(json.dumps(obj).replace(own, "<own uid>").replace("-as-json", ""))


def _stored_from_json(quiet: Windlass, document: Any) -> Any:
    place = _PLACES[document["kind"]].format("as-json")
    metadata = document["metadata"]
    metadata.pop("namespace", None)
    if "as-json" not in place:
        metadata["name"] += "-as-json"
    quiet.create(place, document)
    return quiet.get(f"{place}/{metadata['name']}")


@pytest.mark.parametrize("command", _CREATED)
def test_what_kubectl_creates_is_stored_as_if_it_had_been_sent_as_json(quiet: Windlass, command: str) -> None:
    words = ["-n", "as-protobuf", "create", *shlex.split(command)]
    options = words.index("--") if "--" in words else len(words)
    document = json.loads(quiet.kubectl(*words[:options], "--dry-run=client", "-o", "json", *words[options:]).stdout)
    place = f"{_PLACES[document['kind']].format('as-protobuf')}/{document['metadata']['name']}"
    expected = _stored_from_json(quiet, document)

    quiet.kubectl(*words)

    assert _comparable(quiet.get(place)) == _comparable(expected)
