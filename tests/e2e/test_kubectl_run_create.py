"""Making things without a manifest: `kubectl run` and every `kubectl create …`."""

import pytest

from tests.e2e.shell import Shell
from tests.support import eventually

pytestmark = pytest.mark.kubectl


def test_run_makes_a_pod_that_waits_for_a_node(kubectl: Shell) -> None:
    assert kubectl("run web --image=nginx --port=80 --env=A=b --labels=app=web,tier=front") == "pod/web created"

    pod = kubectl.json("get pod web")
    assert pod["metadata"]["labels"] == {"app": "web", "tier": "front"}
    assert pod["metadata"]["generation"] == 1
    assert (pod["status"]["phase"], pod["status"]["qosClass"]) == ("Pending", "BestEffort")
    [container] = pod["spec"]["containers"]
    assert container["imagePullPolicy"] == "Always"
    assert container["ports"] == [{"containerPort": 80, "protocol": "TCP"}]
    assert pod["spec"]["serviceAccountName"] == "default"
    assert [t["key"] for t in pod["spec"]["tolerations"]] == [
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/unreachable",
    ]
    assert kubectl.rows("get pod web")[1][:4] == ["web", "0/1", "Pending", "0"]


def test_run_takes_a_command_and_overrides(kubectl: Shell) -> None:
    overrides = """--overrides='{"spec":{"nodeSelector":{"disk":"ssd"}}}'"""
    kubectl(f"run once --image=busybox --restart=Never {overrides} --command -- sleep 10")

    spec = kubectl.json("get pod once")["spec"]
    assert spec["restartPolicy"] == "Never"
    assert spec["nodeSelector"] == {"disk": "ssd"}
    assert spec["containers"][0]["command"] == ["sleep", "10"]


def test_run_with_expose_makes_a_service_too(kubectl: Shell) -> None:
    assert kubectl("run web --image=nginx --port=80 --expose").splitlines() == [
        "service/web created",
        "pod/web created",
    ]
    assert kubectl("get service web -o jsonpath={.spec.selector}") == '{"run":"web"}'


def test_a_dry_run_on_the_server_fills_in_defaults_and_keeps_nothing(kubectl: Shell) -> None:
    pod = kubectl.json("run web --image=nginx --dry-run=server")
    assert pod["metadata"]["uid"]
    assert pod["spec"]["schedulerName"] == "default-scheduler"
    assert kubectl("create deployment d --image=nginx --dry-run=server") == "deployment.apps/d created (server dry run)"
    assert kubectl("get pods,deployments -o name") == ""


def test_a_second_thing_of_the_same_name_is_refused(kubectl: Shell) -> None:
    kubectl("run web --image=nginx")
    assert kubectl.fails("run web --image=nginx") == 'Error from server (AlreadyExists): pods "web" already exists'
    kubectl("create deployment web --image=nginx")
    assert kubectl.fails("create deployment web --image=nginx") == (
        'error: failed to create deployment: deployments.apps "web" already exists'
    )


def test_a_bad_name_is_refused_with_every_field_that_is_wrong(kubectl: Shell) -> None:
    said = kubectl.fails("run Web_1 --image=nginx")
    assert said.startswith(
        'The Pod "Web_1" is invalid: \n* metadata.name: Invalid value: "Web_1": a lowercase RFC 1123'
    )
    assert '\n* spec.containers[0].name: Invalid value: "Web_1": a lowercase RFC 1123 label' in said


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("deployment web --image=nginx --replicas=3 --port=80", "deployment.apps/web created"),
        ("job pi --image=perl -- perl -e 1", "job.batch/pi created"),
        ("cronjob tick --image=busybox --schedule='*/5 * * * *' -- date", "cronjob.batch/tick created"),
        ("configmap settings --from-literal=a=b --from-literal=c=d", "configmap/settings created"),
        ("secret generic keys --from-literal=user=me", "secret/keys created"),
        ("service clusterip inner --tcp=80:8080", "service/inner created"),
        ("service clusterip headless --clusterip=None", "service/headless created"),
        ("service nodeport outer --tcp=80:8080", "service/outer created"),
        ("service loadbalancer front --tcp=80", "service/front created"),
        ("service externalname far --external-name=example.com", "service/far created"),
        ("role reader --verb=get,list --resource=pods", "role.rbac.authorization.k8s.io/reader created"),
        (
            "rolebinding readers --clusterrole=view --user=jane --serviceaccount=default:default",
            "rolebinding.rbac.authorization.k8s.io/readers created",
        ),
        ("serviceaccount robot", "serviceaccount/robot created"),
        ("quota small --hard=pods=10,cpu=4", "resourcequota/small created"),
        ("poddisruptionbudget half --selector=app=web --min-available=50%", "poddisruptionbudget.policy/half created"),
        (
            "ingress hosts --class=public --rule=shop.example/cart=web:80,tls=cert",
            "ingress.networking.k8s.io/hosts created",
        ),
    ],
)
def test_create_makes(kubectl: Shell, line: str, answer: str) -> None:
    assert kubectl(f"create {line}") == answer
    assert kubectl(f"get {answer.split()[0]} -o name") == answer.split()[0]


def test_create_makes_things_of_the_whole_cluster(kubectl: Shell) -> None:
    made = [
        kubectl(f"create clusterrole {kubectl.namespace} --verb=get --resource=nodes"),
        kubectl(f"create clusterrolebinding {kubectl.namespace} --clusterrole=view --group=team"),
        kubectl(f"create priorityclass {kubectl.namespace} --value=10 --description=some"),
        kubectl(f"create namespace {kubectl.namespace}-more"),
    ]
    names = [line.removesuffix(" created") for line in made]
    assert [name.split("/")[0] for name in names] == [
        "clusterrole.rbac.authorization.k8s.io",
        "clusterrolebinding.rbac.authorization.k8s.io",
        "priorityclass.scheduling.k8s.io",
        "namespace",
    ]
    kubectl(f"delete --wait=false {' '.join(names)}")


def test_a_job_starts_from_a_cron_jobs_template(kubectl: Shell) -> None:
    kubectl("create cronjob tick --image=busybox --schedule='@hourly' -- date")
    assert kubectl("create job now --from=cronjob/tick") == "job.batch/now created"

    job = kubectl.json("get job now")
    assert job["metadata"]["annotations"] == {"cronjob.kubernetes.io/instantiate": "manual"}
    assert job["metadata"]["ownerReferences"][0]["name"] == "tick"
    assert job["spec"]["template"]["spec"]["containers"][0]["command"] == ["date"]


def test_create_from_files_takes_each_file_as_a_key(kubectl: Shell) -> None:
    kubectl.file("app/one.properties", "color=red\n")
    kubectl.file("app/two.env", "SIZE=large\n")
    kubectl("create configmap files --from-file=app")
    kubectl("create configmap words --from-env-file=app/two.env")
    kubectl("create secret generic named --from-file=key=app/one.properties")

    assert kubectl.json("get configmap files")["data"] == {"one.properties": "color=red\n", "two.env": "SIZE=large\n"}
    assert kubectl.json("get configmap words")["data"] == {"SIZE": "large"}
    assert kubectl("get secret named -o go-template='{{.data.key | base64decode}}'") == "color=red"


def test_create_takes_a_list_and_many_documents_and_says_which_failed(kubectl: Shell) -> None:
    listed = """{"apiVersion": "v1", "kind": "List", "items": [
      {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}},
      {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "two"}}]}"""
    assert kubectl("create -f -", listed) == "configmap/one created\nserviceaccount/two created"

    documents = "".join(
        f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n" for name in ("zero", "one", "three")
    )
    done = kubectl.run("create -f -", documents)
    assert done.returncode == 1
    assert done.stdout == "configmap/zero created\nconfigmap/three created\n"
    assert (
        'Error from server (AlreadyExists): error when creating "STDIN": configmaps "one" already exists' in done.stderr
    )


def test_create_gives_a_generated_name(kubectl: Shell) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: run-}\n"
    names = {kubectl("create -f - -o name", text) for _ in range(2)}
    assert len(names) == 2
    assert all(name.startswith("configmap/run-") and len(name) == len("configmap/run-") + 5 for name in names)


def test_create_names_unknown_fields(kubectl: Shell) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: typo, label: {}}\ndata: {a: b}\ndat: {}\n"
    assert kubectl.fails("create -f -", text) == (
        'Error from server (BadRequest): error when creating "STDIN": ConfigMap in version "v1" cannot be handled as a '
        'ConfigMap: strict decoding error: unknown field "dat", unknown field "metadata.label"'
    )
    warned = kubectl.warns("create --validate=warn -f -", text)
    assert warned.splitlines() == ['Warning: unknown field "dat"', 'Warning: unknown field "metadata.label"']
    assert kubectl.json("get configmap typo")["data"] == {"a": "b"}


def test_create_raw_posts_the_file_as_it_is(kubectl: Shell) -> None:
    kubectl.file("one.json", '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "raw"}}')
    kubectl(f"create --raw /api/v1/namespaces/{kubectl.namespace}/configmaps -f one.json")
    assert kubectl("get configmap raw -o name") == "configmap/raw"


def test_create_raw_of_another_kind_is_refused(kubectl: Shell) -> None:
    kubectl.file("pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: raw}\n")

    said = kubectl.fails("create --raw /api/v1/namespaces -f pod.yaml --v=8")

    assert "the object provided is unrecognized (must be of type Namespace)" in said


def test_create_edit_takes_what_the_editor_leaves(kubectl: Shell) -> None:
    kubectl.file("one.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: before}\n")
    kubectl("create --edit -f one.yaml", EDITOR="sed -i s/before/after/")
    assert kubectl("get configmaps -o name --field-selector=metadata.name=after") == "configmap/after"


def test_a_new_namespace_gets_its_service_account_and_the_servers_authority(kubectl: Shell) -> None:
    wanted = "get serviceaccount/default configmap/kube-root-ca.crt --ignore-not-found -o name"
    eventually(lambda: len(kubectl(wanted).split()) == 2, 60)
    authority = kubectl.server.ca.read_text().strip()
    assert kubectl("get configmap kube-root-ca.crt -o jsonpath={.data.ca\\\\.crt}").strip() == authority


def test_only_one_priority_class_is_the_default(kubectl: Shell) -> None:
    first, second = f"{kubectl.namespace}-a", f"{kubectl.namespace}-b"
    kubectl(f"create priorityclass {first} --value=7 --global-default")
    try:
        said = kubectl.fails(f"create priorityclass {second} --value=8 --global-default")
        assert said.endswith(
            f'priorityclasses.scheduling.k8s.io "{second}" is forbidden: PriorityClass {first} is already marked as '
            "default. Only one default can exist"
        )
        kubectl("run one --image=nginx")
        assert kubectl("get pod one -o jsonpath='{.spec.priorityClassName} {.spec.priority}'") == f"{first} 7"
    finally:
        kubectl(f"delete priorityclass {first}")
