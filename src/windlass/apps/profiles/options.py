"""Settings of the profile controller."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from windlass.apis.options import Option
from windlass.apps.profiles.names import DEFAULT_LABELS


@dataclass(frozen=True, kw_only=True)
class Options:
    use_istio: bool = True
    """Whether AuthorizationPolicies are served."""
    isolate_pods: bool = True
    """Whether a NetworkPolicy keeps pods of other namespaces away; on a cluster all but the gateway's."""
    gateway_namespace: Annotated[
        str,
        Option(
            "Namespace of the gateway's pods on a cluster. The embedded gateway has none.",
            "GATEWAY_NAMESPACE",
            in_manager=lambda site: site.namespace,
        ),
    ] = ""
    user_header: str = "kubeflow-userid"
    groups_header: str = "kubeflow-groups"
    labels: Callable[[], Mapping[str, str]] = lambda: DEFAULT_LABELS
    """Labels of the namespaces; an empty value removes one."""
    recheck_labels: timedelta | None = None
    """After which time they are asked for again; None where they do not change."""


DEFAULTS = Options()
