"""Samples that fail, retry, and clean up."""

# pyright: basic, reportMissingImports=false, reportInvalidTypeForm=false, reportFunctionMemberAccess=false
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from catalogue import VERSION, sample
from kfp import components, dsl


@dsl.component
def say(text: str) -> str:
    print(text)
    return text


@dsl.component
def fail(text: str) -> str:
    import sys

    print(text)
    sys.exit(1)


@dsl.component
def report(who: str, status: dsl.PipelineTaskFinalStatus, wanted: str = "COMPLETE"):
    assert status.state == wanted, status
    assert who == "me" and status.pipeline_task_name.startswith("exit-handler-"), status
    assert status.pipeline_job_resource_name


REPORT = components.load_component_from_text("""
name: report-in-a-shell
inputs:
- {name: who, type: String}
- {name: status, type: PipelineTaskFinalStatus}
implementation:
  container:
    image: python:3.9
    command: [python3, -c, 'import json, sys; assert json.loads(sys.argv[2])["state"] == "FAILED", sys.argv']
    args: [{inputValue: who}, {inputValue: status}]
""")


@sample(state="FAILED")
@dsl.pipeline(name="exit-handler")
def exit_handler(text: str = "Hello"):
    with dsl.ExitHandler(say(text="exit"), name="my-handler"):
        say(text=text)
        fail(text="failed")


@sample(state="FAILED")
@dsl.pipeline(name="several-exit-handlers")
def several_exit_handlers():
    with dsl.ExitHandler(say(text="first")):
        say(text="a")
        fail(text="failed")
    with dsl.ExitHandler(say(text="second")):
        say(text="b")
    with dsl.ExitHandler(say(text="third")):
        say(text="c")


@sample(state="SUCCEEDED")
@dsl.pipeline(name="final-status")
def final_status():
    with dsl.ExitHandler(report(who="me")):
        say(text="fine")


@sample(state="FAILED")
@dsl.pipeline(name="final-status-of-a-failure")
def final_status_of_a_failure():
    with dsl.ExitHandler(REPORT(who="me")):
        fail(text="failed")


@dsl.pipeline(name="cleanup-without-status")
def cleanup_without_status(text: str = "clean"):
    say(text=text)
    with dsl.ParallelFor(["a", "b"]) as item:
        say(text=item)


@sample(state="SUCCEEDED")
@dsl.pipeline(name="pipeline-as-exit-task")
def pipeline_as_exit_task():
    with dsl.ExitHandler(cleanup_without_status(text="bye")):
        with dsl.ParallelFor(["a", "b"]) as item:
            say(text=item)


@sample(state="FAILED")
@dsl.pipeline(name="failure-ignored-downstream")
def failure_ignored_downstream(text: str = "message"):
    failing = fail(text="failed")
    clean = say(text=text)
    clean.after(failing) if VERSION < (2, 2) else clean.after(failing).ignore_upstream_failure()


@sample(state="FAILED")
@dsl.pipeline(name="one-fails")
def one_fails():
    say(text="never").after(fail(text="failed"))


@dsl.component
def succeed_on_retry() -> int:
    import os

    attempt = int(os.environ.get("KFP_RETRY_INDEX", "0"))
    assert attempt >= 1
    return attempt


@sample(outputs={"Output": 1})
@dsl.pipeline(name="retry")
def retry() -> int:
    return (
        succeed_on_retry()
        .set_retry(num_retries=2, backoff_duration="1s", backoff_factor=2, backoff_max_duration="3600s")
        .output
    )


@sample(state="FAILED")
@dsl.pipeline(name="retry-in-vain")
def retry_in_vain():
    fail(text="failed").set_retry(num_retries=1)
