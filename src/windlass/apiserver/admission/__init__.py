"""Admission: the built-in plugins, in the order in which they run."""

from windlass.apiserver.admission.app_rules import app_mutations, app_validations
from windlass.apiserver.admission.chain import Admission, Chain
from windlass.apiserver.admission.classes import DefaultIngressClass, RuntimeClasses
from windlass.apiserver.admission.configured import Configured
from windlass.apiserver.admission.escalation import Escalation
from windlass.apiserver.admission.expressions import Expressions
from windlass.apiserver.admission.limit_ranges import LimitRanges
from windlass.apiserver.admission.node_restriction import NodeRestriction
from windlass.apiserver.admission.plugins import (
    CertificateSubjects,
    DefaultStorageClass,
    DefaultTolerations,
    NamespaceLifecycle,
    OneDefaultPriority,
    Priorities,
    ServiceAccounts,
)
from windlass.apiserver.admission.pod_security import PodSecurity
from windlass.apiserver.admission.quotas import Quotas
from windlass.apiserver.admission.storage import ClaimResize, StorageInUse
from windlass.apiserver.api import Api


def build_admission(api: Api) -> Admission:
    return Admission(
        Chain(
            [
                NamespaceLifecycle(api),
                # PodDefaults may choose the service account, so they come before what depends on it.
                *app_mutations(api),
                ServiceAccounts(api),
                Priorities(api),
                OneDefaultPriority(api),
                DefaultTolerations(),
                LimitRanges(api),
                DefaultStorageClass(api),
                StorageInUse(),
                ClaimResize(api),
                RuntimeClasses(api),
                DefaultIngressClass(api),
                CertificateSubjects(),
                Escalation(api),
                NodeRestriction(api),
                PodSecurity(api),
                Expressions(),
                *app_validations(api),
                Quotas(api),
            ]
        ),
        Configured(api),
    )
