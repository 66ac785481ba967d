"""coordination.k8s.io/v1: leader election."""

from windlass.kube.kind import kind
from windlass.kube.meta import Object, Struct, Time


class LeaseSpec(Struct):
    holder_identity: str | None = None
    lease_duration_seconds: int | None = None
    acquire_time: Time | None = None
    renew_time: Time | None = None
    lease_transitions: int | None = None


@kind("coordination.k8s.io/v1", plural="leases", status=False)
class Lease(Object):
    """A Lease: a claim that expires unless its holder renews it."""

    spec: LeaseSpec = LeaseSpec()
