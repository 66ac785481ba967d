"""Names in a mesh: where its own rules are, its ingress gateway, and the workloads that rules of profiles name."""

ROOT_NAMESPACE = "istio-system"
"""Policies of this namespace hold for every workload of the mesh."""
INGRESS_LABELS = {"istio": "ingressgateway"}
"""By which rules select the ingress gateway."""
INGRESS_PRINCIPAL = f"cluster.local/ns/{ROOT_NAMESPACE}/sa/istio-ingressgateway-service-account"
PIPELINES_PAGE_PRINCIPAL = "cluster.local/ns/kubeflow/sa/ml-pipeline-ui"
NOTEBOOK_CONTROLLER_PRINCIPAL = "cluster.local/ns/kubeflow/sa/notebook-controller-service-account"
OPEN_PATHS = ("/dex/*", "/oauth2/*")
"""Of the sign-in: reached without an identity."""
USER_HEADER, GROUPS_HEADER = "kubeflow-userid", "kubeflow-groups"
