"""The pod of PVCViewers that name none, from the file of upstream's variable `DEFAULT_POD_SPEC_PATH`."""

from collections.abc import Mapping
from pathlib import Path

from windlass.cli.failure import Failure
from windlass.formats import yaml_reader

VARIABLE = "DEFAULT_POD_SPEC_PATH"


def use_viewer_pod(environment: Mapping[str, str]) -> None:
    """Have this process' admission use the file, where there is one. Raises Failure for a file without a PodSpec."""
    path = environment.get(VARIABLE, "")
    if not path:
        return
    from windlass.apps.volumes.admission import use_pod_spec
    from windlass.kube.json import dig_list, is_object

    try:
        spec: object = yaml_reader.read(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml_reader.BadYaml) as error:
        raise Failure(f"{VARIABLE}: {path} cannot be read: {error}") from error
    if not is_object(spec) or not dig_list(spec, "containers"):
        raise Failure(f"{VARIABLE}: {path} is not a PodSpec with containers")
    use_pod_spec(spec)
