"""containerSet templates: containers of one pod, each of which starts when those that it depends on have succeeded."""

from collections.abc import Callable, Sequence
from shlex import quote

from windlass.kube.json import Object, dig_list

FOLDER, VOLUME = "/var/run/argo-set", "argo-set"
"""Where each container leaves its exit code for the others."""
DEPENDENCY_FAILED = 64


def ordered_containers(template: Object, wrap_main: Callable[[Object], Object]) -> list[Object]:
    """The containers of the set, with their order. Raises ValueError for one without a command.

    `wrap_main` adds the template's files to the container `main`.
    """
    given: list[Object] = dig_list(template, "containerSet", "containers")
    shared = dig_list(template, "containerSet", "volumeMounts")
    made: list[Object] = []
    for index, container in enumerate(given):
        name = str(container["name"])
        needs = [str(need) for need in dig_list(container, "dependencies")]
        plain = {field: value for field, value in container.items() if field != "dependencies"}
        plain["volumeMounts"] = [*dig_list(plain, "volumeMounts"), *shared]
        whole = wrap_main(plain) if name == "main" else plain
        command = [str(word) for word in (*dig_list(whole, "command"), *dig_list(whole, "args"))]
        if not dig_list(whole, "command"):
            raise ValueError(f"containerSet.containers[{index}].command: required, to start the containers in order")
        mounts = [*dig_list(whole, "volumeMounts"), {"name": VOLUME, "mountPath": FOLDER}]
        ordered = ["/bin/sh", "-c", program(name, needs), "sh", *command]
        rest = {field: value for field, value in whole.items() if field != "args"}
        made.append({**rest, "command": ordered, "volumeMounts": mounts})
    return made


def program(name: str, needs: Sequence[str]) -> str:
    """Wait for the others, run the command, leave its exit code. Names are those of containers: no shell syntax."""
    own = quote(f"{FOLDER}/{name}")
    lines = [f"leave() {{ echo $1 > {own}.new; mv {own}.new {own}; exit $1; }}"]
    for need in needs:
        file = quote(f"{FOLDER}/{need}")
        lines += [
            f"while [ ! -f {file} ]; do sleep 0.1; done",
            f'[ "$(cat {file})" = 0 ] || {{ echo "container {need} failed" >&2; leave {DEPENDENCY_FAILED}; }}',
        ]
    lines += [
        "child=",
        "trap 'kill -TERM $child 2>/dev/null' TERM INT",
        '"$@" &',
        "child=$!",
        "wait $child; code=$?",
        "while kill -0 $child 2>/dev/null; do wait $child; code=$?; done",
        "leave $code",
    ]
    return "\n".join(lines)


def volumes() -> list[Object]:
    return [{"name": VOLUME, "emptyDir": {}}]
