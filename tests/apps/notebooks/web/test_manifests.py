"""A notebook that is posted as objects: what can be made, and that the administrator's rules hold for it."""

from copy import deepcopy
from typing import Any

import pytest

from tests.apps.notebooks.web.test_form import IMAGE, NEW, Object, made, with_default
from windlass.apps.notebooks.web.form import BadForm
from windlass.apps.notebooks.web.manifests import made_of
from windlass.apps.notebooks.web.spawner_config import DEFAULTS

WORKSPACE = {"mount": "/home/jovyan", "newPvc": NEW}


def objects(**fields: Any) -> list[Object]:
    """What the form makes, as the form's YAML has it."""
    form = made(workspace=WORKSPACE, **fields)
    return [deepcopy(form.notebook), *deepcopy(form.claims)]


def container(of: list[Object]) -> Object:
    return of[0]["spec"]["template"]["spec"]["containers"][0]


def accepted(of: Any, defaults: Object = DEFAULTS) -> Any:
    return made_of(of, "ml", "ann@example.com", defaults)


def test_everything_that_the_form_cannot_say_is_kept() -> None:
    posted = objects()
    posted[0]["spec"]["template"]["spec"]["hostAliases"] = [{"ip": "10.0.0.1", "hostnames": ["db"]}]
    posted[1]["metadata"]["labels"] = {"team": "vision"}

    taken = accepted(posted)

    assert taken.pod_spec["hostAliases"] == [{"ip": "10.0.0.1", "hostnames": ["db"]}]
    assert [claim["metadata"]["labels"] for claim in taken.claims] == [{"team": "vision"}]
    assert {each["metadata"]["namespace"] for each in (taken.notebook, *taken.claims)} == {"ml"}


def test_the_creator_is_who_asks_whatever_the_text_says() -> None:
    posted = objects()
    posted[0]["metadata"]["annotations"]["notebooks.kubeflow.org/creator"] = "someone@else.example"

    assert accepted(posted).notebook["metadata"]["annotations"]["notebooks.kubeflow.org/creator"] == "ann@example.com"


@pytest.mark.parametrize("version", ["v1", "v1beta1", "v1alpha1"])
def test_any_version_of_a_notebook_will_do(version: str) -> None:
    posted = objects()
    posted[0]["apiVersion"] = f"kubeflow.org/{version}"

    assert accepted(posted).notebook["apiVersion"] == f"kubeflow.org/{version}"


@pytest.mark.parametrize(
    ("posted", "why"),
    [
        ("x", "objects: must be a list"),
        ([None], "objects: must be a list"),
        ([], "one Notebook, but has 0"),
        (objects()[:1] * 2, "one Notebook, but has 2"),
        ([{"apiVersion": "v1", "kind": "Secret"}], r"objects\[0\]: Secret of v1: only a Notebook"),
        ([{"apiVersion": "v1", "kind": "Notebook"}], "only a Notebook"),
        ([{**objects()[0], "metadata": {}}], r"objects\[0\].metadata.name: a value is required"),
        ([{**objects()[0], "metadata": {"name": "a", "namespace": "other"}}], "namespace: must be ml"),
        ([{**objects()[0], "spec": {}}], "containers: a value is required"),
        ([{**objects()[0], "spec": {"template": {"spec": {"containers": [{}], "volumes": [1]}}}}], "volumes: must be"),
    ],
)
def test_what_cannot_be_made_is_named(posted: Any, why: str) -> None:
    with pytest.raises(BadForm, match=why):
        accepted(posted)


def set_in(of: list[Object], path: str, value: Any) -> list[Object]:
    inside: Any = of[0]
    *parents, last = (key.replace("~", "/") for key in path.split("/"))
    for key in parents:
        inside = inside[int(key)] if key.isdigit() else inside.setdefault(key, {})
    inside[last] = value
    return of


CONTAINER = "spec/template/spec/containers/0"
MOUNTS = f"{CONTAINER}/volumeMounts"
NO_GPUS = {"num": "none", "vendor": "", "vendors": [{"limitsKey": "nvidia.com/gpu"}]}


@pytest.mark.parametrize(
    ("name", "value", "path", "changed"),
    [
        ("cpu", "0.5", f"{CONTAINER}/resources/requests/cpu", "8"),
        ("cpu", "0.5", f"{CONTAINER}/resources/limits/cpu", "8"),
        ("memory", "1.0Gi", f"{CONTAINER}/resources/requests/memory", "64Gi"),
        ("gpus", NO_GPUS, f"{CONTAINER}/resources/limits/nvidia.com~gpu", 8),
        ("imagePullPolicy", "IfNotPresent", f"{CONTAINER}/imagePullPolicy", "Always"),
        ("image", IMAGE, f"{CONTAINER}/image", "other:1"),
        ("environment", {}, f"{CONTAINER}/env", [{"name": "A", "value": "1"}]),
        ("affinityConfig", "", "spec/template/spec/affinity", {"nodeAffinity": {}}),
        ("tolerationGroup", "", "spec/template/spec/tolerations", [{"operator": "Exists"}]),
        ("configurations", ["tracking"], "metadata/labels", {"app": "first"}),
        ("workspaceVolume", WORKSPACE, MOUNTS, []),
        ("dataVolumes", [], MOUNTS, [{"mountPath": "/home/jovyan"}, {"mountPath": "/data"}]),
        ("shm", True, MOUNTS, [{"mountPath": "/home/jovyan"}]),
        ("shm", False, MOUNTS, [{"mountPath": "/home/jovyan"}, {"mountPath": "/dev/shm"}]),
    ],
)  # fmt: skip
def test_what_the_administrator_has_fixed_is_fixed_in_objects(name: str, value: Any, path: str, changed: Any) -> None:
    defaults = with_default(name, value=value, readOnly=True)
    posted = set_in(as_configured(name, value), path, changed)

    assert accepted(as_configured(name, value), defaults)
    with pytest.raises(BadForm, match=f"^{name}: is read-only: "):
        accepted(posted, defaults)


def as_configured(name: str, value: Any) -> list[Object]:
    given = {"shm": value} if name == "shm" else {"configurations": value} if name == "configurations" else {}
    return objects(**given)


def test_a_fixed_amount_may_be_written_otherwise() -> None:
    posted = objects()
    container(posted)["resources"]["requests"]["cpu"] = "500m"

    assert accepted(posted, with_default("cpu", readOnly=True))


def test_images_that_are_not_offered_are_refused_where_only_those_are_allowed() -> None:
    defaults = {**with_default("image", options=[IMAGE]), "allowCustomImage": False}
    posted = objects()

    assert accepted(posted, defaults)
    container(posted)["image"] = "mine:1"
    with pytest.raises(BadForm, match="custom images are not allowed"):
        accepted(posted, defaults)


@pytest.mark.parametrize("key", ["containers", "initContainers"])
@pytest.mark.parametrize(
    "defaults",
    [
        {**with_default("image", options=[IMAGE]), "allowCustomImage": False},
        with_default("image", value=IMAGE, readOnly=True),
        with_default("cpu", readOnly=True),
        with_default("memory", readOnly=True),
        with_default("gpus", value=NO_GPUS, readOnly=True),
    ],
)
def test_further_containers_do_not_get_round_what_is_fixed(defaults: Object, key: str) -> None:
    posted = objects()
    assert accepted(posted, defaults)
    spec = posted[0]["spec"]["template"]["spec"]
    spec[key] = [*spec.get(key, []), {"name": "other", "image": "mine:1"}]

    assert accepted(posted)
    with pytest.raises(BadForm, match="must have one container: the configuration fixes "):
        accepted(posted, defaults)
