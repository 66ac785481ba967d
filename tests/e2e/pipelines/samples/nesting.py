"""Samples of one construct inside another: pipelines in loops, exits in exits, choices in both."""

# pyright: basic, reportMissingImports=false, reportInvalidTypeForm=false, reportFunctionMemberAccess=false
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

import tempfile
from pathlib import Path
from typing import Dict, List

from catalogue import VERSION, sample
from kfp import compiler, components, dsl, kubernetes
from kfp.dsl import Dataset, Input, Output


@dsl.component
def say(text: str) -> str:
    return text


@dsl.component
def join(parts: List[str]) -> str:
    return "+".join(parts)


@dsl.component
def fail(text: str) -> str:
    raise ValueError(text)


@dsl.component
def report(status: dsl.PipelineTaskFinalStatus, wanted: str):
    found = f"{status.state} {status.pipeline_task_name}"
    assert found == wanted, found


@dsl.component
def fail_once(key: str) -> str:
    import os

    path = f"/minio/mlpipeline/attempts/{key}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    attempts = len(open(path).read()) if os.path.exists(path) else 0
    with open(path, "a") as file:
        file.write("x")
    assert attempts, "the first attempt fails"
    return str(attempts)


@dsl.component
def write(text: str, out: Output[Dataset]):
    with open(out.path, "w") as file:
        file.write(text)


@dsl.component
def read(data: Input[Dataset]) -> str:
    with open(data.path) as file:
        return file.read()


@dsl.component
def environment(name: str) -> str:
    import os

    return os.environ.get(name, "absent")


@dsl.pipeline(name="exits-inside")
def exits_inside(text: str):
    with dsl.ExitHandler(report(wanted="FAILED exit-handler-1")):
        fail(text=text)


@sample(state="FAILED")
@dsl.pipeline(name="exits-in-exits")
def exits_in_exits():
    with dsl.ExitHandler(report(wanted="FAILED exit-handler-1"), name="outer"):
        exits_inside(text="failed")


@sample(state="SUCCEEDED")
@dsl.pipeline(name="exit-after-a-loop")
def exit_after_a_loop():
    with dsl.ExitHandler(report(wanted="COMPLETE exit-handler-1")):
        with dsl.ParallelFor(["a", "b"]) as text:
            say(text=text)


@dsl.pipeline(name="attempted")
def attempted(key: str) -> str:
    return fail_once(key=key).output


@sample(outputs={"Output": "1+1"})
@dsl.pipeline(name="retries-in-loops")
def retries_in_loops() -> str:
    with dsl.ParallelFor(["a", "b"]) as letter:
        tried = fail_once(key=f"{letter}-{dsl.PIPELINE_JOB_ID_PLACEHOLDER}").set_retry(2, "0s")
    return join(parts=dsl.Collected(tried.output)).output


@sample(outputs={"Output": "1"})
@dsl.pipeline(name="retry-of-a-pipeline")
def retry_of_a_pipeline() -> str:
    return attempted(key=dsl.PIPELINE_JOB_ID_PLACEHOLDER).set_retry(2, "0s").output


if VERSION >= (2, 4):

    @sample(outputs={"Output": "low+high+high"})
    @dsl.pipeline(name="choices-in-loops")
    def choices_in_loops() -> str:
        with dsl.ParallelFor([1, 20, 30]) as number:
            with dsl.If(number > 10):
                high = write(text="high")
            with dsl.Else():
                low = write(text="low")
            text = read(data=dsl.OneOf(high.outputs["out"], low.outputs["out"]))
        return join(parts=dsl.Collected(text.output)).output

    @sample(outputs={"Output": "inner"})
    @dsl.pipeline(name="choices-in-choices")
    def choices_in_choices(number: int = 5, side: str = "left") -> str:
        with dsl.If(number > 10):
            first = say(text="first")
        with dsl.Elif(number == 5):
            with dsl.If(side == "left"):
                left = say(text="inner")
            with dsl.Else():
                right = say(text="other")
            second = say(text=dsl.OneOf(left.output, right.output))
        with dsl.Else():
            third = say(text="third")
        return dsl.OneOf(first.output, second.output, third.output)


if VERSION >= (2, 15):  # earlier ones name the item of a loop as no input is called

    @dsl.pipeline(name="given-names")
    def given_names(secret: str, claim: str) -> str:
        found = environment(name="WORD")
        kubernetes.use_secret_as_env(found, secret_name=secret, secret_key_to_env={"key": "WORD"})
        kubernetes.mount_pvc(found, pvc_name=claim, mount_path="/data")
        return found.output

    @dsl.component
    def secrets() -> List[Dict[str, str]]:
        return [{"of": "sample-secret"}, {"of": "sample-secret"}]

    @sample(outputs={"Output": "value+value"})
    @dsl.pipeline(name="names-through-pipelines")
    def names_through_pipelines() -> str:
        with dsl.ParallelFor(secrets().output) as secret:
            claim = kubernetes.CreatePVC(pvc_name_suffix="-names", access_modes=["ReadWriteOnce"], size="5Mi")
            found = given_names(secret=secret.of, claim=claim.outputs["name"])
            kubernetes.DeletePVC(pvc_name=claim.outputs["name"]).after(found)
        return join(parts=dsl.Collected(found.output)).output

    @dsl.pipeline(name="compiled-with-a-secret")
    def compiled_with_a_secret() -> str:
        found = environment(name="WORD")
        kubernetes.use_secret_as_env(found, secret_name="sample-secret", secret_key_to_env={"key": "WORD"})
        return found.output

    FILE = str(Path(tempfile.mkdtemp()) / "compiled.yaml")
    compiler.Compiler().compile(compiled_with_a_secret, FILE)
    LOADED = components.load_component_from_file(FILE)

    @sample(outputs={"Output": "value"})
    @dsl.pipeline(name="loaded-pipelines")
    def loaded_pipelines() -> str:
        return LOADED().outputs["Output"]
