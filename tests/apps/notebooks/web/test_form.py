"""The spawner form becomes a Notebook and its claims, and its rules hold on the server."""

from copy import deepcopy
from typing import Any

import pytest

from windlass.apps.notebooks.web.form import BadForm, Made, notebook_of
from windlass.apps.notebooks.web.spawner_config import DEFAULTS

Object = dict[str, Any]
IMAGE = "kubeflownotebookswg/jupyter-scipy:v1.10.0"
NEW = {"metadata": {"name": "{notebook-name}-workspace"}, "spec": {"accessModes": ["ReadWriteOnce"]}}


def a_form(**fields: Any) -> Object:
    return {
        "name": "first",
        "namespace": "ml",
        "image": IMAGE,
        "imagePullPolicy": "IfNotPresent",
        "serverType": "jupyter",
        "cpu": "0.5",
        "memory": "1.0Gi",
        "gpus": {"num": "none"},
        "tolerationGroup": "",
        "affinityConfig": "",
        "configurations": [],
        "shm": True,
        "datavols": [],
        **fields,
    }


def made(defaults: Object | None = None, **fields: Any) -> Made:
    return notebook_of(a_form(**fields), "ml", "user@example.com", defaults or DEFAULTS)


def pod_spec(form: Made) -> Object:
    return form.notebook["spec"]["template"]["spec"]


def with_default(name: str, **settings: Any) -> Object:
    defaults = deepcopy(DEFAULTS)
    if isinstance(defaults[name], dict):
        defaults[name].update(settings)
    else:
        defaults[name] = settings["value"]
    return defaults


def test_a_plain_form_makes_a_notebook() -> None:
    notebook = made().notebook
    container = notebook["spec"]["template"]["spec"]["containers"][0]

    assert notebook["apiVersion"] == "kubeflow.org/v1beta1"
    assert notebook["metadata"]["labels"] == {"app": "first"}
    assert notebook["metadata"]["annotations"]["notebooks.kubeflow.org/creator"] == "user@example.com"
    assert notebook["spec"]["template"]["spec"]["serviceAccountName"] == "default-editor"
    assert (container["name"], container["image"]) == ("first", IMAGE)
    assert container["resources"] == {
        "requests": {"cpu": "0.5", "memory": "1.0Gi"},
        "limits": {"cpu": "0.6", "memory": "1.2Gi"},
    }
    assert container["volumeMounts"] == [{"name": "dshm", "mountPath": "/dev/shm"}]


def test_a_workspace_is_a_claim_that_is_made_first() -> None:
    form = made(workspace={"mount": "/home/jovyan", "newPvc": NEW})

    assert [claim["metadata"]["name"] for claim in form.claims] == ["first-workspace"]
    assert pod_spec(form)["volumes"][0] == {
        "name": "first-workspace",
        "persistentVolumeClaim": {"claimName": "first-workspace"},
    }
    assert pod_spec(form)["containers"][0]["volumeMounts"][0]["mountPath"] == "/home/jovyan"


def test_configurations_are_labels_and_gpus_are_limits() -> None:
    form = made(configurations=["access-ml-pipeline"], gpus={"num": "2", "vendor": "nvidia.com/gpu"})

    assert form.notebook["metadata"]["labels"]["access-ml-pipeline"] == "true"
    resources = pod_spec(form)["containers"][0]["resources"]
    assert resources["limits"]["nvidia.com/gpu"] == 2
    assert "nvidia.com/gpu" not in resources["requests"]


@pytest.mark.parametrize(
    ("server_type", "annotations"),
    [
        ("group-one", {"notebooks.kubeflow.org/http-rewrite-uri": "/"}),
        (
            "group-two",
            {
                "notebooks.kubeflow.org/http-rewrite-uri": "/",
                "notebooks.kubeflow.org/http-headers-request-set": ('{"X-RStudio-Root-Path":"/notebook/ml/first/"}'),
            },
        ),
    ],
)
def test_other_servers_get_their_rewrite_and_headers(server_type: str, annotations: Object) -> None:
    found = made(serverType=server_type).notebook["metadata"]["annotations"]

    assert annotations.items() <= found.items()


def test_a_limit_factor_of_none_sets_no_limit() -> None:
    form = made(with_default("cpu", limitFactor="none"))

    assert "cpu" not in pod_spec(form)["containers"][0]["resources"]["limits"]


def test_a_read_only_field_has_the_configured_value() -> None:
    defaults = with_default("cpu", value="2", readOnly=True, limitFactor="none")
    body = a_form()
    del body["cpu"]

    form = notebook_of(body, "ml", "u", defaults)

    assert pod_spec(form)["containers"][0]["resources"]["requests"]["cpu"] == "2"


@pytest.mark.parametrize(
    ("defaults", "fields", "field"),
    [
        (DEFAULTS, {"name": ""}, "name"),
        (DEFAULTS, {"name": "First"}, "name"),
        (DEFAULTS, {"name": "1st"}, "name"),
        (DEFAULTS, {"name": "a" * 41}, "name"),
        (DEFAULTS, {"name": "a\nkind: Pod"}, "name"),
        (DEFAULTS, {"image": None}, "image"),
        (DEFAULTS, {"cpu": "nan"}, "cpu"),
        (DEFAULTS, {"cpu": "-1"}, "cpu"),
        (DEFAULTS, {"memory": "a lot"}, "memory"),
        (DEFAULTS, {"cpu": "2", "cpuLimit": "1"}, "cpuLimit"),
        (DEFAULTS, {"serverType": "vim"}, "serverType"),
        (DEFAULTS, {"gpus": {"num": "1"}}, "gpus.vendor"),
        (DEFAULTS, {"gpus": {"num": "64", "vendor": "cpu"}}, "gpus.vendor"),
        (DEFAULTS, {"gpus": {"num": "1", "vendor": "example.com/gpu"}}, "gpus.vendor"),
        (DEFAULTS, {"gpus": {"num": "some", "vendor": "nvidia.com/gpu"}}, "gpus.num"),
        (DEFAULTS, {"affinityConfig": "unknown"}, "affinityConfig"),
        (DEFAULTS, {"datavols": [{"mount": "/data"}]}, "datavols[0]"),
        (DEFAULTS, {"datavols": [{"mount": "data", "newPvc": NEW}]}, "datavols[0].mount"),
        (
            DEFAULTS,
            {"workspace": {"mount": "/x", "newPvc": {**NEW, "metadata": {"name": "x", "namespace": "other"}}}},
            "workspace.newPvc.metadata.namespace",
        ),
        (with_default("allowCustomImage", value=False), {"customImageCheck": True, "customImage": "x"}, "customImage"),
        (with_default("allowCustomImage", value=False), {"image": "evil"}, "image"),
        (with_default("image", readOnly=True), {}, "image"),
        (with_default("image", readOnly=True), {"customImageCheck": True, "customImage": "x"}, "customImage"),
        (with_default("cpu", readOnly=True), {}, "cpu"),
    ],
)
def test_what_is_wrong_is_refused_by_its_field(defaults: Object, fields: Object, field: str) -> None:
    with pytest.raises(BadForm) as caught:
        made(defaults, **fields)

    assert str(caught.value).startswith(f"{field}:")


@pytest.mark.parametrize(
    "field",
    [
        *("name", "image", "imagePullPolicy", "serverType", "cpu", "memory", "gpus"),
        *("tolerationGroup", "affinityConfig", "configurations", "shm", "datavols"),
    ],
)
def test_a_field_that_the_form_must_have_is_named_when_it_is_missing(field: str) -> None:
    """As Kubeflow's server answers, so that a client that forgets one learns it in both places."""
    body = a_form()
    del body[field]

    with pytest.raises(BadForm, match=f"^{field}: a value is required$"):
        notebook_of(body, "ml", "u", DEFAULTS)


def test_workspace_limits_and_environment_may_be_left_out() -> None:
    assert made().claims == []
    assert pod_spec(made())["containers"][0]["env"] == []


@pytest.mark.parametrize(
    ("given", "variables"),
    [
        ("{}", []),
        ("", []),
        ('{"A": 1}', [{"name": "A", "value": "1"}]),
        ({"A": "b"}, [{"name": "A", "value": "b"}]),
    ],
)
def test_the_environment_is_a_mapping_or_its_json(given: Any, variables: list[Object]) -> None:
    assert pod_spec(made(environment=given))["containers"][0]["env"] == variables


@pytest.mark.parametrize("given", ["{", "[]", '"A"', ["A"], "[" * 100_000])
def test_an_environment_that_is_no_mapping_is_refused(given: Any) -> None:
    with pytest.raises(BadForm, match=r"^environment: "):
        made(environment=given)


def test_a_read_only_request_has_no_limit_from_the_form() -> None:
    body = a_form(cpuLimit="8")
    del body["cpu"]

    with pytest.raises(BadForm, match="cpuLimit"):
        notebook_of(body, "ml", "u", with_default("cpu", readOnly=True))
