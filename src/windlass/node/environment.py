"""Builds a container's environment and command line as kubelet does.

Later values win: the image's, then services, then `envFrom` in order, then `env` in order. `$(VAR)` in `env` expands to
services, `envFrom` and preceding `env` entries; in command and args, to everything but the image's own variables. The
given pod must have its addresses in `status`, where a container may refer to them.
"""

import asyncio
import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from windlass.apis.images import IMAGE_PROGRAM
from windlass.kube.errors import ApiError
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.names import env_name_errors
from windlass.node.field_paths import BadField, field_value, needs_allocatable, resource_value
from windlass.node.hostname import hostname
from windlass.node.service_links import service_links

USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

Warn = Callable[[str, str], None]
"""Records a Warning event with a reason and a message."""


class ConfigError(Exception):
    """The container's configuration cannot be satisfied; `reason` becomes its waiting reason."""

    reason = "CreateContainerConfigError"


class NoCommand(ConfigError):
    reason = "CreateContainerError"


class ImageProgram(Protocol):
    """What an image runs."""

    @property
    def entrypoint(self) -> tuple[str, ...]: ...
    @property
    def command(self) -> tuple[str, ...]: ...
    @property
    def needs_command(self) -> bool: ...
    @property
    def remedy(self) -> str: ...


class ImageDefaults(ImageProgram, Protocol):
    """The properties of an image that affect the environment."""

    @property
    def path(self) -> tuple[str, ...]: ...
    @property
    def environment(self) -> dict[str, str]: ...


class ObjectReader(Protocol):
    """The part of `Sources` that environments need."""

    async def config_map(self, namespace: str, name: str) -> Object | None: ...
    async def secret(self, namespace: str, name: str) -> Object | None: ...
    async def services(self, namespace: str) -> list[Object]: ...
    async def allocatable(self) -> Object: ...


class Environment(dict[str, str]):
    """All variables; `declared` are those to which `$(VAR)` may refer."""

    def __init__(self, beneath: Mapping[str, str], declared: Mapping[str, str]) -> None:
        super().__init__({**beneath, **declared})
        self.declared = dict(declared)


class ReferencedObjects(Struct, frozen=True):
    """The objects that a container refers to, by name; None where an object does not exist."""

    config_maps: dict[str, Object | None] = {}
    secrets: dict[str, Object | None] = {}
    services: list[Object] = []
    allocatable: Object = {}


async def environment(
    pod: Object, container: Object, sources: ObjectReader, image: ImageDefaults, *, warn: Warn | None = None
) -> Environment:
    """Return a container's variables.

    Raises ConfigError. `warn` reports skipped keys that are not valid variable names.
    """
    try:
        known = await _read(pod, container, sources)
        values = declared(pod, container, known, warn or (lambda _reason, _message: None))
    except ApiError as error:
        raise ConfigError(error.message) from error
    except BadField as error:
        raise ConfigError(str(error)) from error
    return with_image(pod, container, values, image)


def with_image(pod: Object, container: Object, values: dict[str, str], image: ImageDefaults) -> Environment:
    """Overlay `values` on the image's and the runtime's variables.

    The image's programs stay on the PATH whatever PATH says.
    """
    beneath = {"HOSTNAME": hostname(pod), "PATH": USUAL_PATH}
    if container.get("tty"):
        beneath["TERM"] = "xterm"
    result = Environment({**beneath, **image.environment}, values)
    there = result["PATH"].split(":")
    result["PATH"] = ":".join([folder for folder in image.path if folder not in there] + there)
    return result


async def _read(pod: Object, container: Object, sources: ObjectReader) -> ReferencedObjects:
    namespace = str(dig(pod, "metadata", "namespace"))
    sourced = [dig_object(variable, "valueFrom") for variable in dig_list(container, "env")]
    maps = _names(container, sourced, "configMapRef", "configMapKeyRef")
    secrets = _names(container, sourced, "secretRef", "secretKeyRef")
    resources = [source["resourceFieldRef"] for source in sourced if source.get("resourceFieldRef")]
    unlimited = any(needs_allocatable(pod, container, reference) for reference in resources)
    services, allocatable, found_maps, found_secrets = await asyncio.gather(
        sources.services(namespace),
        sources.allocatable() if unlimited else _nothing(),
        asyncio.gather(*(sources.config_map(namespace, name) for name in maps)),
        asyncio.gather(*(sources.secret(namespace, name) for name in secrets)),
    )
    return ReferencedObjects(
        dict(zip(maps, found_maps, strict=True)), dict(zip(secrets, found_secrets, strict=True)), services, allocatable
    )


async def _nothing() -> Object:
    return {}


def _names(container: Object, sourced: list[Object], whole: str, key: str) -> list[str]:
    references = [dig(source, whole, "name") for source in dig_list(container, "envFrom")]
    references += [dig(source, key, "name") for source in sourced]
    return list(dict.fromkeys(str(name) for name in references if name))


def declared(pod: Object, container: Object, known: ReferencedObjects, warn: Warn) -> dict[str, str]:
    """Return the variables set by the manifest and by services. Pure but for `warn`; raises ConfigError or BadField."""
    namespace = str(dig(pod, "metadata", "namespace"))
    linked = dig(pod, "spec", "enableServiceLinks") is not False
    links = service_links(known.services, namespace, linked=linked)
    values: dict[str, str] = {}
    for source in dig_list(container, "envFrom"):
        values.update(_env_from(source, namespace, known, warn))
    for variable in dig_list(container, "env"):
        if variable.get("value"):
            value = expand_text(variable["value"], {**links, **values})
        elif variable.get("valueFrom"):
            value = _value_from(pod, container, variable, known)
        else:
            value = ""
        if value is not None:
            values[str(variable["name"])] = value
    return {**links, **values}


def _env_from(source: Object, namespace: str, known: ReferencedObjects, warn: Warn) -> dict[str, str]:
    in_secret = bool(source.get("secretRef"))
    reference = dig_object(source, "secretRef" if in_secret else "configMapRef")
    name = str(reference.get("name") or "")
    found = (known.secrets if in_secret else known.config_maps).get(name)
    if found is None:
        if reference.get("optional"):
            return {}
        raise ConfigError(f'{"secret" if in_secret else "configmap"} "{name}" not found')
    prefix, values, skipped = str(source.get("prefix") or ""), dict[str, str](), list[str]()
    for key, value in dig_object(found, "data").items():
        if env_name_errors(prefix + key):
            skipped.append(prefix + key)
        else:
            values[prefix + key] = _text(value) if in_secret else str(value)
    if skipped:
        kind, listed = "secret" if in_secret else "configMap", ", ".join(sorted(skipped))
        warn(
            "InvalidEnvironmentVariableNames",
            f"Keys [{listed}] from the EnvFrom {kind} {namespace}/{name} were skipped since they are considered "
            "invalid environment variable names.",
        )
    return values


def _value_from(pod: Object, container: Object, variable: Object, known: ReferencedObjects) -> str | None:
    source = dig_object(variable, "valueFrom")
    if field := source.get("fieldRef"):
        return field_value(pod, str(field.get("fieldPath")))
    if resource := source.get("resourceFieldRef"):
        return resource_value(pod, container, resource, known.allocatable)
    namespace = str(dig(pod, "metadata", "namespace"))
    if reference := source.get("configMapKeyRef"):
        return _key(known.config_maps, reference, "ConfigMap", namespace)
    if reference := source.get("secretKeyRef"):
        value = _key(known.secrets, reference, "Secret", namespace)
        return None if value is None else _text(value)
    kinds = ", ".join(sorted(source))
    raise ConfigError(f"environment variable {variable.get('name')}: {kinds} is not supported by this node")


def _key(found: dict[str, Object | None], reference: Object, kind: str, namespace: str) -> str | None:
    name, key, optional = str(reference.get("name") or ""), str(reference.get("key")), bool(reference.get("optional"))
    obj = found.get(name)
    if obj is None and not optional:
        raise ConfigError(f'{kind.lower()} "{name}" not found')
    value = dig(obj, "data", key)
    if value is None and not optional:
        raise ConfigError(f"couldn't find key {key} in {kind} {namespace}/{name}")
    return None if value is None else str(value)


def _text(value: str) -> str:
    """Decode a secret's value; bytes that are not UTF-8 reach the process unchanged."""
    try:
        return base64.b64decode(value).decode(errors="surrogateescape")
    except binascii.Error:
        return ""


def expand(argv: Sequence[str], env: Mapping[str, str]) -> tuple[str, ...]:
    """Expand `$(VAR)` in each argument."""
    return tuple(expand_text(word, env) for word in argv)


def expand_text(text: str, env: Mapping[str, str], missing: Callable[[str], None] | None = None) -> str:
    """Replace `$(VAR)` by its value and `$$` by a dollar; unknown names stay and are passed to `missing`."""
    env = env.declared if isinstance(env, Environment) else env
    parts: list[str] = []
    at = 0
    while (dollar := text.find("$", at)) >= 0 and dollar + 1 < len(text):
        parts.append(text[at:dollar])
        following = text[dollar + 1]
        end = text.find(")", dollar) if following == "(" else -1
        if following == "$":
            parts.append("$")
            at = dollar + 2
        elif end < 0:
            parts.append("$" + following)
            at = dollar + 2
        else:
            name = text[dollar + 2 : end]
            if name not in env and missing is not None:
                missing(name)
            parts.append(env.get(name, f"$({name})"))
            at = end + 1
    return "".join(parts) + text[at:]


def argv_of(container: Object, image: ImageProgram, env: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return the command line: the manifest's command and args, expanded, else the image's.

    A command with the word IMAGE_PROGRAM runs the image's program, as it would be without a command, inside another.
    Raises NoCommand, also for args meant for an entrypoint that this machine does not have.
    """
    command, args = dig_list(container, "command"), dig_list(container, "args")
    own = tuple(str(word) for word in command), tuple(str(word) for word in args)
    if env is not None:
        own = expand(own[0], env), expand(own[1], env)
    program = image.entrypoint + (own[1] if args else image.command)
    needs_program = not command or IMAGE_PROGRAM in own[0]
    if not command:
        argv = program
    elif needs_program:
        at = own[0].index(IMAGE_PROGRAM)
        argv = own[0][:at] + program + own[0][at + 1 :]
    else:
        argv = own[0] + own[1]
    if (needs_program and (not program or image.needs_command)) or not argv:
        raise NoCommand(": ".join(part for part in ("no command specified", image.remedy) if part))
    return argv
