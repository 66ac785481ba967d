"""A story with kfp's own program: everything that `kfp` does with a server, in the order in which a person would.

python kfp2_cli_stories.py HOST TOKEN NAMESPACE
"""

import json
import os
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

from kfp.cli.__main__ import main  # pyright: ignore[reportMissingImports] - in the environment of the SDK

SOURCE = """
from kfp import dsl

@dsl.component(base_image="python:3.11")
def greet(name: str, times: int) -> str:
    return f"hello {name}" * times

@dsl.pipeline(name="cli")
def cli(name: str = "nobody", times: int = 1) -> str:
    return greet(name=name, times=times).output
"""


class Cli:
    def __init__(self, host: str, token: str, namespace: str) -> None:
        self._words = ["--endpoint", host, "--existing-token", token, "--namespace", namespace, "--output", "json"]
        self.failures: list[str] = []

    def __call__(self, *words: str, answer: str = "") -> Any:
        """What a command answers: JSON from the first brace, or the text."""
        done = execute([*self._words, *words], answer)
        if done.returncode:
            self.failures.append(f"{' '.join(words)}: {done.stdout[-300:]}{done.stderr[-300:]}")
        start = min((done.stdout.find(sign) for sign in "[{" if sign in done.stdout), default=-1)
        try:
            return json.JSONDecoder().raw_decode(done.stdout[start:])[0] if start >= 0 else done.stdout
        except ValueError:
            return done.stdout


def execute(words: list[str], answer: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command of the program in a fork: to import kfp takes longer than any command."""
    with (
        tempfile.TemporaryFile("w+") as given,
        tempfile.TemporaryFile("w+") as out,
        tempfile.TemporaryFile("w+") as err,
    ):
        given.write(answer)
        given.seek(0)
        pid = os.fork()
        if pid == 0:
            for number, stream in enumerate((given, out, err)):
                os.dup2(stream.fileno(), number)
            os._exit(run_program(words))
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(words, code, out.read(), err.read())


def run_program(words: list[str]) -> int:
    sys.argv = ["kfp", *words]
    code = 0
    try:
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - a fork must not continue as its parent
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def tell(kfp: Cli, folder: Path) -> dict[str, Any]:
    source, package = folder / "cli.py", folder / "cli.yaml"
    source.write_text(SOURCE)
    done = execute(["dsl", "compile", "--py", str(source), "--output", str(package), "--function", "cli"])
    assert done.returncode == 0, done.stderr

    pipeline = kfp("pipeline", "create", "-p", "cli", "-d", "made by the program", str(package))["pipeline_id"]
    version = kfp("pipeline", "create-version", "-p", pipeline, "-v", "second", str(package))["pipeline_version_id"]
    experiment = kfp("experiment", "create", "-d", "of the program", "cli")["experiment_id"]
    found: dict[str, Any] = {
        "pipeline": kfp("pipeline", "get", pipeline)["description"],
        "version": kfp("pipeline", "get-version", pipeline, version)["display_name"],
        "versions": names(kfp("pipeline", "list-versions", pipeline, "--sort-by", "created_at desc")),
        "listed": names(kfp("pipeline", "list", "-m", "100", "--filter", equals("display_name", "cli"))),
        "experiments": names(kfp("experiment", "list", "-m", "100")),
        "experiment": kfp("experiment", "get", experiment)["display_name"],
    }
    words = ("-r", "of a version", "-p", pipeline, "-v", version, "-w", "name=x", "times=2")
    first = kfp("run", "create", "-e", "cli", *words)["run_id"]
    found["ended"] = kfp("run", "create", "-e", "cli", "-r", "of a package", "-f", str(package), "-t", "60")["state"]
    kfp("run", "create", "-e", "cli", "-r", "of a name", "-n", "cli", "-v", version)
    found["runs listed"] = sorted(names(kfp("run", "list", "-e", experiment)))
    run = kfp("run", "get", first)
    found["run"] = {"state": run["state"], **run["runtime_config"]["parameters"]}
    found["archived"] = kfp("run", "archive", first)["storage_state"]
    found["available"] = kfp("run", "unarchive", first)["storage_state"]
    kfp("run", "archive", first)
    kfp("run", "delete", first, answer="y\n")

    words = ("--job-name", "yearly", "--experiment-id", experiment, "--cron-expression", "0 0 9 1 1 *", "--no-catchup")
    yearly = kfp("recurring-run", "create", *words, "--pipeline-id", pipeline, "--version-id", version, "name=y")
    words = ("--job-name", "hourly", "--experiment-name", "cli", "--interval-second", "3600")
    kfp("recurring-run", "create", *words, "--pipeline-id", pipeline, "--version-id", version)
    found["recurring"] = sorted(names(kfp("recurring-run", "list", "-e", experiment)))
    schedule = yearly["recurring_run_id"]
    found["schedule"] = kfp("recurring-run", "get", schedule)["trigger"]["cron_schedule"]["cron"]
    kfp("recurring-run", "disable", schedule)
    found["disabled"] = kfp("recurring-run", "get", schedule)["status"]
    kfp("recurring-run", "enable", schedule)
    found["enabled"] = kfp("recurring-run", "get", schedule)["status"]
    kfp("recurring-run", "delete", schedule, answer="y\n")

    kfp("experiment", "archive", "--experiment-id", experiment)
    kfp("experiment", "unarchive", "--experiment-id", experiment)
    kfp("pipeline", "delete-version", pipeline, version, answer="y\n")
    kfp("experiment", "delete", experiment, answer="y\n")
    found["versions left"] = names(kfp("pipeline", "list-versions", pipeline))
    found["experiments left"] = names(kfp("experiment", "list", "-m", "100"))
    found["failures"] = kfp.failures
    return found


def names(listed: list[dict[str, Any]]) -> list[str]:
    return [one["display_name"] for one in listed]


def equals(key: str, value: str) -> str:
    return json.dumps({"predicates": [{"operation": 1, "key": key, "stringValue": value}]})


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(tell(Cli(*sys.argv[1:4]), Path(folder))))
