"""A StatefulSet as a person sees it, while its pods' statuses are set here as a node would set them."""

import pytest

from tests.e2e.shell import Shell
from tests.support import eventually

pytestmark = pytest.mark.kubectl

MANIFEST = """
apiVersion: v1
kind: Service
metadata: {name: db}
spec: {clusterIP: None, selector: {app: db}, ports: [{port: 5432}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 2
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
      - {name: main, image: "postgres:1", volumeMounts: [{name: data, mountPath: /data}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Mi}}}
"""


def come_up(kubectl: Shell, name: str, ip: str) -> None:
    """Wait for a pod that was not started yet, and start it."""
    phase = f"get pod {name} --ignore-not-found -o jsonpath={{.status.phase}}{{.metadata.deletionTimestamp}}"
    eventually(lambda: kubectl(phase) == "Pending", 60, f"a new pod {name}")
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    kubectl.set_status(f"pod {name}", {"phase": "Running", "podIP": ip, "conditions": [ready]})


@pytest.fixture
def database(kubectl: Shell) -> Shell:
    kubectl("apply -f -", MANIFEST)
    come_up(kubectl, "db-0", "10.1.0.10")
    come_up(kubectl, "db-1", "10.1.0.11")
    return kubectl


def test_pods_come_up_in_order_with_their_claims(database: Shell) -> None:
    said = database("rollout status statefulset/db --timeout=60s")
    assert said.splitlines()[-1] == "partitioned roll out complete: 2 new pods have been updated..."
    assert [row[:2] for row in database.rows("get statefulset db")[1:]] == [["db", "2/2"]]
    assert [row[0] for row in database.rows("get pvc")[1:]] == ["data-db-0", "data-db-1"]
    for told in (
        "create Pod db-0 in StatefulSet db successful",
        "create Claim data-db-1 Pod db-1 in StatefulSet db success",
    ):
        eventually(lambda told=told: told in database("describe statefulset db"), 60, told)


def test_a_headless_service_lists_its_pods_by_name(database: Shell) -> None:
    addresses = "get endpoints db -o jsonpath={.subsets[0].addresses[*].hostname}"
    eventually(lambda: database(addresses) == "db-0 db-1", 60, "both host names")
    slices = "get endpointslices -l kubernetes.io/service-name=db -o jsonpath={.items[*].endpoints[*].addresses[0]}"
    eventually(lambda: sorted(database(slices).split()) == ["10.1.0.10", "10.1.0.11"], 60, "both addresses")


def test_a_new_image_is_rolled_from_the_highest_number_and_undone(database: Shell) -> None:
    image = "get pods -o jsonpath={.items[*].spec.containers[0].image}"
    database("set image statefulset/db main=postgres:2")
    come_up(database, "db-1", "10.1.0.21")
    come_up(database, "db-0", "10.1.0.20")
    assert database("rollout status statefulset/db --timeout=60s")
    assert database(image) == "postgres:2 postgres:2"
    assert [row[0] for row in database.rows("rollout history statefulset/db")[2:]] == ["1", "2"]

    assert database("rollout undo statefulset/db") == "statefulset.apps/db rolled back"
    come_up(database, "db-1", "10.1.0.31")
    come_up(database, "db-0", "10.1.0.30")
    assert database(image) == "postgres:1 postgres:1"
    eventually(lambda: [row[0] for row in database.rows("rollout history statefulset/db")[2:]] == ["2", "3"], 60)


def test_scaling_down_keeps_the_claims(database: Shell) -> None:
    assert database("scale statefulset db --replicas=1") == "statefulset.apps/db scaled"
    eventually(lambda: database("get pods -o name") == "pod/db-0", 60, "one pod")
    assert database("get pvc -o name").split() == [
        "persistentvolumeclaim/data-db-0",
        "persistentvolumeclaim/data-db-1",
    ]


def test_deleting_it_takes_the_pods_away_and_leaves_the_claims(database: Shell) -> None:
    database("delete statefulset db")
    eventually(lambda: database("get pods -o name") == "", 60, "no pods")
    assert len(database("get pvc -o name").split()) == 2


def test_what_quota_refuses_is_told(kubectl: Shell) -> None:
    kubectl("create quota none --hard=pods=0")
    kubectl("apply -f -", MANIFEST)
    eventually(lambda: "create Pod db-0 in StatefulSet db failed error: pods" in kubectl("describe statefulset db"), 60)
    observed = "get statefulset db -o jsonpath={.status.observedGeneration}"
    eventually(lambda: kubectl(observed) == "1", 60, "a status")
