"""The program that copies artifacts beside a task's container, against a real object store."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
import yaml

from tests.apps.pipelines.artifacts.stores.object_store import KEYS, ObjectStore, object_store
from windlass.apps.pipelines.artifacts import transfer
from windlass.apps.pipelines.artifacts.transfer_plan import InputArtifact, TransferPlan, TransferReport, as_arguments

REPORT = "s3://data/root/.windlass/attempt-0.json"


@dataclass(frozen=True)
class Pod:
    """The volumes of a pod."""

    folder: Path
    endpoint: str

    def __post_init__(self) -> None:
        for name in ("volume", "secrets/mlpipeline-minio-artifact", "workspace"):
            (self.folder / name).mkdir(parents=True)
        for key, value in KEYS.items():
            (self.folder / "secrets/mlpipeline-minio-artifact" / key).write_text(value)

    @property
    def volume(self) -> Path:
        return self.folder / "volume"

    @property
    def message(self) -> str:
        return (self.folder / "message").read_text()

    def run(self, verb: str, plan: TransferPlan) -> int:
        providers = {"s3": {"default": {"endpoint": self.endpoint, "disableSSL": True, "maxRetries": 1}}}
        given = msgspec.structs.replace(plan, providers=plan.providers or yaml.safe_dump(providers))
        return transfer.main(
            [verb, *as_arguments(given)],
            volume=self.volume,
            secrets=self.folder / "secrets",
            workspace=self.folder / "workspace",
            message=self.folder / "message",
        )

    def write(self, path: str, content: str) -> None:
        file = self.volume / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    with object_store(tmp_path_factory.mktemp("store")) as store:
        yield store


@pytest.fixture
def store(running: ObjectStore) -> ObjectStore:
    running.reset()
    running.make_bucket("data")
    return running


@pytest.fixture
def pod(store: ObjectStore, tmp_path: Path) -> Pod:
    return Pod(tmp_path, store.endpoint)


def report(store: ObjectStore) -> TransferReport:
    return msgspec.json.decode(store.get(REPORT.removeprefix("s3://")), type=TransferReport)


def test_inputs_become_files_and_folders_that_any_user_may_write_beside(store: ObjectStore, pod: Pod) -> None:
    store.put("data/file", b"one")
    store.put("data/folder/a/b", b"two")
    inputs = [InputArtifact(uri="s3://data/file", must_exist=True), InputArtifact(uri="s3://data/folder")]

    assert pod.run("fetch", TransferPlan(namespace="ml", inputs=inputs)) == 0

    assert (pod.volume / "s3/data/file").read_text() == "one"
    assert (pod.volume / "s3/data/folder/a/b").read_text() == "two"
    assert (pod.volume / "s3/data").stat().st_mode & 0o777 == 0o777


def test_an_input_for_the_workspace_is_fetched_there(store: ObjectStore, pod: Pod) -> None:
    store.put("data/file", b"one")
    wanted = InputArtifact(uri="s3://data/file", workspace_path=".artifacts/s3/data/file")

    assert pod.run("fetch", TransferPlan(namespace="ml", inputs=[wanted])) == 0

    assert (pod.folder / "workspace/.artifacts/s3/data/file").read_text() == "one"


def test_an_import_that_does_not_exist_is_named_in_the_termination_message(store: ObjectStore, pod: Pod) -> None:
    missing = InputArtifact(uri="s3://data/nothing", must_exist=True)

    assert pod.run("fetch", TransferPlan(namespace="ml", inputs=[missing])) == 1

    assert pod.message.startswith("Cannot fetch s3://data/nothing with the Secret ml/mlpipeline-minio-artifact: there")


def test_an_output_of_an_earlier_task_need_not_exist(store: ObjectStore, pod: Pod) -> None:
    assert pod.run("fetch", TransferPlan(namespace="ml", inputs=[InputArtifact(uri="s3://data/nothing")])) == 0


def test_outputs_are_published_and_reported(store: ObjectStore, pod: Pod) -> None:
    pod.write("s3/data/root/model", "weights")
    pod.write("s3/data/root/folder/deep/file", "x")
    pod.write("s3/data/elsewhere", "y")
    output = msgspec.json.encode(
        {"parameterValues": {"n": 1}, "artifacts": {"moved": {"artifacts": [{"uri": "s3://data/elsewhere"}]}}}
    ).decode()
    pod.write("s3/data/root/output_metadata.json", output)
    pod.write(".parameters/t/text", "hello\n")
    (pod.volume / ".parameters/t/odd").write_bytes(b"\xff")
    names = ("model", "folder", "moved", "unwritten")
    plan = TransferPlan(
        namespace="ml",
        artifacts={name: f"s3://data/root/{name}" for name in names},
        executor_output="s3/data/root/output_metadata.json",
        parameters=".parameters/t",
        report=REPORT,
    )

    assert pod.run("publish", plan) == 0

    assert store.get("data/root/model") == b"weights"
    assert store.get("data/root/folder/deep/file") == b"x"
    assert store.get("data/elsewhere") == b"y"
    made = report(store)
    assert made.published == ["s3://data/root/model", "s3://data/root/folder", "s3://data/elsewhere"]
    assert (made.executor_output, made.parameters) == (output, {"text": "hello\n"})
    assert "UTF-8" in made.problems["odd"]


def test_inputs_are_not_published_again(store: ObjectStore, pod: Pod) -> None:
    store.put("data/in", b"one")
    plan = TransferPlan(
        namespace="ml", inputs=[InputArtifact(uri="s3://data/in")], artifacts={"x": "s3://data/in"}, report=REPORT
    )
    assert pod.run("fetch", plan) == 0
    pod.write("s3/data/in", "changed")

    assert pod.run("publish", plan) == 0

    assert store.get("data/in") == b"one"


def test_entries_of_a_folder_and_the_standard_output_are_reported(store: ObjectStore, pod: Pod) -> None:
    pod.write("s3/data/artifacts/wf/pod/one", "1")
    pod.write("s3/data/artifacts/wf/pod/two/file", "2")
    pod.write(".argo/pod/result", "printed\n")
    plan = TransferPlan(
        namespace="ml", folders=["s3://data/artifacts/wf/pod"], result=".argo/pod/result", report=REPORT
    )

    assert pod.run("publish", plan) == 0

    made = report(store)
    assert made.published == ["s3://data/artifacts/wf/pod/one", "s3://data/artifacts/wf/pod/two"]
    assert made.result == "printed\n"
    assert store.get("data/artifacts/wf/pod/two/file") == b"2"


def test_links_that_a_container_made_lead_nowhere(store: ObjectStore, pod: Pod, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("keys")
    pod.write("s3/data/root/other", "x")
    (pod.volume / "s3/data/root/link").symlink_to(tmp_path / "secret")
    (pod.volume / "params").symlink_to(pod.folder / "secrets/mlpipeline-minio-artifact")
    plan = TransferPlan(namespace="ml", artifacts={"x": "s3://data/root/link"}, parameters="params", report=REPORT)

    assert pod.run("publish", plan) == 0

    assert report(store) == TransferReport()
    assert store.keys("data") == ["root/.windlass/attempt-0.json"]


def test_without_a_report_nothing_counts_as_published(store: ObjectStore, pod: Pod) -> None:
    pod.write("s3/data/root/model", "weights")
    pod.write("s3/missing-bucket/x", "y")
    artifacts = {"model": "s3://data/root/model", "x": "s3://missing-bucket/x"}

    assert pod.run("publish", TransferPlan(namespace="ml", artifacts=artifacts, report=REPORT)) == 1

    assert pod.message.startswith("Cannot publish s3://missing-bucket/x")
    assert store.keys("data") == ["root/model"]


def test_a_secret_that_is_named_must_exist(store: ObjectStore, pod: Pod) -> None:
    reference = {"secretName": "mine", "accessKeyKey": "id", "secretKeyKey": "key"}
    providers = {"s3": {"default": {"endpoint": store.endpoint, "credentials": {"secretRef": reference}}}}
    plan = TransferPlan(namespace="ml", providers=yaml.safe_dump(providers), inputs=[InputArtifact(uri="s3://data/x")])

    assert pod.run("fetch", plan) == 1

    assert "the Secret ml/mine does not exist" in pod.message
