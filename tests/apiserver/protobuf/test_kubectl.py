"""A real kubectl's typed commands, whose bodies are protobuf from 1.32 on, store what their JSON form would store."""

import base64
import json
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

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
    "quota storage --hard=requests.storage=1.5Gi,persistentvolumeclaims=0",
    "quota scoped --hard=pods=99 --scopes=BestEffort,NotTerminating",
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


_EVERYTHING = """
apiVersion: v1
kind: Pod
metadata:
  name: everything
  labels: {app: web}
  annotations: {note: kept}
spec:
  activeDeadlineSeconds: 600
  automountServiceAccountToken: false
  enableServiceLinks: false
  hostAliases: [{ip: 10.0.0.1, hostnames: [a, b]}]
  hostname: host
  subdomain: sub
  setHostnameAsFQDN: false
  shareProcessNamespace: false
  terminationGracePeriodSeconds: 0
  restartPolicy: Never
  nodeSelector: {disk: ssd}
  dnsConfig: {nameservers: [1.1.1.1], options: [{name: ndots, value: "2"}, {name: rotate}]}
  imagePullSecrets: [{name: pulls}]
  os: {name: linux}
  readinessGates: [{conditionType: example.com/ready}]
  tolerations:
  - {key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 0}
  - {operator: Exists}
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}
  securityContext:
    runAsUser: 0
    runAsGroup: 0
    runAsNonRoot: false
    fsGroup: 0
    supplementalGroups: [0, 5, 4294967]
    sysctls: [{name: kernel.shm_rmid_forced, value: "0"}]
    seccompProfile: {type: RuntimeDefault}
  affinity:
    nodeAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 1
        preference: {matchExpressions: [{key: a, operator: In, values: [b, ""]}]}
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: host, labelSelector: {matchExpressions: [{key: app, operator: Exists}]}, namespaceSelector: {}}
  initContainers:
  - {name: first, image: busybox, restartPolicy: Always, command: [sh, -c, "", "echo 'ü'"]}
  containers:
  - name: main
    image: nginx
    args: ["--flag="]
    workingDir: /work
    stdin: true
    tty: true
    ports: [{containerPort: 80, name: http}, {containerPort: 53, protocol: UDP}]
    env:
    - {name: EMPTY}
    - {name: CPU, valueFrom: {resourceFieldRef: {containerName: main, resource: limits.cpu, divisor: 1m}}}
    - {name: NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
    - {name: KEY, valueFrom: {configMapKeyRef: {name: words, key: greeting, optional: false}}}
    - {name: SECRET, valueFrom: {secretKeyRef: {name: keys, key: user, optional: true}}}
    envFrom: [{prefix: P_, configMapRef: {name: words, optional: true}}, {secretRef: {name: keys}}]
    resources: {limits: {cpu: 1500m, memory: 1Gi, example.com/gpu: "0"}, requests: {cpu: "0.5", memory: "0"}}
    livenessProbe:
      terminationGracePeriodSeconds: 1
      httpGet: {path: /, port: http, httpHeaders: [{name: X, value: z}]}
    readinessProbe: {tcpSocket: {port: 80}, initialDelaySeconds: 3, successThreshold: 2}
    startupProbe: {exec: {command: ["true"]}, periodSeconds: 1}
    lifecycle: {preStop: {sleep: {seconds: 0}}, postStart: {exec: {command: [ls]}}}
    securityContext:
      allowPrivilegeEscalation: false
      privileged: false
      readOnlyRootFilesystem: false
      capabilities: {add: [NET_ADMIN], drop: [ALL]}
    volumeDevices: [{name: block, devicePath: /dev/x}]
    volumeMounts:
    - {name: scratch, mountPath: /scratch, subPath: a/b}
    - {name: all, mountPath: /all, readOnly: true, mountPropagation: HostToContainer}
  - {name: second, image: second, imagePullPolicy: Never}
  volumes:
  - {name: scratch, emptyDir: {}}
  - {name: memory, emptyDir: {medium: Memory, sizeLimit: 64Mi}}
  - {name: config, configMap: {name: words, defaultMode: 0, optional: false, items: [{key: a, path: b, mode: 0}]}}
  - {name: secret, secret: {secretName: keys, optional: true}}
  - {name: block, persistentVolumeClaim: {claimName: claim}}
  - {name: host, hostPath: {path: /tmp, type: Directory}}
  - {name: nfs, nfs: {server: s, path: /p}}
  - {name: csi, csi: {driver: d.example, readOnly: false, volumeAttributes: {a: b}, nodePublishSecretRef: {name: s}}}
  - name: fresh
    ephemeral:
      volumeClaimTemplate:
        metadata: {labels: {a: b}}
        spec: {accessModes: [ReadWriteOnce], storageClassName: "", resources: {requests: {storage: 1Gi}}}
  - name: all
    projected:
      sources:
      - serviceAccountToken: {path: token, expirationSeconds: 3600, audience: a}
      - downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}, mode: 256}]}
      - configMap: {name: words, items: [{key: a, path: b}]}
"""


def test_a_pod_with_nearly_every_field_is_copied_by_kubectl_debug_without_loss(quiet: Windlass) -> None:
    quiet.kubectl("-n", "as-protobuf", "create", "-f", "-", stdin=_EVERYTHING)
    parts = ("annotations", "init-containers", "labels", "liveness", "readiness", "startup")
    quiet.kubectl(
        "-n", "as-protobuf", "debug", "everything", "--copy-to=copy", "--set-image=second=other",
        "--profile=general", "--share-processes=false", *(f"--keep-{part}" for part in parts),
    )  # fmt: skip

    original, copy = _pod(quiet, "everything"), _pod(quiet, "copy")
    original["spec"]["containers"][1]["image"] = "other"
    original["metadata"]["name"] = "copy"
    for pod in (original, copy):  # of the copy kubectl sends, and so owns, what admission gave to the original
        del pod["metadata"]["managedFields"]
    assert _comparable(copy) == _comparable(original)


def _pod(quiet: Windlass, name: str) -> Any:
    return quiet.get(f"/api/v1/namespaces/as-protobuf/pods/{name}")


def test_a_job_made_from_a_cron_job_has_its_template(quiet: Windlass) -> None:
    place = "/apis/batch/v1/namespaces/as-protobuf"
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox"}]}
    template = {"backoffLimit": 0, "suspend": False, "ttlSecondsAfterFinished": 0, "template": {"spec": pod}}
    spec = {"schedule": "* * * * *", "suspend": True, "jobTemplate": {"spec": template}}
    quiet.create(
        f"{place}/cronjobs",
        {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "nightly"}, "spec": spec},
    )

    quiet.kubectl("-n as-protobuf create job tonight --from=cronjob/nightly")

    job = quiet.get(f"{place}/jobs/tonight")
    assert {key: job["spec"][key] for key in template if key != "template"} == {
        "backoffLimit": 0,
        "suspend": False,
        "ttlSecondsAfterFinished": 0,
    }
    assert job["spec"]["template"]["spec"]["containers"][0]["image"] == "busybox"
    assert job["metadata"]["ownerReferences"][0]["kind"] == "CronJob"
    assert job["metadata"]["ownerReferences"][0]["controller"] is True


def test_autoscale_sends_its_target_and_limits(quiet: Windlass) -> None:
    quiet.kubectl("-n as-protobuf create deployment scaled --image=nginx")
    quiet.kubectl("-n as-protobuf autoscale deployment scaled --min=2 --max=5 --cpu-percent=70")

    place = "/apis/autoscaling/v2/namespaces/as-protobuf/horizontalpodautoscalers/scaled"
    spec = quiet.get(place)["spec"]
    assert (spec["minReplicas"], spec["maxReplicas"]) == (2, 5)
    assert spec["scaleTargetRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": "scaled"}
    assert spec["metrics"][0]["resource"]["target"] == {"type": "Utilization", "averageUtilization": 70}


def test_reviews_are_understood(quiet: Windlass) -> None:
    nobody = ("--as=nobody", "--as-group=system:authenticated")
    assert quiet.kubectl("auth", "can-i", "delete", "pods/log").stdout == "yes\n"
    assert quiet.kubectl("auth", "can-i", "delete", "pods", *nobody, check=False).stdout == "no\n"
    assert quiet.kubectl("auth", "can-i", "get", "/healthz", *nobody).stdout == "yes\n"
    assert "selfsubjectreviews" in quiet.kubectl("auth", "can-i", "--list").stdout
    assert "kubernetes-admin" in quiet.kubectl("auth", "whoami").stdout


def test_a_token_is_requested_with_its_audience_time_and_bound_object(quiet: Windlass) -> None:
    pod = {"serviceAccountName": "default", "containers": [{"name": "main", "image": "busybox"}]}
    quiet.create("/api/v1/namespaces/as-protobuf/pods", {**_named("Pod", "holder"), "spec": pod})

    token = quiet.kubectl(
        "-n as-protobuf create token default --audience=vault --duration=20m --bound-object-kind=Pod "
        "--bound-object-name=holder"
    ).stdout

    claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    assert claims["aud"] == ["vault"]
    assert claims["exp"] - claims["iat"] == 1200
    assert claims["kubernetes.io"]["pod"]["name"] == "holder"


def test_a_certificate_is_approved_with_a_condition(quiet: Windlass) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "jane")])
    request = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256())
    spec = {
        "request": base64.b64encode(request.public_bytes(serialization.Encoding.PEM)).decode(),
        "signerName": "kubernetes.io/kube-apiserver-client",
        "usages": ["client auth"],
        "expirationSeconds": 3600,
    }
    place = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
    made = quiet.create(
        place,
        {
            "apiVersion": "certificates.k8s.io/v1",
            "kind": "CertificateSigningRequest",
            "metadata": {"name": "jane"},
            "spec": spec,
        },
    )

    quiet.kubectl("certificate", "approve", "jane")

    approved = quiet.get(f"{place}/jane")
    assert approved["spec"] == made["spec"]
    condition = approved["status"]["conditions"][0]
    assert (condition["type"], condition["status"], condition["reason"]) == ("Approved", "True", "KubectlApprove")
    assert condition["lastUpdateTime"].endswith("Z")


@pytest.mark.parametrize("way", ["--disable-eviction=false", "--disable-eviction=true"])
def test_drain_evicts_or_deletes_pods_without_grace(quiet: Windlass, way: str) -> None:
    node = way.replace("=", "-").strip("-")
    quiet.create("/api/v1/nodes", _named("Node", node))
    pod = {"nodeName": node, "containers": [{"name": "main", "image": "busybox"}]}
    quiet.create("/api/v1/namespaces/as-protobuf/pods", {**_named("Pod", "drained"), "spec": pod})

    quiet.kubectl("drain", node, "--force", way, "--grace-period=0", "--timeout=60s")

    assert quiet.request("GET", "/api/v1/namespaces/as-protobuf/pods/drained").status == 404
