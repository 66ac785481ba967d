"""Turns a script into manifests: a ConfigMap of its files, and the job that unpacks and runs them. Pure.

The manifests are plain upstream ones: the output of `--dry-run` works on any cluster that has the operator.
"""

import base64
import re
import shlex
from dataclasses import dataclass
from typing import Any

from windlass.apis.wellknown import NVIDIA_GPU
from windlass.apps.training.jobs.submit.framework_templates import Argv, FrameworkTemplate, Role, Size
from windlass.apps.training.jobs.submit.packages import Packages

ARCHIVE = "files.tar.gz"
PACKED = "/windlass"
WORKSPACE = "/workspace"
MANAGED_BY_LABELS = {"app.kubernetes.io/managed-by": "windlass-run"}
MAX_NAME_LENGTH = 40  # leaves room for the longest role and index in a pod's name, of 63 characters
PIP = "python3 -m pip install --quiet --disable-pip-version-check"
RUN = 'exec "$0" "$@"'
ABSENT = (
    "import sys; from importlib.util import find_spec as find; "
    'print(*[p for m, p in (a.split("=") for a in sys.argv[1:]) if "." in m or not find(m)])'
)
"""Prints the packages, of arguments `module=package`, whose modules are absent. Parts of `google` are left to pip."""
SSHD: Argv = ("/usr/sbin/sshd", "-De")
"""The command that the MPI operator gives to a worker that has none."""


@dataclass(frozen=True, kw_only=True)
class Install:
    """What a replica installs before it starts."""

    file: str = ""
    """A requirements.txt, as a path within the archive."""
    requirements: Argv = ()
    """In pip's syntax."""
    absent: Packages = ()
    """Installed only if the image lacks the modules."""


NOTHING = Install()


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """What to run. `script` is a path within the archive."""

    name: str
    script: str
    args: Argv = ()
    archive: bytes = b""
    size: Size
    image: str = ""
    namespace: str = ""
    install: Install = NOTHING
    cpu: str = ""
    memory: str = ""


def manifests(template: FrameworkTemplate, request: RunRequest) -> list[dict[str, Any]]:
    """The ConfigMap, then the job."""
    return [config_map(request), job(template, request)]


def config_map(request: RunRequest) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": _metadata(request, files_of(request.name)),
        "binaryData": {ARCHIVE: base64.b64encode(request.archive).decode()},
    }


def job(template: FrameworkTemplate, request: RunRequest) -> dict[str, Any]:
    roles = template.roles(request.size, (request.script, *request.args))
    policy: dict[str, Any] = {"cleanPodPolicy": template.clean(request.size)}
    if "Launcher" in roles:
        policy["backoffLimit"] = 0  # it is a Job's, which would try six times more
    return {
        "apiVersion": template.api_version,
        "kind": template.kind,
        "metadata": _metadata(request, request.name),
        "spec": {
            "runPolicy": policy,
            **template.more(request.size),
            template.specs: {
                name: {
                    "replicas": role.count,
                    "restartPolicy": "Never",
                    "template": {"spec": pod(template, request, role)},
                }
                for name, role in roles.items()
            },
        },
    }


def pod(template: FrameworkTemplate, request: RunRequest, role: Role) -> dict[str, Any]:
    """The spec of a replica's pods: an init container of the same image unpacks the folder into the workspace."""
    image = request.image or (template.gpu_image if request.size.gpus and template.gpu_image else template.image)
    workspace = {"name": "workspace", "mountPath": WORKSPACE}
    unpack = {
        "name": "files",
        "image": image,
        "command": ["python3", "-m", "tarfile", "-e", f"{PACKED}/{ARCHIVE}", WORKSPACE],
        "volumeMounts": [{"name": "files", "mountPath": PACKED}, workspace],
    }
    main: dict[str, Any] = {"name": template.container, "image": image, "workingDir": WORKSPACE}
    words = command(role.command, request.install)
    if words:
        main["command"] = list(words)
    if variables := template.env(request.name, request.size):
        main["env"] = variables
    limits = resources(request, gpus=request.size.gpus if role.gpus else 0)
    if limits:
        main["resources"] = {"limits": limits}
    main["volumeMounts"] = [workspace]
    return {
        "initContainers": [unpack],
        "containers": [main],
        "volumes": [
            {"name": "files", "configMap": {"name": files_of(request.name)}},
            {"name": "workspace", "emptyDir": {}},
        ],
    }


def command(words: Argv | None, install: Install) -> Argv | None:
    """The command, preceded by pip if there is something to install: that works on every cluster."""
    if install == NOTHING:
        return words
    listed = [f"-r {shlex.quote(install.file)}"] if install.file else []
    listed += [shlex.quote(requirement) for requirement in install.requirements]
    steps = [f"{PIP} {' '.join(listed)}"] if listed else []
    if install.absent:
        pairs = " ".join(shlex.quote(f"{module}={package}") for module, package in install.absent)
        steps.append(f"absent=$(python3 -c {shlex.quote(ABSENT)} {pairs})")
        steps.append(f'{{ [ -z "$absent" ] || {{ echo "Installing $absent"; {PIP} $absent; }}; }}')
    return ("sh", "-c", " && ".join([*steps, RUN]), *(words or SSHD))


def resources(request: RunRequest, *, gpus: int) -> dict[str, str]:
    limits = {"cpu": request.cpu, "memory": request.memory, NVIDIA_GPU: str(gpus) if gpus else ""}
    return {name: value for name, value in limits.items() if value}


def files_of(name: str) -> str:
    """The name of the ConfigMap that holds a job's files."""
    return f"{name}-files"


def name_for(script: str) -> str:
    """A DNS label from a file name: train_MNIST.py becomes train-mnist."""
    stem = script.rpartition("/")[2].removesuffix(".py").lower()
    label = re.sub(r"[^a-z0-9]+", "-", stem).strip("-")[:MAX_NAME_LENGTH].rstrip("-")
    if not label:
        return "job"
    return label if label[0].isalpha() else f"job-{label}"


def _metadata(request: RunRequest, name: str) -> dict[str, Any]:
    where = {"namespace": request.namespace} if request.namespace else {}
    return {"name": name, **where, "labels": dict(MANAGED_BY_LABELS)}
