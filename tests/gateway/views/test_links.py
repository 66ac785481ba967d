"""Paths of the dashboard's pages."""

import pytest

from windlass.gateway.views.links import object_page


@pytest.mark.parametrize(
    ("api_version", "kind", "namespace", "page"),
    [
        ("argoproj.io/v1alpha1", "Workflow", "ml", "/pipelines/workflows/ml/a"),
        ("argoproj.io/v1alpha1", "CronWorkflow", "ml", "/pipelines/cron-workflows/ml/a"),
        ("argoproj.io/v1alpha1", "WorkflowTemplate", "ml", "/objects/argoproj.io/v1alpha1/workflowtemplates/ml/a"),
        ("kubeflow.org/v1", "Notebook", "ml", "/jupyter/notebook/details/ml/a"),
        ("kubeflow.org/v1", "PyTorchJob", "ml", "/jobs/PyTorchJob/ml/a"),
        ("v1", "Pod", "ml", "/objects/core/v1/pods/ml/a"),
        ("v1", "Node", "", "/objects/core/v1/nodes/-/a"),
    ],
)
def test_an_object_has_the_page_of_its_kind(api_version: str, kind: str, namespace: str, page: str) -> None:
    assert object_page(api_version, kind, namespace, "a") == page
