"""Admission of PVCViewers: a file browser where no pod is given, and a pod that has the volume."""

from pathlib import Path

from windlass.apis.admission import Facts, Mutation, Request, Rule, Validation, Verdict, default_path, refused
from windlass.apis.images import FILE_BROWSER
from windlass.apis.options import BadOption
from windlass.apps.volumes.kinds import PVCViewer
from windlass.apps.volumes.names import CONTAINER, PORT, ROOT, VOLUME
from windlass.apps.volumes.options import POD_SPEC_VARIABLE, Options
from windlass.kube.json import Object, dig, dig_list, dig_object, is_object
from windlass.kube.kind import KINDS

FS_GROUP = 100
"""The group of notebooks' home volumes: a viewer writes to them, too."""


_configured: Object = {}


def use_pod_spec(spec: Object) -> None:
    """Have viewers without a pod get this one, instead of the built-in file browser; for the start of a process."""
    _configured.clear()
    _configured.update(spec)


def use_options(options: Options) -> None:
    """Use the pod in the file of the options, if they name one. Raises BadOption for a file without a PodSpec."""
    if not options.pod_spec_file:
        return
    from windlass.formats import yaml_reader

    try:
        spec: object = yaml_reader.read(Path(options.pod_spec_file).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml_reader.BadYaml) as error:
        raise BadOption(f"{POD_SPEC_VARIABLE}: {options.pod_spec_file} cannot be read: {error}") from error
    if not is_object(spec) or not dig_list(spec, "containers"):
        raise BadOption(f"{POD_SPEC_VARIABLE}: {options.pod_spec_file} is not a PodSpec with containers")
    use_pod_spec(spec)


def default_pod_spec(claim: str) -> Object:
    """The pod of a viewer that names none. The volume is added, so that a configured pod need not know the claim."""
    volume = {"name": VOLUME, "persistentVolumeClaim": {"claimName": claim}}
    if _configured:
        others = [each for each in dig_list(_configured, "volumes") if each.get("name") != VOLUME]
        return {**_configured, "volumes": [*others, volume]}
    return {
        "containers": [
            {
                "name": CONTAINER,
                "image": FILE_BROWSER,
                "ports": [{"containerPort": PORT, "protocol": "TCP"}],
                "volumeMounts": [{"name": VOLUME, "mountPath": ROOT}],
                "workingDir": ROOT,
            }
        ],
        "securityContext": {"fsGroup": FS_GROUP},
        "volumes": [volume],
    }


def with_defaults(viewer: Object) -> Object:
    """Return the viewer with a file browser, unless it names a pod or no volume."""
    spec = dig_object(viewer, "spec")
    claim = spec.get("pvc")
    if spec.get("podSpec") or not isinstance(claim, str) or not claim:
        return viewer
    return {**viewer, "spec": {**spec, "podSpec": default_pod_spec(claim)}}


def problems(viewer: Object) -> list[str]:
    """Why a viewer is refused."""
    claim, pod = dig(viewer, "spec", "pvc"), dig_object(viewer, "spec", "podSpec")
    if not claim:
        return ["spec.pvc: Required value: the PersistentVolumeClaim to show"]
    if not pod:
        return ["spec.podSpec: Required value"]
    claims = [dig(volume, "persistentVolumeClaim", "claimName") for volume in dig_list(pod, "volumes")]
    if claim not in claims:
        return [f'spec.podSpec.volumes: Invalid value: the PersistentVolumeClaim "{claim}" is not among them']
    return []


def _mutate(request: Request, facts: Facts) -> Object:
    return with_defaults(request.obj or {})


def _validate(request: Request, facts: Facts) -> Verdict:
    return Verdict() if request.keeps_spec else refused("; ".join(problems(request.obj or {})))


_KIND = KINDS.of(PVCViewer)
RULES: tuple[Rule, ...] = (
    Mutation(
        kind=_KIND,
        name="mpvcviewer.kb.io",
        path=default_path("mutate", _KIND),
        configuration="pvcviewer-mutating-webhook-configuration",
        mutate=_mutate,
    ),
    Validation(
        kind=_KIND,
        name="vpvcviewer.kb.io",
        path=default_path("validate", _KIND),
        configuration="pvcviewer-validating-webhook-configuration",
        validate=_validate,
    ),
)
