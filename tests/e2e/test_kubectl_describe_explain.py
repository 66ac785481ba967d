"""What a person reads to understand: `describe` of every kind with its events, and `explain` of every field."""

import re

import pytest

from tests.e2e.shell import DEPLOYMENT, WIDGET, Shell
from tests.support import eventually

pytestmark = pytest.mark.kubectl

EVERYTHING = """
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {color: red}
---
apiVersion: v1
kind: Secret
metadata: {name: keys}
stringData: {user: me}
---
apiVersion: v1
kind: Pod
metadata: {name: one, labels: {app: one}}
spec:
  containers:
  - name: main
    image: nginx
    ports: [{containerPort: 80}]
    resources: {requests: {cpu: 100m}, limits: {memory: 64Mi}}
    env: [{name: COLOR, valueFrom: {configMapKeyRef: {name: settings, key: color}}}]
---
apiVersion: v1
kind: Service
metadata: {name: one}
spec: {selector: {app: one}, ports: [{port: 80}]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: disk}
spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: most}
spec: {hard: {pods: "10"}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: limits}
spec: {limits: [{type: PersistentVolumeClaim, max: {storage: 2Gi}}]}
---
apiVersion: v1
kind: ReplicationController
metadata: {name: old}
spec:
  replicas: 2
  selector: {app: old}
  template: {metadata: {labels: {app: old}}, spec: {containers: [{name: c, image: nginx}]}}
---
apiVersion: v1
kind: PodTemplate
metadata: {name: mould}
template: {metadata: {labels: {app: mould}}, spec: {containers: [{name: c, image: nginx}]}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: set}
spec:
  selector: {matchLabels: {app: set}}
  template: {metadata: {labels: {app: set}}, spec: {containers: [{name: c, image: nginx}]}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: daemon}
spec:
  selector: {matchLabels: {app: daemon}}
  template: {metadata: {labels: {app: daemon}}, spec: {containers: [{name: c, image: nginx}]}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: state}
spec:
  serviceName: state
  selector: {matchLabels: {app: state}}
  template: {metadata: {labels: {app: state}}, spec: {containers: [{name: c, image: nginx}]}}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: apps/v1
kind: ControllerRevision
metadata: {name: state-1}
revision: 1
data: {}
---
apiVersion: batch/v1
kind: Job
metadata: {name: pi}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: perl}]}}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: tick}
spec:
  schedule: "@hourly"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: perl}]}}}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  maxReplicas: 3
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: hosts}
spec:
  ingressClassName: public
  rules:
  - host: shop.example
    http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: nowhere, port: {number: 80}}}}]}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed}
spec:
  podSelector: {matchLabels: {app: one}}
  policyTypes: [Ingress]
  ingress: [{from: [{podSelector: {}}], ports: [{port: 80}]}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: one-x, labels: {kubernetes.io/service-name: one}}
addressType: IPv4
ports: [{name: http, port: 80}]
endpoints: [{addresses: [10.0.0.1], conditions: {ready: true}}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: half}
spec: {minAvailable: 50%, selector: {matchLabels: {app: one}}}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: leader}
spec: {holderIdentity: me, leaseDurationSeconds: 15}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules: [{apiGroups: [apps], resources: [deployments], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: readers}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}]
"""


def _said(text: str, label: str) -> str:
    """The value after `label:` in what describe printed."""
    for line in text.splitlines():
        if line.strip().startswith(f"{label}:"):
            return line.split(":", 1)[1].strip()
    raise AssertionError(f"no {label} in\n{text}")


@pytest.fixture
def everything(kubectl: Shell) -> Shell:
    kubectl("create -f -", EVERYTHING + "---" + DEPLOYMENT)
    return kubectl


def test_each_kind_is_described_in_its_own_words(everything: Shell) -> None:
    expected = {
        "configmap/settings": "color:\n----\nred",
        "secret/keys": "user:  2 bytes",
        "service/one": "IP Families:",
        "pvc/disk": "StorageClass:  fast\nStatus:        Pending",
        "quota/most": "Resource    Used  Hard",
        "limits/limits": "PersistentVolumeClaim  storage   -    2Gi",
        "rc/old": " current / 2 desired",
        "podtemplate/mould": "Kind:         PodTemplate",
        "rs/set": " current / 1 desired",
        "ds/daemon": "Desired Number of Nodes Scheduled: 0",
        "sts/state": "Volume Claims:\n  Name:          data\n  StorageClass:  \n  Labels:        <none>",
        "controllerrevision/state-1": "Revision:",
        "job/pi": "Completions:      1\nCompletion Mode:  NonIndexed",
        "cronjob/tick": "Schedule:                      @hourly",
        "hpa/web": "resource cpu on pods  (as a percentage of request):  <unknown> / 50%",
        "ingress/hosts": "shop.example  \n                /   nowhere:80 (<error: ",
        "netpol/closed": "Allowing ingress traffic:\n    To Port: 80/TCP",
        "endpointslice/one-x": "- Addresses:  10.0.0.1\n    Conditions:\n      Ready:   true",
        "pdb/half": "Min available:  50%\nSelector:       app=one",
        "lease/leader": "Holder Identity:         me",
        "role/reader": "deployments.apps  []                 []              [get]",
        "rolebinding/readers": "  User  jane",
        "serviceaccount/default": "Mountable secrets:   <none>",
        "deployment/web": "Replicas:               2 desired | ",
    }
    said = everything(f"describe {' '.join(expected)}")
    missing = [name for name, words in expected.items() if words not in said]
    assert missing == [], said


def test_a_pod_is_described_with_its_containers(everything: Shell) -> None:
    said = everything("describe pod one")
    assert _said(said, "QoS Class") == "Burstable"
    assert _said(said, "Service Account") == "default"
    assert "COLOR:  <set to the key 'color' of config map 'settings'>  Optional: false" in said
    assert "/var/run/secrets/kubernetes.io/serviceaccount from kube-api-access-" in said
    assert "node.kubernetes.io/not-ready:NoExecute op=Exists for 300s" in said
    words = r"Warning +FailedScheduling .* default-scheduler +no nodes available to schedule pods"
    eventually(lambda: re.search(words, everything("describe pod one")), 60, words)


def test_things_of_the_whole_cluster_are_described(kubectl: Shell) -> None:
    name = kubectl.namespace
    kubectl(
        "create -f -",
        f"""
apiVersion: v1
kind: Node
metadata: {{name: {name}, labels: {{node-role.kubernetes.io/worker: ""}}}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {{name: {name}}}
spec: {{capacity: {{storage: 1Gi}}, accessModes: [ReadWriteOnce], hostPath: {{path: /srv}}}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {{name: {name}}}
provisioner: example/disk
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {{name: {name}}}
spec: {{controller: example.com/door}}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {{name: {name}}}
value: 7
---
apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata: {{name: {name}}}
spec: {{attachRequired: false}}
""",
    )
    kinds = ("node", "pv", "storageclass", "ingressclass", "priorityclass", "csidriver")
    names = " ".join(f"{kind}/{name}" for kind in kinds)
    try:
        said = kubectl(f"describe {names} clusterrole/view clusterrolebinding/cluster-admin")
    finally:
        kubectl(f"delete {names}")
    for words in (
        "Roles:              worker",
        "HostPath (bare host directory volume)",
        "Provisioner:           example/disk",
        "Controller:   example.com/door",
        "Value:             7",
        "Attach Required:     false",
        "configmaps",
        "Kind:  ClusterRole\n  Name:  cluster-admin",
    ):
        assert words in said


def test_a_namespace_is_described_with_its_quotas_and_limits(everything: Shell) -> None:
    said = everything(f"describe namespace {everything.namespace}")
    assert "Resource Quotas\n  Name:     most\n  Resource  Used  Hard" in said
    assert "Resource Limits\n Type                   Resource" in said


def test_describe_shows_the_events_of_an_object(kubectl: Shell) -> None:
    kubectl("create configmap one")
    uid = kubectl("get configmap one -o jsonpath={.metadata.uid}")
    kubectl(
        "create -f -",
        f"""
apiVersion: v1
kind: Event
metadata: {{name: one.1}}
involvedObject: {{apiVersion: v1, kind: ConfigMap, name: one, namespace: {kubectl.namespace}, uid: {uid}}}
reason: Painted
message: it is red now
type: Warning
count: 3
source: {{component: painter}}
firstTimestamp: "2020-01-01T00:00:00Z"
lastTimestamp: "2020-01-02T00:00:00Z"
""",
    )
    said = kubectl("describe configmap one").splitlines()
    assert said[-3].split() == ["Type", "Reason", "Age", "From", "Message"]
    assert said[-1].split()[:2] == ["Warning", "Painted"]
    assert said[-1].endswith("painter  it is red now")
    assert "Events:" not in kubectl("describe configmap one --show-events=false")


def test_describe_takes_prefixes_and_selectors(kubectl: Shell) -> None:
    kubectl("create configmap red-1")
    kubectl("create configmap red-2")
    kubectl("label configmap red-2 shade=dark")
    assert [_said(part, "Name") for part in kubectl("describe configmap red").split("\n\n\nName")[:1]] == ["red-1"]
    assert _said(kubectl("describe configmap -l shade=dark"), "Name") == "red-2"
    assert kubectl.fails("describe configmap blue") == 'Error from server (NotFound): configmaps "blue" not found'


def test_a_custom_resource_and_its_definition_are_described(widgets: Shell) -> None:
    widgets("apply -f -", WIDGET)
    said = widgets("describe widget lamp")
    assert _said(said, "API Version") == "shop.example/v1"
    assert "Spec:\n  Replicas:  1\n  Size:      small\nEvents:      <none>" in said
    assert "the initial names have been accepted" in widgets("describe crd widgets.shop.example")


def test_explain_tells_a_kind_and_its_fields(kubectl: Shell) -> None:
    said = kubectl("explain pod")
    assert said.startswith("KIND:       Pod\nVERSION:    v1\n\nDESCRIPTION:\n    Pod is a collection of containers")
    assert "  spec\t<PodSpec>\n    Specification of the desired behavior of the pod." in said
    said = kubectl("explain deployment.spec.template.spec.containers.resources")
    assert said.startswith("GROUP:      apps\nKIND:       Deployment\nVERSION:    v1\n\nFIELD: resources <ResourceReq")
    assert "  limits\t<map[string]Quantity>" in said


def test_explain_lists_the_values_that_a_field_may_have(kubectl: Shell) -> None:
    said = kubectl("explain pod.spec.restartPolicy")
    assert "FIELD: restartPolicy <string>" in said
    assert '     - `"Always"`\n     - `"Never"`\n     - `"OnFailure"`' in said
    assert "restartPolicy <string>" in kubectl("explain pod.spec.restartPolicy --output plaintext-openapiv2")


def test_explain_goes_down_recursively(kubectl: Shell) -> None:
    said = kubectl("explain deploy.spec.strategy --recursive")
    assert "  rollingUpdate\t<RollingUpdateDeployment>\n    maxSurge\t<IntOrString>\n" in said
    assert kubectl("explain crd --recursive").count("\n") > 100


def test_explain_takes_a_version_and_the_older_document(kubectl: Shell) -> None:
    assert kubectl("explain hpa --api-version=autoscaling/v1").startswith("GROUP:      autoscaling\n")
    assert "targetCPUUtilizationPercentage" in kubectl("explain hpa.spec --api-version=autoscaling/v1")
    assert kubectl("explain pods --output plaintext-openapiv2").startswith("KIND:     Pod\nVERSION:  v1\n")


def test_explain_knows_custom_kinds(widgets: Shell) -> None:
    assert "DESCRIPTION:\n    Something that a shop sells." in widgets("explain widgets")
    said = widgets("explain wd.spec --recursive")
    assert "FIELD: spec <Object>" in said
    assert "  size\t<string> -required-" in said
    assert "VERSION:  shop.example/v1" in widgets("explain widget --output plaintext-openapiv2")


def test_explain_refuses_what_does_not_exist(kubectl: Shell) -> None:
    assert kubectl.fails("explain pod.spec.color").endswith('error: field "color" does not exist')
    assert kubectl.fails("explain gadgets") == 'the server doesn\'t have a resource type "gadgets"'


@pytest.mark.parametrize(
    "kind", ["certificatesigningrequest", "lease", "role", "validatingadmissionpolicy", "endpointslice", "apiservice"]
)
def test_rarer_kinds_are_explained_too(kubectl: Shell, kind: str) -> None:
    assert "DESCRIPTION:\n    " in kubectl(f"explain {kind}")
