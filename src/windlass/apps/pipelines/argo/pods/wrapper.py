"""The shell program around a container's command, which puts input artifacts in place and keeps outputs.

The command runs as a child, so that its outputs can be copied after it has ended, whatever its exit code, which the
wrapper keeps. Signals are passed on. Output files are copied into a folder of the namespace's artifact claim; a command
whose outputs do not fit there has failed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import dirname
from shlex import quote

STATE = "/var/run/argo"
"""Where the pod's own folder of the claim is mounted."""
ARTIFACTS = "/var/run/argo-artifacts"
KEY_FOLDERS = f"{ARTIFACTS}/places"
"""Where the folders of artifacts that name their key are mounted, by the artifact's name."""
PARAMETERS_FOLDER, RESULT_FILE, SCRIPT_FILE, LOG_FILE = "parameters", "result", "script", "main.log"
INPUTS_FOLDER, OUTPUTS_FOLDER = "inputs", "outputs"
"""Folders of the pod's own folder with artifacts that name their stores."""
TEXTS_FOLDER = "texts"
PLACED_PREFIX = ".placed-"
TERMINATION_LOG = "/dev/termination-log"
MAX_TEXT = 96 * 1024
"""Bytes of script and raw artifacts in the command: the kernel limits each argument of a program to 128 KiB."""

# Other failures of a copy, such as a link that leads nowhere, leave the rest of an output whole.
KEEP = f"""keep() {{
said=$(LC_ALL=C "$@" 2>&1) && return
printf '%s\\n' "$said" >&2
case "$said" in *'No space left'*|*'uota exceeded'*|*'put/output error'*)
[ $code != 0 ] || {{ code=64; echo "an output cannot be kept: $said" > {TERMINATION_LOG}; }} 2>/dev/null;;
esac
return 1
}}"""
"""A function of the shell that copies an output. The disk of the claim may be full."""


@dataclass(frozen=True, kw_only=True)
class Files:
    """Files that go into the container before its command, and out of it afterwards."""

    raw: Mapping[str, str] = field(default_factory=dict[str, str])
    """Content of input artifacts, by their path."""
    copied: Mapping[str, str] = field(default_factory=dict[str, str])
    """Where the claim has input artifacts, by their path."""
    optional: frozenset[str] = frozenset()
    """Paths of input artifacts that there may not be."""
    modes: Mapping[str, int] = field(default_factory=dict[str, int])
    recursive_modes: frozenset[str] = frozenset()
    """Paths whose mode is that of all files below them, too."""
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])
    """Paths of output parameters, by name."""
    artifacts: Mapping[str, str] = field(default_factory=dict[str, str])
    """Paths of output artifacts, by name."""
    placed: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """Of output artifacts that name their key: their paths, and where the container sees the key; by name."""
    published: Mapping[str, str] = field(default_factory=dict[str, str])
    """Paths of output artifacts that name their stores, by name."""
    script: str | None = None
    has_result: bool = False
    has_log: bool = False
    """Whether what the command prints is kept as a file."""

    @property
    def stored(self) -> dict[str, str]:
        """Texts that do not fit into the command, by their path in the pod's own folder of the claim."""
        texts = {f"{TEXTS_FOLDER}/{number}": text for number, text in enumerate(self.raw.values())}
        if self.script is not None:
            texts[SCRIPT_FILE] = self.script
        large: dict[str, str] = {}
        left = MAX_TEXT
        for name, text in texts.items():
            size = len(quote(text).encode())
            if size > left:
                large[name] = text
            else:
                left -= size
        return large

    @property
    def needs_claim(self) -> bool:
        if self.stored:
            return True
        kept = self.parameters or self.artifacts or self.placed or self.published
        return bool(self.copied or kept or self.has_result or self.has_log or self.script is not None)

    @property
    def is_needed(self) -> bool:
        return bool(self.raw) or self.needs_claim


def wrapped(command: Sequence[str], files: Files, arguments: Sequence[str] = ()) -> list[str]:
    """The command of the container that does all this. The file of a script comes before its arguments."""
    words = [*command, *([f"{STATE}/{SCRIPT_FILE}"] if files.script is not None else []), *arguments]
    return ["/bin/sh", "-c", program(files), "sh", *words]


def program(files: Files) -> str:
    lines = [*_prologue(files), *_run(files), *_epilogue(files), "exit $code"]
    return "\n".join(lines)


def _prologue(files: Files) -> list[str]:
    lines: list[str] = []
    stored = files.stored
    for number, (path, content) in enumerate(files.raw.items()):
        name = f"{TEXTS_FOLDER}/{number}"
        source = f"cat {STATE}/{name}" if name in stored else f"printf '%s' {quote(content)}"
        lines += [f"mkdir -p {quote(dirname(path))}", f"{source} > {quote(path)} || exit 64"]
    for path, source in files.copied.items():
        # Anything at the path is replaced, as when an image already has a file of that name.
        copy = f"cp -R {quote(source)} {quote(path)} || exit 64"
        lines += [
            f"mkdir -p {quote(dirname(path))}",
            f"rm -rf {quote(path)}",
            f"[ ! -e {quote(source)} ] || {copy}" if path in files.optional else copy,
        ]
    for path, mode in files.modes.items():
        recursively = "-R " if path in files.recursive_modes else ""
        lines.append(f"[ ! -e {quote(path)} ] || chmod {recursively}{mode:o} {quote(path)}")
    if files.script is not None and SCRIPT_FILE not in stored:
        lines.append(f"printf '%s' {quote(files.script)} > {STATE}/{SCRIPT_FILE} || exit 64")
    if files.parameters:
        lines.append(f"mkdir -p {STATE}/{PARAMETERS_FOLDER}")
    if files.published:
        lines.append(f"mkdir -p {STATE}/{OUTPUTS_FOLDER}")
    return lines


def _run(files: Files) -> list[str]:
    """Run the command. `wait` ends early when a signal is passed on, so it is repeated until the child is gone."""
    lines = ["child=", "trap 'kill -TERM $child 2>/dev/null' TERM INT"]
    output, log = f"{STATE}/.stdout", f"{STATE}/.log"
    pipes = [*([output] if files.has_result else []), *([log] if files.has_log else [])]
    for pipe in pipes:
        lines += [f"rm -f {pipe}", f"mkfifo {pipe} || exit 64"]
    # What is printed goes through the pipes to files, and on to where it would have gone.
    if files.has_log:
        lines += [f"tee {STATE}/{LOG_FILE} < {log} &", "logger=$!"]
    if files.has_result:
        # The log is opened before the pipe of the command: else its reader could end when the command closes it first.
        further = f" > {log}" if files.has_log else ""
        lines += [f"tee {STATE}/{RESULT_FILE}{further} < {output} &", "copier=$!"]
    target = f" > {output}" if files.has_result else f" > {log}" if files.has_log else ""
    errors = "" if not files.has_log else f" 2> {log}" if files.has_result else " 2>&1"
    lines += [
        f'"$@"{target}{errors} &',
        "child=$!",
        "wait $child; code=$?",
        "while kill -0 $child 2>/dev/null; do wait $child; code=$?; done",
    ]
    lines += ["wait $copier"] if files.has_result else []
    lines += ["wait $logger"] if files.has_log else []
    return [*lines, *(f"rm -f {pipe}" for pipe in pipes)]


def _epilogue(files: Files) -> list[str]:
    lines: list[str] = []
    for name, path in files.parameters.items():
        lines.append(f"if [ -f {quote(path)} ]; then keep cp {quote(path)} {STATE}/{PARAMETERS_FOLDER}/{name}; fi")
    for name, path in files.artifacts.items():
        target = f"{ARTIFACTS}/outputs/{name}"
        lines.append(f"if [ -e {quote(path)} ]; then rm -rf {target}; keep cp -RL {quote(path)} {target}; fi")
    for name, path in files.published.items():
        target = f"{STATE}/{OUTPUTS_FOLDER}/{name}"
        lines.append(f"if [ -e {quote(path)} ]; then rm -rf {target}; keep cp -RL {quote(path)} {target}; fi")
    for name, (path, place) in files.placed.items():
        # The key may have an object of another pod: the empty file shows that this pod has written its own object.
        copy = f"rm -rf {quote(place)}; keep cp -RL {quote(path)} {quote(place)} && : > {STATE}/{PLACED_PREFIX}{name}"
        lines.append(f"if [ -e {quote(path)} ]; then {copy}; fi")
    return [KEEP, *lines] if lines else []
