"""containerSet templates: containers of one pod, each of which starts when those that it depends on have succeeded."""

from collections.abc import Callable, Sequence
from shlex import quote

from windlass.apps.pipelines.argo.times import seconds_of
from windlass.kube.json import Object, dig_list, dig_object

FOLDER, VOLUME = "/var/run/argo-set", "argo-set"
"""Where each container leaves its exit code for the others."""
DEPENDENCY_FAILED = 64


def ordered_containers(template: Object, wrap_main: Callable[[Object], Object]) -> list[Object]:
    """The containers of the set, with their order. Raises ValueError for one without a command.

    `wrap_main` adds the template's files to the container `main`.
    """
    given: list[Object] = dig_list(template, "containerSet", "containers")
    shared = dig_list(template, "containerSet", "volumeMounts")
    retries, pause = _retries(dig_object(template, "containerSet", "retryStrategy"))
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
        ordered = ["/bin/sh", "-c", program(name, needs, retries, pause), "sh", *command]
        rest = {field: value for field, value in whole.items() if field != "args"}
        made.append({**rest, "command": ordered, "volumeMounts": mounts})
    return made


def _retries(strategy: Object) -> tuple[int, float]:
    """How often a container that fails is started again, and the seconds before that. Raises ValueError."""
    if not strategy:
        return 0, 0.0
    retries = str(strategy.get("retries") or 0)
    if not retries.isdecimal():
        raise ValueError(f"containerSet.retryStrategy.retries: {retries!r} is not a number")
    try:
        return int(retries), seconds_of(strategy.get("duration") or 0)
    except ValueError as error:
        raise ValueError(f"containerSet.retryStrategy.duration: {error}") from None


def program(name: str, needs: Sequence[str], retries: int = 0, pause: float = 0.0) -> str:
    """Wait for the others, run the command, leave its exit code. Names are those of containers: no shell syntax.

    A command that fails is run again, unless the container has to end.
    """
    own = quote(f"{FOLDER}/{name}")
    lines = [f"leave() {{ echo $1 > {own}.new; mv {own}.new {own}; exit $1; }}"]
    for need in needs:
        file = quote(f"{FOLDER}/{need}")
        lines += [
            f"while [ ! -f {file} ]; do sleep 0.1; done",
            f'[ "$(cat {file})" = 0 ] || {{ echo "container {need} failed" >&2; leave {DEPENDENCY_FAILED}; }}',
        ]
    run = [
        '"$@" &',
        "child=$!",
        '[ -z "$ended" ] || kill -TERM $child 2>/dev/null',  # the signal came before the child was known
        "wait $child; code=$?",
        "while kill -0 $child 2>/dev/null; do wait $child; code=$?; done",
    ]
    lines += ["child= ended=", "trap 'ended=1; kill -TERM $child 2>/dev/null' TERM INT", *run]
    if retries:
        lines += [
            f"left={retries}",
            'while [ $code != 0 ] && [ $left -gt 0 ] && [ -z "$ended" ]; do',
            "left=$((left - 1))",
            f"sleep {pause:g} & child=$!; wait $child",
            '[ -z "$ended" ] || break',
            *run,
            "done",
        ]
    return "\n".join([*lines, "leave $code"])


def volumes() -> list[Object]:
    return [{"name": VOLUME, "emptyDir": {}}]
