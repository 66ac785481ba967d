"""Work that ends: jobs whose pods really succeed and really fail, and one that talks to the API from inside."""

from typing import Any

import pytest
from kubernetes import client, config

from tests.e2e.node.pods import PYTHON, Object, PodShell, condition, container, named, template
from tests.support import eventually

pytestmark = pytest.mark.kubectl


def job(name: str, script: str, *, restart: str = "Never", image: str = "busybox", **spec: Any) -> Object:
    work = template(name, container(script, image=image), restartPolicy=restart)
    return named("Job", name, "batch/v1", spec={"template": work, **spec})


def ended(kubectl: PodShell, name: str, how: str) -> Object:
    return kubectl.until(f"jobs/{name}", lambda now: condition(now, how) == "True")


def reason(job: Object) -> str:
    return next(each["reason"] for each in job["status"]["conditions"] if each["type"] == "Failed")


FROM_INSIDE = """
import json, os, ssl, urllib.request
folder = "/var/run/secrets/kubernetes.io/serviceaccount"
token, namespace = (open(f"{folder}/{name}").read() for name in ("token", "namespace"))
trust = ssl.create_default_context(cafile=f"{folder}/ca.crt")
def call(path, body=None):
    url = f"https://kubernetes.default.svc/api/v1/namespaces/{namespace}/{path}"
    request = urllib.request.Request(url, json.dumps(body).encode() if body else None)
    request.add_header("Authorization", f"Bearer {token}")
    request.add_header("Content-Type", "application/json")
    return json.load(urllib.request.urlopen(request, context=trust, timeout=60))
me = call("pods/" + os.environ["HOSTNAME"])
call("configmaps", {"metadata": {"name": "found"}, "data": {"node": me["spec"]["nodeName"]}})
try:
    call("secrets")
except urllib.error.HTTPError as error:
    print("secrets:", error.code)
"""


def test_a_job_talks_to_the_api_from_inside_with_its_own_rights(kubectl: PodShell) -> None:
    kubectl("create serviceaccount worker")
    kubectl("create role looker --verb=get,create --resource=pods,configmaps")
    kubectl(f"create rolebinding worker --role=looker --serviceaccount={kubectl.namespace}:worker")
    work = job("inside", "", image=PYTHON)
    work["spec"]["template"]["spec"]["serviceAccountName"] = "worker"
    work["spec"]["template"]["spec"]["containers"][0]["command"] = ["python", "-c", FROM_INSIDE]

    kubectl.apply(work)
    ended(kubectl, "inside", "Complete")

    node = kubectl("get nodes -o jsonpath={.items[0].metadata.name}")
    assert kubectl.get("configmaps/found")["data"] == {"node": node}
    assert kubectl("logs job/inside") == "secrets: 403"


def test_a_job_runs_so_many_pods_at_a_time_until_enough_have_succeeded(kubectl: PodShell) -> None:
    kubectl.apply(job("many", "sleep 0.3", completions=5, parallelism=2))

    most = 0

    def done() -> bool:
        nonlocal most
        most = max(most, sum(each["status"].get("phase") in ("Pending", "Running") for each in kubectl.pods()))
        return condition(kubectl.get("jobs/many"), "Complete") == "True"

    eventually(done, 120, "the job ends")
    assert kubectl.get("jobs/many")["status"]["succeeded"] == 5
    assert most == 2


def test_a_job_gives_up_after_its_backoff_limit(kubectl: PodShell) -> None:
    kubectl.apply(job("bad", "echo no; exit 3", backoffLimit=1, parallelism=2, completions=2))

    failed = ended(kubectl, "bad", "Failed")

    assert reason(failed) == "BackoffLimitExceeded"
    assert failed["status"]["failed"] == 2
    codes = [each["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] for each in kubectl.pods()]
    assert codes == [3, 3]


def test_the_pods_of_an_indexed_job_know_their_index(kubectl: PodShell) -> None:
    script = "echo $JOB_COMPLETION_INDEX $(hostname); exit $(( JOB_COMPLETION_INDEX == 1 ? 9 : 0 ))"
    fail_at_once = {"rules": [{"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [9]}}]}
    indexed = job(
        "crew", script, completions=3, parallelism=3, completionMode="Indexed", backoffLimitPerIndex=1,
        podFailurePolicy=fail_at_once,
    )  # fmt: skip
    kubectl.apply(indexed)

    failed = ended(kubectl, "crew", "Failed")

    assert (failed["status"]["completedIndexes"], failed["status"]["failedIndexes"]) == ("0,2", "1")
    assert reason(failed) == "FailedIndexes"
    said = sorted(kubectl("logs -l app=crew").splitlines())
    assert said == ["0 crew-0", "1 crew-1", "2 crew-2"]


def test_a_job_made_from_a_cron_job_runs(kubectl: PodShell) -> None:
    kubectl("create cronjob nightly --image=busybox --schedule='0 3 * * *' -- sh -c 'echo swept'")
    kubectl("create job now --from=cronjob/nightly")

    made = ended(kubectl, "now", "Complete")

    assert made["metadata"]["ownerReferences"][0]["kind"] == "CronJob"
    assert kubectl("logs job/now") == "swept"


def test_a_job_that_takes_too_long_is_ended(kubectl: PodShell) -> None:
    kubectl.apply(job("slow", "exec sleep infinity", activeDeadlineSeconds=1))

    assert reason(ended(kubectl, "slow", "Failed")) == "DeadlineExceeded"
    eventually(lambda: not kubectl.pods("app=slow"), 90, "its pod goes")


def test_a_pod_that_takes_too_long_fails(kubectl: PodShell) -> None:
    work = template("slow", container("exec sleep infinity"), activeDeadlineSeconds=1, restartPolicy="Never")
    work["metadata"]["name"] = "slow"
    kubectl.apply({"apiVersion": "v1", "kind": "Pod", **work})

    assert kubectl.phase("slow", "Failed")["status"]["reason"] == "DeadlineExceeded"


def test_a_finished_job_goes_after_its_time(kubectl: PodShell) -> None:
    kubectl.apply(job("brief", "true", ttlSecondsAfterFinished=1))

    kubectl.event("jobs/brief", "Completed")  # which outlives the job
    kubectl.gone("jobs/brief")
    eventually(lambda: not kubectl.pods("app=brief"), 90, "its pod goes with it")


def test_a_job_tries_again_in_the_same_pod_if_it_may(kubectl: PodShell) -> None:
    script = "[ -e /keep/once ] && exit 0; touch /keep/once; exit 1"
    again = job("again", script, restart="OnFailure")
    inside = again["spec"]["template"]["spec"]
    inside["volumes"] = [{"name": "keep", "emptyDir": {}}]
    inside["containers"][0]["volumeMounts"] = [{"name": "keep", "mountPath": "/keep"}]
    kubectl.apply(again)

    ended(kubectl, "again", "Complete")

    (only,) = kubectl.pods("app=again")
    assert only["status"]["containerStatuses"][0]["restartCount"] == 1


def test_a_program_watches_a_job_with_the_python_client(kubectl: PodShell) -> None:
    settings = client.Configuration()
    config.load_kube_config(str(kubectl.server.kubeconfig), client_configuration=settings)
    with client.ApiClient(settings) as api:
        batch: Any = client.BatchV1Api(api)
        core: Any = client.CoreV1Api(api)
        batch.create_namespaced_job(kubectl.namespace, job("sum", "echo $((6 * 7))"))
        eventually(
            lambda: batch.read_namespaced_job_status("sum", kubectl.namespace).status.succeeded == 1, 90, "the job"
        )
        (only,) = core.list_namespaced_pod(kubectl.namespace, label_selector="job-name=sum").items
        assert core.read_namespaced_pod_log(only.metadata.name, kubectl.namespace) == "42\n"
