"""Stories with the unmodified kfp SDK 2, in an environment of its own.

    python kfp2_stories.py STORY HOST TOKEN NAMESPACE

A story prints what it found out as JSON on its last line; the tests assert on that.
"""

# pyright: basic, reportMissingImports=false, reportInvalidTypeForm=false, reportFunctionMemberAccess=false
# pyright: reportAttributeAccessIssue=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportOptionalMemberAccess=false, reportGeneralTypeIssues=false

import itertools
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, List

import kfp
import kfp_server_api
from kfp import compiler, dsl, kubernetes
from kfp.dsl import HTML, ClassificationMetrics, Dataset, Input, Markdown, Metrics, Model, Output

IMAGE = "python:3.11"
FINAL = ("SUCCEEDED", "FAILED", "SKIPPED", "CANCELED")


class Person:
    def __init__(self, host, token, namespace):
        self.namespace = namespace
        self.client = kfp.Client(host=host, existing_token=token, namespace=namespace)

    def start(self, function, arguments=None, **more):
        return self.client.create_run_from_pipeline_func(
            function, arguments=arguments or {}, namespace=self.namespace, experiment_name="stories", **more
        ).run_id

    def wait(self, run_id, within=120.0):
        """kfp's own wait asks every five seconds."""
        until = time.monotonic() + within
        while True:
            run = self.client.get_run(run_id)
            if run.state in FINAL:
                return run
            if time.monotonic() > until:
                raise TimeoutError(f"{run_id} is {run.state}: {run}")
            time.sleep(0.05)

    def run(self, function, arguments=None, **more):
        return self.wait(self.start(function, arguments, **more))

    def tasks(self, run_id):
        """Tasks by their names, as the API gives them; iterations carry their index."""
        answer = self.client.runs.api_client.call_api(
            f"/apis/v2beta1/runs/{run_id}/tasks",
            "GET",
            query_params=[("page_size", 200)],
            response_type="object",
            auth_settings=["Bearer"],
        )[0]
        return answer.get("tasks", [])

    def by_name(self, run_id):
        return {task["name"]: task for task in self.tasks(run_id)}


def outputs(task):
    return {one["parameter_key"]: one.get("value") for one in task.get("outputs", {}).get("parameters", [])}


def artifacts_of(task):
    return task.get("outputs", {}).get("artifacts", [])


# --- components


@dsl.component(base_image=IMAGE)
def hello(name: str) -> str:
    print(f"hello {name}")
    return f"Hello, {name}"


@dsl.component(base_image=IMAGE)
def increment(x: int) -> int:
    return x + 1


@dsl.component(base_image=IMAGE)
def add_up(numbers: List[int]) -> int:
    return sum(numbers)


@dsl.component(base_image=IMAGE)
def fail(message: str) -> str:
    raise SystemExit(message)


@dsl.component(base_image=IMAGE)
def sleep(seconds: float) -> str:
    import time

    time.sleep(seconds)
    return "slept"


@dsl.component(base_image=IMAGE)
def write(text: str, out: Output[Dataset]):
    with open(out.path, "w") as file:
        file.write(text)
    out.metadata["length"] = len(text)


@dsl.component(base_image=IMAGE)
def read(data: Input[Dataset]) -> str:
    with open(data.path) as file:
        return file.read()


# --- scenario 2: the documents' pipeline


@dsl.component(base_image=IMAGE)
def train(epochs: int, model_dir: str, metrics: Output[Metrics]) -> str:
    import json

    with open(f"{model_dir}/model.json", "w") as file:
        json.dump({"w": 2.0, "epochs": epochs}, file)
    with open(f"{model_dir}/test.json", "w") as file:
        json.dump([1, 2, 3], file)
    metrics.log_metric("epochs", epochs)
    return f"{model_dir}/model.json"


@dsl.component(base_image=IMAGE)
def predict(model_file: str) -> str:
    import json
    import os

    folder = os.path.dirname(model_file)
    with open(model_file) as model, open(f"{folder}/test.json") as test:
        weight, values = json.load(model)["w"], json.load(test)
    with open(f"{folder}/result.txt", "w") as file:
        file.write(",".join(str(weight * value) for value in values))
    return f"{folder}/result.txt"


@dsl.component(base_image=IMAGE)
def print_result(result_file: str) -> str:
    with open(result_file) as file:
        text = file.read()
    print(text)
    return text


@dsl.pipeline(name="train-and-predict")
def train_and_predict(epochs: int = 3, size: str = "1Gi") -> str:
    claim = kubernetes.CreatePVC(
        pvc_name_suffix="-data", access_modes=["ReadWriteOnce"], size=size, storage_class_name="standard"
    )
    steps = [train(epochs=epochs, model_dir="/data")]
    steps.append(predict(model_file=steps[0].outputs["Output"]))
    steps.append(print_result(result_file=steps[1].output))
    for step in steps:
        kubernetes.mount_pvc(step, pvc_name=claim.outputs["name"], mount_path="/data")
        step.set_caching_options(False)
    kubernetes.DeletePVC(pvc_name=claim.outputs["name"]).after(steps[2])
    return steps[2].output


def seed(person):
    found = []
    for _ in range(2):
        run = person.run(train_and_predict)
        tasks = person.by_name(run.run_id)
        metrics = tasks["train"]["outputs"]["artifacts"][0]["artifacts"][0]
        found.append(
            {
                "state": run.state,
                "claim": outputs(tasks["createpvc"])["name"],
                "result": outputs(tasks["print-result"])["Output"],
                "output": outputs(tasks["root"])["Output"],
                "metrics": metrics["metadata"],
                "error": str(run.error),
            }
        )
    return found


# --- scenario 3


@dsl.pipeline(name="greet")
def greet(name: str = "World") -> str:
    return hello(name=name).output


@dsl.pipeline(name="sleepy")
def sleepy(seconds: float = 600.0):
    sleep(seconds=seconds)


def life_cycle(person):
    client, found = person.client, {}
    experiment = client.create_experiment("life", namespace=person.namespace)
    assert client.create_experiment("life", namespace=person.namespace).experiment_id == experiment.experiment_id
    with tempfile.TemporaryDirectory() as folder:
        package = str(Path(folder) / "greet.yaml")
        compiler.Compiler().compile(greet, package)
        pipeline = client.upload_pipeline(package, pipeline_name="greet", namespace=person.namespace)
        version = client.upload_pipeline_version(package, "second", pipeline_id=pipeline.pipeline_id)
    found["versions"] = sorted(
        one.name for one in client.list_pipeline_versions(pipeline.pipeline_id).pipeline_versions
    )
    names = [f"run-{number}" for number in range(7)]
    runs = [
        client.run_pipeline(
            experiment.experiment_id, name, pipeline_id=pipeline.pipeline_id,
            version_id=version.pipeline_version_id, params={"name": name},
        )
        for name in names
    ]  # fmt: skip
    found["states"] = [person.wait(run.run_id).state for run in runs]
    listed, token, pages = [], "", 0
    wanted = json.dumps({"predicates": [{"operation": 9, "key": "display_name", "stringValue": "run-"}]})
    while True:
        page = client.list_runs(
            page_token=token,
            page_size=3,
            sort_by="created_at desc",
            experiment_id=experiment.experiment_id,
            filter=wanted,
        )
        listed += [run.display_name for run in page.runs or []]
        pages, token = pages + 1, page.next_page_token
        if not token:
            break
    found["listed"], found["pages"] = listed, pages
    client.archive_run(runs[0].run_id)
    found["archived"] = client.get_run(runs[0].run_id).storage_state
    client.unarchive_run(runs[0].run_id)
    found["unarchived"] = client.get_run(runs[0].run_id).storage_state
    sleeping = person.start(sleepy)
    until = time.monotonic() + 60
    while client.get_run(sleeping).state != "RUNNING" or "sleep" not in person.by_name(sleeping):
        assert time.monotonic() < until
        time.sleep(0.05)
    began = time.monotonic()
    client.terminate_run(sleeping)
    ended = person.wait(sleeping, 20)
    found["terminated"], found["took"] = ended.state, time.monotonic() - began
    found["terminated_error"], found["terminated_run"] = str(ended.error), sleeping
    client.delete_run(runs[0].run_id)
    try:
        client.get_run(runs[0].run_id)
    except kfp.client.client.kfp_server_api.ApiException as error:
        found["deleted"] = error.status
    return found


# --- scenario 4


@dsl.pipeline(name="cached")
def cached_pipeline(name: str = "World", number: int = 1) -> str:
    greeting = hello(name=name)
    dataset = write(text=greeting.output)
    increment(x=number)
    return read(data=dataset.outputs["out"]).output


def caching(person):
    found = {}
    for label, arguments, more in (
        ("first", {}, {}),
        ("second", {}, {}),
        ("changed", {"number": 2}, {}),
        ("uncached", {}, {"enable_caching": False}),
    ):
        began = time.time()
        run = person.run(cached_pipeline, arguments, **more)
        tasks = person.by_name(run.run_id)
        artifact = tasks["write"]["outputs"]["artifacts"][0]["artifacts"][0]
        found[label] = {
            "state": run.state,
            "states": {name: task["state"] for name, task in tasks.items() if name != "root"},
            "pods": sorted(name for name, task in tasks.items() if task.get("pods")),
            "artifact": artifact["artifact_id"],
            "seconds": (run.finished_at - run.created_at).total_seconds(),
            "wall": time.time() - began,
            "output": outputs(tasks["read"])["Output"],
        }
    return found


# --- scenario 5


@dsl.component(base_image=IMAGE)
def say(text: str) -> str:
    return text


@dsl.component(base_image=IMAGE)
def numbers(count: int) -> List[int]:
    return list(range(count))


@dsl.pipeline(name="branches")
def branches(side: str = "heads") -> str:
    coin = say(text=side)
    with dsl.If(coin.output == "heads"):
        first, first_data = say(text="it was heads"), write(text="heads data")
    with dsl.Elif(coin.output == "tails"):
        second, second_data = say(text="it was tails"), write(text="tails data")
    with dsl.Else():
        third, third_data = say(text="it was neither"), write(text="other data")
    text = dsl.OneOf(first.output, second.output, third.output)
    data = dsl.OneOf(first_data.outputs["out"], second_data.outputs["out"], third_data.outputs["out"])
    read(data=data)
    return say(text=text).output


@dsl.component(base_image=IMAGE)
def multiply(a: int, b: int) -> int:
    return a * b


@dsl.component(base_image=IMAGE)
def sum_nested(rows: List[List[int]]) -> int:
    return sum(sum(row) for row in rows)


@dsl.pipeline(name="nested-loops")
def nested_loops() -> int:
    with dsl.ParallelFor([1, 2, 3]) as a, dsl.ParallelFor([10, 20]) as b:
        product = multiply(a=a, b=b)
    return sum_nested(rows=dsl.Collected(product.output)).output


@dsl.component(base_image=IMAGE)
def record(folder: str, name: int) -> int:
    """How many of these run at once."""
    import os
    import time

    mine = f"{folder}/{name}"
    open(mine, "w").close()
    most = 0
    for _ in range(10):
        most = max(most, len(os.listdir(folder)))
        time.sleep(0.05)
    os.remove(mine)
    return most


@dsl.component(base_image=IMAGE)
def largest(values: List[int]) -> int:
    return max(values, default=-1)


@dsl.pipeline(name="two-at-once")
def two_at_once() -> int:
    claim = kubernetes.CreatePVC(
        pvc_name_suffix="-count", access_modes=["ReadWriteMany"], size="1Gi", storage_class_name="windlass-shared"
    )
    with dsl.ParallelFor([1, 2, 3, 4, 5, 6], parallelism=2) as number:
        step = record(folder="/count", name=number).set_caching_options(False)
        kubernetes.mount_pvc(step, pvc_name=claim.outputs["name"], mount_path="/count")
    return largest(values=dsl.Collected(step.output)).set_caching_options(False).output


@dsl.pipeline(name="condition-in-loop")
def condition_in_loop() -> int:
    with dsl.ParallelFor([1, 2, 3, 4]) as number, dsl.If(number > 2):
        grown = increment(x=number)
    return add_up(numbers=dsl.Collected(grown.output)).output


@dsl.pipeline(name="empty-loop")
def empty_loop() -> int:
    none = numbers(count=0)
    with dsl.ParallelFor(none.output) as number:
        grown = increment(x=number)
    return add_up(numbers=dsl.Collected(grown.output)).output


def control_flow(person):
    found = {}
    for side in ("heads", "tails", "edge"):
        run = person.run(branches, {"side": side})
        tasks = person.tasks(run.run_id)
        last = [task for task in tasks if task["name"] == "root"][0]
        data = [outputs(task)["Output"] for task in tasks if task["name"] == "read"]
        found[side] = [run.state, outputs(last)["Output"], *data]
    for function in (nested_loops, two_at_once, condition_in_loop, empty_loop):
        run = person.run(function)
        found[function.name] = [run.state, outputs(person.by_name(run.run_id)["root"]).get("Output")]
    return found


# --- scenario 6


@dsl.component(base_image=IMAGE)
def report(status: dsl.PipelineTaskFinalStatus) -> str:
    import json

    return json.dumps({"state": status.state, "task": status.pipeline_task_name, "error": status.error_message})


@dsl.pipeline(name="failing-body")
def failing_body():
    end = report()
    with dsl.ExitHandler(end):
        fail(message="no luck")


@dsl.pipeline(name="looping-body")
def looping_body():
    end = report()
    with dsl.ExitHandler(end), dsl.ParallelFor([1, 2]) as number:
        increment(x=number)


@dsl.component(base_image=IMAGE)
def after(text: str = "nothing came") -> str:
    return text


@dsl.pipeline(name="ignoring")
def ignoring():
    broken = fail(message="no luck")
    after(text=broken.output).ignore_upstream_failure()


def exit_handlers(person):
    found = {}
    for function in (failing_body, looping_body):
        run = person.run(function)
        seen = outputs(person.by_name(run.run_id)["report"])["Output"]
        found[function.name] = [run.state, json.loads(seen)]
    run = person.run(ignoring)
    found["ignoring"] = [run.state, outputs(person.by_name(run.run_id)["after"]).get("Output")]
    return found


# --- scenario 7


@dsl.component(base_image=IMAGE)
def third_time(folder: str) -> int:
    import os

    name = os.path.join(folder, "attempts")
    with open(name, "a") as file:
        file.write("x")
    attempts = os.path.getsize(name)
    if attempts < 3:
        raise SystemExit(f"attempt {attempts} fails")
    return attempts


@dsl.pipeline(name="retried")
def retried() -> int:
    claim = kubernetes.CreatePVC(
        pvc_name_suffix="-tries", access_modes=["ReadWriteMany"], size="1Gi", storage_class_name="windlass-shared"
    )
    step = third_time(folder="/tries").set_caching_options(False)
    kubernetes.mount_pvc(step, pvc_name=claim.outputs["name"], mount_path="/tries")
    step.set_retry(num_retries=3, backoff_duration="1s", backoff_factor=2.0)
    return step.output


@dsl.component(base_image=IMAGE)
def needs(folder: str) -> str:
    import os

    if not os.path.exists(os.path.join(folder, "fixed")):
        raise SystemExit("not fixed")
    return "fixed"


@dsl.component(base_image=IMAGE)
def fix(folder: str):
    import os

    open(os.path.join(folder, "fixed"), "w").close()


@dsl.pipeline(name="repaired")
def repaired(claim: str) -> str:
    before = hello(name="before").set_caching_options(False)
    step = needs(folder="/fix").set_caching_options(False).after(before)
    kubernetes.mount_pvc(step, pvc_name=claim, mount_path="/fix")
    return say(text=step.output).set_caching_options(False).output


@dsl.pipeline(name="fixing")
def fixing(claim: str):
    step = fix(folder="/fix").set_caching_options(False)
    kubernetes.mount_pvc(step, pvc_name=claim, mount_path="/fix")


@dsl.pipeline(name="make-claim")
def make_claim() -> str:
    claim = kubernetes.CreatePVC(
        pvc_name_suffix="-fix", access_modes=["ReadWriteMany"], size="1Gi", storage_class_name="windlass-shared"
    )
    return say(text=claim.outputs["name"]).set_caching_options(False).output


def retries(person):
    found = {}
    run = person.run(retried)
    task = person.by_name(run.run_id)["third-time"]
    details = [one for one in run.run_details.task_details if one.display_name == "third-time"][0]
    found["task"] = [run.state, outputs(task)["Output"], 1 + len(details.executor_detail.failed_main_jobs)]
    found["seconds"] = (run.finished_at - run.created_at).total_seconds()
    claim = outputs(person.by_name(person.run(make_claim).run_id)["root"])["Output"]
    run = person.run(repaired, {"claim": claim})
    before = person.by_name(run.run_id)
    found["failed"] = run.state
    person.run(fixing, {"claim": claim})
    person.client.runs.run_service_retry_run(run.run_id)
    run = person.wait(run.run_id)
    now = person.by_name(run.run_id)
    found["again"] = [run.state, outputs(now["root"])["Output"]]
    found["kept"] = before["hello"]["pods"] == now["hello"]["pods"]
    found["new"] = before["needs"]["pods"] != now["needs"]["pods"]
    return found


# --- scenario 8


@dsl.component(base_image=IMAGE)
def sleep_a_little(text: str) -> str:
    import time

    time.sleep(0.5)
    return text


@dsl.pipeline(name="tick")
def tick(when: str = "") -> str:
    return sleep_a_little(text=when).output


def runs_of(person, recurring):
    wanted = {"predicates": [{"operation": 1, "key": "recurring_run_id", "stringValue": recurring.recurring_run_id}]}
    page = person.client.list_runs(namespace=person.namespace, filter=json.dumps(wanted), page_size=100)
    return sorted(page.runs or [], key=lambda run: run.scheduled_at)


def recurring(person):
    client = person.client
    experiment = client.create_experiment("recurring", namespace=person.namespace)
    with tempfile.TemporaryDirectory() as folder:
        package = str(Path(folder) / "tick.yaml")
        compiler.Compiler().compile(tick, package)
        job = client.create_recurring_run(
            experiment.experiment_id, "ticks", cron_expression="*/2 * * * * *", max_concurrency=1,
            pipeline_package_path=package, params={"when": "[[ScheduledTime]]"}, enable_caching=False,
        )  # fmt: skip
        until = time.monotonic() + 60
        while len(runs_of(person, job)) < 3:
            assert time.monotonic() < until
            time.sleep(0.1)
        client.disable_recurring_run(job.recurring_run_id)
        began = time.time()
        late = client.create_recurring_run(
            experiment.experiment_id, "late", interval_second=1, no_catchup=True, start_time="2026-01-01T00:00:00Z",
            pipeline_package_path=package, params={"when": "once"}, enable_caching=False, max_concurrency=1,
        )  # fmt: skip
        while not runs_of(person, late):
            assert time.monotonic() < until
            time.sleep(0.05)
        client.disable_recurring_run(late.recurring_run_id)
    ticks = [person.wait(run.run_id) for run in runs_of(person, job)]
    return {
        "states": [run.state for run in ticks],
        "seconds": [run.scheduled_at.timestamp() for run in ticks],
        "values": [outputs(person.by_name(run.run_id)["root"])["Output"] for run in ticks],
        "overlaps": sum(first.finished_at > second.created_at for first, second in itertools.pairwise(ticks)),
        "late": len([run for run in runs_of(person, late) if run.scheduled_at.timestamp() < began - 1.5]),
        "status": client.get_recurring_run(job.recurring_run_id).status,
    }


# --- scenario 9


@dsl.container_component
def show(text: str, number: int, flag: bool, items: List[int], table: Dict[str, int], absent: str = None,
         data: Input[Dataset] = None, out: Output[Dataset] = None, value: dsl.OutputPath(str) = None):  # fmt: skip
    return dsl.ContainerSpec(
        image=IMAGE,
        command=["python3", "-c", "import json,sys; json.dump(sys.argv[1:], open(sys.argv[2], 'w'))"],
        args=[
            "x",
            value,
            text,
            number,
            flag,
            items,
            table,
            data.path,
            data.uri,
            out.path,
            out.uri,
            dsl.IfPresentPlaceholder("absent", then=["--absent", absent], else_=["--none"]),
            dsl.IfPresentPlaceholder("text", then=["--text", text], else_=["--none"]),
            dsl.ConcatPlaceholder(["a-", text, "-", number]),
            "{{$.pipeline_job_name}}",
            "{{$.pipeline_job_resource_name}}",
            "{{$.pipeline_job_uuid}}",
            "{{$.pipeline_task_name}}",
            "{{$.pipeline_root}}",
        ],
    )


@dsl.pipeline(name="placeholders")
def placeholder_pipeline() -> str:
    data = write(text="content")
    shown = show(text="words", number=7, flag=True, items=[2, 4], table={"k": 1}, data=data.outputs["out"])
    return shown.outputs["value"]


def placeholders(person):
    run = person.run(placeholder_pipeline)
    if run.state != "SUCCEEDED":
        return {"state": run.state, "error": str(run.error), "tasks": person.tasks(run.run_id)}
    values = json.loads(outputs(person.by_name(run.run_id)["root"])["Output"])
    return {"state": run.state, "values": values[1:], "run_id": run.run_id, "name": run.display_name}


# --- scenario 10


@dsl.component(base_image=IMAGE)
def surroundings() -> Dict[str, str]:
    import os

    def content(path):
        try:
            with open(path) as file:
                return file.read().strip()
        except OSError as error:
            return type(error).__name__

    return {
        "secret": os.environ.get("SECRET", ""),
        "config": os.environ.get("CONFIG", ""),
        "pod": os.environ.get("MY_POD", ""),
        "file": content("/etc/secret/password"),
        "config_file": content("/etc/config/colour"),
        "scratch": str(os.access("/scratch", os.W_OK)),
    }


@dsl.pipeline(name="platform")
def platform_pipeline() -> Dict[str, str]:
    step = surroundings().set_caching_options(False)
    kubernetes.use_secret_as_env(step, secret_name="story", secret_key_to_env={"password": "SECRET"})
    kubernetes.use_secret_as_volume(step, secret_name="story", mount_path="/etc/secret")
    kubernetes.use_config_map_as_env(step, config_map_name="story", config_map_key_to_env={"colour": "CONFIG"})
    kubernetes.use_config_map_as_volume(step, config_map_name="story", mount_path="/etc/config")
    kubernetes.use_field_path_as_env(step, env_name="MY_POD", field_path="metadata.name")
    kubernetes.add_pod_label(step, label_key="story", label_value="platform")
    kubernetes.empty_dir_mount(step, volume_name="scratch", mount_path="/scratch")
    return step.output


@dsl.pipeline(name="slow")
def slow_pipeline():
    step = sleep(seconds=600.0).set_caching_options(False)
    kubernetes.set_timeout(step, 2)


@dsl.component(base_image=IMAGE)
def eat(megabytes: int) -> int:
    held = bytearray(megabytes << 20)
    import time

    for place in range(0, len(held), 4096):
        held[place] = 1
    time.sleep(5)
    return len(held)


@dsl.pipeline(name="hungry")
def hungry_pipeline():
    eat(megabytes=600).set_caching_options(False).set_memory_limit("200M")


def platform(person):
    found = {}
    run = person.run(platform_pipeline)
    task = person.by_name(run.run_id)
    found["platform"] = [
        run.state,
        outputs(task["surroundings"]).get("Output"),
        task["surroundings"]["pods"][0]["name"],
    ]
    for function in (slow_pipeline, hungry_pipeline):
        run = person.run(function)
        failed = [task for task in person.tasks(run.run_id) if task.get("pods")][0]
        found[function.name] = [run.state, failed["state"], failed.get("status_metadata", {}).get("message", "")]
    return found


# --- scenario 11


@dsl.component(base_image=IMAGE)
def make_things(
    folder: Output[Dataset],
    page: Output[HTML],
    notes: Output[Markdown],
    scores: Output[Metrics],
    curve: Output[ClassificationMetrics],
    model: Output[Model],
):
    import os

    os.makedirs(folder.path)
    for name in ("a", "b"):
        with open(os.path.join(folder.path, name), "w") as file:
            file.write(name * 3)
    with open(page.path, "w") as file:
        file.write("<h1>Hi</h1>")
    with open(notes.path, "w") as file:
        file.write("# Hi")
    scores.log_metric("accuracy", 0.92)
    curve.log_roc_curve([0.0, 0.5, 1.0], [0.0, 0.8, 1.0], [1.0, 0.5, 0.1])
    curve.log_confusion_matrix(["cat", "dog"], [[5, 1], [2, 7]])
    model.metadata["framework"] = "none"
    with open(model.path, "w") as file:
        file.write("weights")


@dsl.component(base_image=IMAGE)
def use_things(folder: Input[Dataset], model: Input[Model], imported: Input[Dataset]) -> Dict[str, str]:
    import os

    return {
        "files": ",".join(sorted(os.listdir(folder.path))),
        "framework": model.metadata["framework"],
        "imported": imported.uri,
    }


@dsl.component(base_image=IMAGE)
def count(parts: Input[List[Dataset]]) -> str:
    return "+".join(open(part.path).read() for part in parts)


@dsl.pipeline(name="artifacts")
def artifact_pipeline(reimport: bool = False) -> Dict[str, str]:
    made = make_things()
    imported = dsl.importer(
        artifact_uri="minio://mlpipeline/outside/data.csv", artifact_class=Dataset, reimport=False, metadata={"k": "v"}
    )
    with dsl.ParallelFor(["x", "y", "z"]) as letter:
        part = write(text=letter)
    count(parts=dsl.Collected(part.outputs["out"]))
    return use_things(folder=made.outputs["folder"], model=made.outputs["model"], imported=imported.output).output


def artifacts(person):
    found = {}
    for label in ("first", "second"):
        run = person.run(artifact_pipeline)
        tasks = person.by_name(run.run_id)
        made = {one["artifact_key"]: one["artifacts"][0] for one in artifacts_of(tasks.get("make-things", {}))}
        found[label] = {
            "state": run.state,
            "error": str(run.error),
            "output": outputs(tasks["root"]).get("Output"),
            "joined": outputs(tasks.get("count", {})).get("Output"),
            "types": {key: one["type"] for key, one in made.items()},
            "scores": made.get("scores", {}).get("metadata"),
            "curve": made.get("curve", {}).get("metadata"),
            "page": made.get("page", {}).get("uri"),
            "imported": [one["artifacts"][0]["artifact_id"] for one in artifacts_of(tasks.get("importer", {}))],
        }
    return found


# --- scenarios 13 and 14


@dsl.pipeline(name="twenty")
def twenty():
    with dsl.ParallelFor(list(range(10)), parallelism=3) as number:
        first = increment(x=number).set_caching_options(False)
        increment(x=first.output).set_caching_options(False)


def start_twenty(person):
    return person.start(twenty)


def outcome(person, run_id):
    run = person.wait(run_id, 240)
    tasks = [task for task in person.tasks(run_id) if task.get("pods")]
    return {"state": run.state, "tasks": len(tasks), "pods": sorted(pod["name"] for t in tasks for pod in t["pods"])}


@dsl.pipeline(name="chain")
def chain(start: int = 0) -> int:
    step = increment(x=start).set_caching_options(False)
    for _ in range(9):
        step = increment(x=step.output).set_caching_options(False)
    return step.output


def speed(person):
    """Seconds from creation to success, as the server has them, several times."""
    person.run(greet, {"name": "warm"}, enable_caching=False)
    found = {}
    for function, times in ((greet, 5), (chain, 3)):
        found[function.name] = []
        for _ in range(times):
            began = time.time()
            run = person.run(function, enable_caching=False)
            assert run.state == "SUCCEEDED", run
            found[function.name].append(round(time.time() - began, 3))
    return found


def run_of_version(person, pipeline_id, version_id):
    """A run of a version that was made by kubectl."""
    listed = person.client.list_pipelines(namespace=person.namespace, page_size=100).pipelines
    version = person.client.get_pipeline_version(pipeline_id, version_id)
    experiment = person.client.create_experiment("stories", namespace=person.namespace)
    run = person.client.run_pipeline(
        experiment.experiment_id, "by the SDK", pipeline_id=pipeline_id, version_id=version_id
    )
    state = person.wait(run.run_id).state
    return {"state": state, "version": version.name, "listed": any(p.pipeline_id == pipeline_id for p in listed)}


def tutorials(person):
    """Runs of the shared pipelines that every new Windlass has, by name."""
    found = {}
    for pipeline in person.client.list_pipelines(page_size=100).pipelines:
        if pipeline.display_name.startswith("[Tutorial]"):
            pipeline_id = person.client.get_pipeline_id(pipeline.display_name)
            version = person.client.list_pipeline_versions(pipeline_id).pipeline_versions[0]
            experiment = person.client.create_experiment("stories", namespace=person.namespace)
            run = person.client.run_pipeline(
                experiment.experiment_id, "tutorial", pipeline_id=pipeline_id, version_id=version.pipeline_version_id
            )
            found[pipeline.display_name] = [
                person.wait(run.run_id).state,
                version.pipeline_spec["pipelineInfo"]["name"],
            ]
    return found


def compiled(person, script, name):
    """The specification of a pipeline as this SDK compiles it."""
    sys.path.insert(0, str(Path(script).parent))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pipeline.yaml"
        compiler.Compiler().compile(getattr(__import__(Path(script).stem), name), str(file))
        return file.read_text()


def log_of(person, run_id, task):
    """The log of a task, which outlives its pod."""
    pod = person.by_name(run_id)[task]["pods"][0]["name"]
    path = f"/apis/v1alpha1/runs/{run_id}/nodes/{pod}/log"
    answer = person.client.runs.api_client.call_api(path, "GET", response_type="str", auth_settings=["Bearer"])
    return answer[0]


def pipeline_status(person, pipeline_id):
    """The HTTP status that a pipeline is answered with."""
    try:
        person.client.get_pipeline(pipeline_id)
    except kfp_server_api.ApiException as error:
        return error.status
    return 200


STORIES = {
    function.__name__: function
    for function in (
        recurring, seed, life_cycle, caching, control_flow, exit_handlers, retries, placeholders, platform, artifacts,
        start_twenty, outcome, speed, run_of_version, tutorials, compiled, log_of, pipeline_status,
    )
}  # fmt: skip


if __name__ == "__main__":
    story, host, token, namespace, *words = sys.argv[1:]
    print(json.dumps(STORIES[story](Person(host, token, namespace), *words), default=str))
