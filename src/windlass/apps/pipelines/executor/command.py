"""The command of a task's container, with what Kubeflow's launcher would do around it.

Nothing is added to most commands. A shell around them waits where `set_debug_pause` asks for it, copies artifacts that
a Python component wrote to a path of its own (`artifact.set_path`) to where they belong, and gives Python components
the artifacts in Azure.
"""

from dataclasses import dataclass

from windlass.apps.pipelines.artifacts.uris import MOUNTS, mount_of
from windlass.apps.pipelines.executor.context import Json, TaskContext
from windlass.apps.pipelines.executor.executor_input import task_root
from windlass.apps.pipelines.executor.placeholders import Scope, escaped_dollars, resolve_arguments
from windlass.apps.pipelines.executor.platform.fields import items
from windlass.apps.pipelines.executor.values import section

EXECUTOR = "kfp.dsl.executor_main"
PAUSES_PATH = "/var/run/argo/ctr/main"
"""A container that pauses continues once the file `before` or `after` exists here, as with Argo."""
PAUSES = ("ARGO_DEBUG_PAUSE_BEFORE", "ARGO_DEBUG_PAUSE_AFTER", "ARGO_DEBUG_PAUSE_ON_ERROR")

WAIT = "until [ -e {path}/{name} ]; do sleep 1; done"
LINK_AZURE = f"[ -e az: ] || ln -s {MOUNTS['az']} az:"
"""The SDK of kfp has no folder for az://: the path of an artifact is its URI, which is a relative one below `az:`."""
COPY = r"""
import json, os, shutil, sys
roots = {"az://": "/az/", "gs://": "/gcs/", "minio://": "/minio/", "s3://": "/s3/"}
with open(sys.argv[1]) as file:
    outputs = json.load(file).get("artifacts", {})
for artifact in (one for many in outputs.values() for one in many["artifacts"]):
    scheme = next((one for one in roots if artifact.get("uri", "").startswith(one)), None)
    source = artifact.get("custom_path")
    if not source or not scheme or not os.path.exists(source):
        continue
    target = roots[scheme] + artifact["uri"][len(scheme):].partition("?")[0]
    if os.path.realpath(source) == os.path.realpath(target):
        continue
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.isdir(source):
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        shutil.copyfile(source, target)
"""


@dataclass(frozen=True, kw_only=True)
class Command:
    command: list[str]
    args: list[str]
    pauses: bool = False
    """Whether the container waits for files in PAUSES_PATH."""


def task_command(context: TaskContext, scope: Scope) -> Command:
    """Return command and arguments with their placeholders replaced."""
    container = section(context.executor, "container")
    command = resolve_arguments(container.get("command") or [], scope, escaped_dollars)
    args = resolve_arguments(container.get("args") or [], scope, escaped_dollars)
    before, after, on_error = (_is_set(container, name) for name in PAUSES)
    copies, links = _may_set_paths([*command, *args]), _needs_link(context, [*command, *args])
    if not command or not (before or after or on_error or copies or links):
        return Command(command=command, args=args)
    lines = [WAIT.format(path=PAUSES_PATH, name="before")] if before else []
    lines += [LINK_AZURE] if links else []
    lines += ['"$@"', "code=$?"]
    if copies:
        lines.append(f'[ $code != 0 ] || ! grep -q custom_path "$0" || python3 -c \'{COPY}\' "$0" || code=$?')
    if after or on_error:
        condition = "" if after else "[ $code = 0 ] || "
        lines.append(condition + WAIT.format(path=PAUSES_PATH, name="after"))
    script = "\n".join([*lines, "exit $code"])
    output_file = escaped_dollars(str(section(scope.executor_input, "outputs").get("outputFile") or ""))
    return Command(command=["sh", "-c", script, output_file, *command], args=args, pauses=before or after or on_error)


def _may_set_paths(words: list[str]) -> bool:
    """Whether a Python component may write artifacts to paths of its own; its source is mostly in the command."""
    if not any(EXECUTOR in word for word in words):
        return False
    has_source = any("ephemeral_component.py" in word for word in words)
    return not has_source or any("set_path" in word or "custom_path" in word for word in words)


def _needs_link(context: TaskContext, words: list[str]) -> bool:
    """Whether a Python component reads or writes artifacts in Azure."""
    uris = [task_root(context), *(artifact.uri for many in context.artifacts.values() for artifact in many)]
    return any(EXECUTOR in word for word in words) and any(mount_of(uri) == MOUNTS["az"] for uri in uris)


def _is_set(container: Json, name: str) -> bool:
    return any(item.get("name") == name and item.get("value") == "true" for _, item in items(container, "env"))
