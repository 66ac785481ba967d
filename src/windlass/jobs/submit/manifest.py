"""A script as manifests: a ConfigMap with the working folder, and the job that unpacks and runs it. Decides only.

They are plain upstream manifests, so that what `--dry-run` prints can be applied to any cluster that has the operator.
"""

import base64
import re
import shlex
from dataclasses import dataclass
from typing import Any

from windlass.jobs.submit.framework_templates import Role, Shape, Size, Words
from windlass.jobs.submit.packages import Packages

ARCHIVE = "files.tar.gz"
PACKED = "/windlass"
WORKSPACE = "/workspace"
MADE_BY = {"app.kubernetes.io/managed-by": "windlass-run"}
LONGEST_NAME = 40  # leaves room for the longest role and index in a pod's name, of 63 characters
PIP = "python3 -m pip install --quiet --disable-pip-version-check"
RUN = 'exec "$0" "$@"'
ABSENT = (
    "import sys; from importlib.util import find_spec as find; "
    'print(*[p for m, p in (a.split("=") for a in sys.argv[1:]) if "." in m or not find(m)])'
)
"""Prints the packages, of arguments `module=package`, whose modules are absent. Parts of `google` are left to pip."""
SSHD: Words = ("/usr/sbin/sshd", "-De")
"""What the MPI operator has a worker run that says nothing itself."""


@dataclass(frozen=True, kw_only=True)
class Install:
    """What a replica installs before it starts."""

    file: str = ""
    """A requirements.txt, as a path within the archive."""
    requirements: Words = ()
    """As pip takes them."""
    absent: Packages = ()
    """Only where the image lacks the modules."""


NOTHING = Install()


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What is to run. `script` is a path within the archive."""

    name: str
    script: str
    args: Words = ()
    archive: bytes = b""
    size: Size
    image: str = ""
    namespace: str = ""
    install: Install = NOTHING
    cpu: str = ""
    memory: str = ""


def manifests(shape: Shape, wish: Wish) -> list[dict[str, Any]]:
    """The ConfigMap, then the job."""
    return [config_map(wish), job(shape, wish)]


def config_map(wish: Wish) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": _metadata(wish, files_of(wish.name)),
        "binaryData": {ARCHIVE: base64.b64encode(wish.archive).decode()},
    }


def job(shape: Shape, wish: Wish) -> dict[str, Any]:
    roles = shape.roles(wish.size, (wish.script, *wish.args))
    policy: dict[str, Any] = {"cleanPodPolicy": shape.clean(wish.size)}
    if "Launcher" in roles:
        policy["backoffLimit"] = 0  # it is a Job's, which would try six times more
    return {
        "apiVersion": shape.api_version,
        "kind": shape.kind,
        "metadata": _metadata(wish, wish.name),
        "spec": {
            "runPolicy": policy,
            **shape.more(wish.size),
            shape.specs: {
                name: {"replicas": role.count, "restartPolicy": "Never", "template": {"spec": pod(shape, wish, role)}}
                for name, role in roles.items()
            },
        },
    }


def pod(shape: Shape, wish: Wish, role: Role) -> dict[str, Any]:
    """One init container unpacks the folder into the workspace; the image is the same, so it is there already."""
    image = wish.image or (shape.gpu_image if wish.size.gpus and shape.gpu_image else shape.image)
    workspace = {"name": "workspace", "mountPath": WORKSPACE}
    unpack = {
        "name": "files",
        "image": image,
        "command": ["python3", "-m", "tarfile", "-e", f"{PACKED}/{ARCHIVE}", WORKSPACE],
        "volumeMounts": [{"name": "files", "mountPath": PACKED}, workspace],
    }
    main: dict[str, Any] = {"name": shape.container, "image": image, "workingDir": WORKSPACE}
    words = command(role.command, wish.install)
    if words:
        main["command"] = list(words)
    if variables := shape.env(wish.name, wish.size):
        main["env"] = variables
    limits = resources(wish, gpus=wish.size.gpus if role.gpus else 0)
    if limits:
        main["resources"] = {"limits": limits}
    main["volumeMounts"] = [workspace]
    return {
        "initContainers": [unpack],
        "containers": [main],
        "volumes": [
            {"name": "files", "configMap": {"name": files_of(wish.name)}},
            {"name": "workspace", "emptyDir": {}},
        ],
    }


def command(words: Words | None, install: Install) -> Words | None:
    """With something to install, pip comes first, in the pod itself: that works on every cluster."""
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


def resources(wish: Wish, *, gpus: int) -> dict[str, str]:
    limits = {"cpu": wish.cpu, "memory": wish.memory, "nvidia.com/gpu": str(gpus) if gpus else ""}
    return {name: value for name, value in limits.items() if value}


def files_of(name: str) -> str:
    """The name of the ConfigMap that holds a job's files."""
    return f"{name}-files"


def name_for(script: str) -> str:
    """A DNS label from a file's name: train_MNIST.py is train-mnist."""
    stem = script.rpartition("/")[2].removesuffix(".py").lower()
    label = re.sub(r"[^a-z0-9]+", "-", stem).strip("-")[:LONGEST_NAME].rstrip("-")
    if not label:
        return "job"
    return label if label[0].isalpha() else f"job-{label}"


def _metadata(wish: Wish, name: str) -> dict[str, Any]:
    where = {"namespace": wish.namespace} if wish.namespace else {}
    return {"name": name, **where, "labels": dict(MADE_BY)}
