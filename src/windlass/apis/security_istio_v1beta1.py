"""security.istio.io/v1beta1: who may reach the workloads of a namespace. Also served as v1.

Only the fields that the embedded gateway evaluates are declared; all others are preserved as written.
"""

from typing import Annotated

from windlass.apis.fields import Foreign
from windlass.kube.kind import Column, kind
from windlass.kube.meta import LabelSelector, Meta, Object, Struct, field

GROUP = "security.istio.io"
OTHER_VERSIONS = ("v1",)
_AS_WRITTEN = Meta(extra_json_schema={"type": "object", "x-kubernetes-preserve-unknown-fields": True})


class Source(Struct):
    """Attributes of the caller, all of which must match."""

    principals: list[str] = []
    not_principals: list[str] = []
    request_principals: list[str] = []
    not_request_principals: list[str] = []
    namespaces: list[str] = []
    not_namespaces: list[str] = []
    service_accounts: list[str] = []
    not_service_accounts: list[str] = []
    ip_blocks: list[str] = []
    not_ip_blocks: list[str] = []
    remote_ip_blocks: list[str] = []
    not_remote_ip_blocks: list[str] = []

    @property
    def is_unknown(self) -> bool:
        """Whether it has attributes that the embedded gateway does not evaluate."""
        return bool(
            self.service_accounts
            or self.not_service_accounts
            or self.ip_blocks
            or self.not_ip_blocks
            or self.remote_ip_blocks
            or self.not_remote_ip_blocks
        )


class RuleFrom(Struct):
    source: Source = Source()


class Operation(Struct):
    """Attributes of the request, all of which must match."""

    hosts: list[str] = []
    not_hosts: list[str] = []
    ports: list[str] = []
    not_ports: list[str] = []
    methods: list[str] = []
    not_methods: list[str] = []
    paths: list[str] = []
    not_paths: list[str] = []


class RuleTo(Struct):
    operation: Operation = Operation()


class Condition(Struct):
    key: str
    values: list[str] = []
    not_values: list[str] = []


class Rule(Struct):
    """Matches a request by its source, operation and further conditions; an absent part matches everything."""

    from_: list[RuleFrom] = field(name="from", default=[])
    to: list[RuleTo] = []
    when: list[Condition] = []


class AuthorizationPolicySpec(Struct):
    selector: LabelSelector | None = None
    action: str = "ALLOW"
    rules: list[Rule] = []


@kind(
    f"{GROUP}/v1beta1",
    plural="authorizationpolicies",
    short=("ap",),
    columns=(
        Column("Action", ".spec.action", description="What happens to requests that a rule matches"),
        Column("Age", ".metadata.creationTimestamp", "date"),
    ),
)
class AuthorizationPolicy(Object):
    """Who may reach the workloads of a namespace."""

    spec: Annotated[AuthorizationPolicySpec, _AS_WRITTEN] = AuthorizationPolicySpec()
    status: Foreign = {}


@kind(f"{GROUP}/v1beta1", plural="requestauthentications", short=("ra",))
class RequestAuthentication(Object):
    """Issuers of tokens that a workload accepts."""

    spec: Foreign = {}
    status: Foreign = {}
