"""Derives what a runtime needs (identity, limits, devices) from a container of a manifest. Pure."""

from collections.abc import Mapping, Sequence

from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.quantity import Quantity
from windlass.node.images.image import Image
from windlass.node.lifecycle.qos import oom_score_adj
from windlass.node.runtimes.base import ContainerSpec, Limits, Mount


class BadSecurityContext(Exception):
    """The security context contradicts itself or the image; reported as CreateContainerConfigError."""


def container_spec(
    pod: Object,
    container: Object,
    image: Image,
    *,
    attempt: int,
    spec_hash: str,
    argv: Sequence[str],
    environment: Mapping[str, str],
    mounts: Sequence[Mount],
    devices: Sequence[str] = (),
    node_memory: int = 0,
    seccomp_profile: str = "",
    seccomp_filter: bytes = b"",
) -> ContainerSpec:
    """Build the runtime's specification of a container. Raises BadSecurityContext."""
    user, group = _identity(pod, container, image)
    pod_context = dig_object(pod, "spec", "securityContext")
    context = dig_object(container, "securityContext")
    fs_group = pod_context.get("fsGroup")
    supplemental = {*dig_list(pod_context, "supplementalGroups"), *([] if fs_group is None else [fs_group])}
    return ContainerSpec(
        name=str(container["name"]),
        attempt=attempt,
        argv=tuple(argv),
        environment={"HOME": "/" if user else "/root", **environment},
        working_dir=str(container.get("workingDir") or image.working_dir or "/"),
        mounts=(*_files(image, mounts), *mounts),
        prefixes=image.prefixes,
        user=user,
        group=group,
        groups=tuple(sorted(int(each) for each in supplemental)),
        read_only_root=bool(context.get("readOnlyRootFilesystem")),
        no_new_privileges=context.get("allowPrivilegeEscalation") is False,
        seccomp_profile=seccomp_profile,
        seccomp_filter=seccomp_filter,
        drop_capabilities=tuple(str(each) for each in dig_list(context, "capabilities", "drop")),
        stdin=bool(container.get("stdin")),
        stdin_once=bool(container.get("stdinOnce")),
        tty=bool(container.get("tty")),
        limits=limits(pod, container, node_memory),
        devices=tuple(devices),
        termination_message_path=str(container.get("terminationMessagePath") or "/dev/termination-log"),
        stop_signal=str(dig(container, "lifecycle", "stopSignal") or "SIGTERM"),
        spec_hash=spec_hash,
        share_processes_with=str(container.get("targetContainerName") or ""),
        image=image.reference,
        user_of_image=user is not None and security_setting(pod, container, "runAsUser") is None,
    )


def _files(image: Image, mounts: Sequence[Mount]) -> list[Mount]:
    """Return the image's files, without those over which the pod mounts something."""
    taken = {mount.target.rstrip("/") for mount in mounts}
    files = ((target, source) for target, source in image.files.items() if target not in taken)
    return [Mount(source, target, read_only=True, of_image=True) for target, source in files]


def limits(pod: Object, container: Object, node_memory: int) -> Limits:
    """Return the limits of a container; the pod's limits apply where it has none. A limit of 0 is no limit."""
    given = {**dig_object(pod, "spec", "resources", "limits"), **dig_object(container, "resources", "limits")}
    requested = dig_object(container, "resources", "requests")
    return Limits(
        cpu_millis=Quantity.parse(given.get("cpu", 0)).milli() or None,
        memory=Quantity.parse(given.get("memory", 0)).value() or None,
        cpu_request_millis=Quantity.parse(requested.get("cpu", 0)).milli(),
        oom_score_adj=oom_score_adj(pod, container, node_memory),
    )


def security_setting(pod: Object, container: Object, field: str) -> int | None:
    """Return a field of the container's security context, or else of the pod's."""
    found = dig(container, "securityContext", field)
    return dig(pod, "spec", "securityContext", field) if found is None else found


def _identity(pod: Object, container: Object, image: Image) -> tuple[int | None, int | None]:
    user = security_setting(pod, container, "runAsUser")
    user = image.user if user is None else user
    not_root = dig(container, "securityContext", "runAsNonRoot")
    not_root = dig(pod, "spec", "securityContext", "runAsNonRoot") if not_root is None else not_root
    if not_root and not user:
        why = "container has runAsNonRoot and image will run as root"
        if security_setting(pod, container, "runAsUser") == 0:
            why = "container's runAsUser breaks non-root policy"
        meta = dig_object(pod, "metadata")
        pod_name = f"{meta.get('name')}_{meta.get('namespace')}({meta.get('uid')})"
        raise BadSecurityContext(f'{why} (pod: "{pod_name}", container: {container["name"]})')
    return user, security_setting(pod, container, "runAsGroup")
