"""Profile -> a namespace of that name, its owner's and contributors' access, accounts, quota and defaults.

The order of the actions is upstream's. A profile that was deleted through the gateway stays a day in the recycle bin
(`recycle_bin`); `kubectl delete profile` deletes it at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from windlass.apis.core_v1 import Namespace, Pod, ResourceQuota, ServiceAccount
from windlass.apis.rbac_v1 import RoleBinding
from windlass.apis.security_istio_v1beta1 import AuthorizationPolicy
from windlass.apis.stops import AnyStop
from windlass.apps.profiles.controllers import access, children, recycle_bin, status
from windlass.apps.profiles.kinds import PodDefault, Profile
from windlass.apps.profiles.names import EDITOR, FINALIZER, FROM_ANNOTATION_LABEL, QUOTA, VIEWER, name_problem
from windlass.apps.profiles.options import Options
from windlass.kube.controller import Controller, Key, Observed
from windlass.kube.meta import Object
from windlass.kube.objects import is_deleting
from windlass.kube.plan import Action, Apply, Create, Delete, Outcome, Patch, Plan
from windlass.kube.view import metadata_only

BIN_CHECK_INTERVAL = timedelta(minutes=1)
_NETWORK_POLICIES = metadata_only(children.NETWORK_POLICIES)


@dataclass(frozen=True)
class Reconcile:
    options: Options
    stops: Sequence[AnyStop]
    """The stops of the recycle bin, in order."""

    def __call__(self, profile: Profile, observed: Observed) -> Plan:
        name = profile.metadata.name
        if is_deleting(profile):
            return _finalize(profile, observed)
        namespace = observed.one(Namespace, name)
        problem = refusal(profile, namespace)
        if problem:
            return Plan(status=status.failed(problem))
        if recycle_bin.deleted_at(profile) is not None:
            return self._in_bin(profile, observed)
        restoring = self._restoring(name, observed)
        if restoring:  # the rest follows once the bindings show their subjects again
            return Plan(restoring)
        plan = self._actions(profile, namespace, observed)
        if FINALIZER not in profile.metadata.finalizers:
            # The status is left to the next reconcile, which this write brings about.
            finalizers = [*profile.metadata.finalizers, FINALIZER]
            return Plan([*plan, Patch(profile, {"metadata": {"finalizers": finalizers}})], status_if_refused=_refused)
        return Plan(
            plan,
            status=_status(profile),
            status_if_refused=_refused,
            again_in=self.options.recheck_labels,
        )

    def _actions(self, profile: Profile, namespace: Namespace | None, observed: Observed) -> list[Action]:
        name = profile.metadata.name
        bindings = observed.all(RoleBinding, name)
        shared = access.contributor_bindings(profile, bindings)
        quota = children.quota(profile)
        held_quota = observed.one(ResourceQuota, QUOTA, name)
        return [
            Apply(children.namespace(profile, namespace, self.options.labels())),
            *([Apply(access.owner_policy(profile, self.options))] if self.options.use_istio else []),
            *map(Apply, children.accounts(profile)),
            Apply(access.account_binding(name, EDITOR, "edit")),
            Apply(access.account_binding(name, VIEWER, "view")),
            Apply(access.admin_binding(profile)),
            *([Apply(quota)] if quota else [Delete(held_quota)] if held_quota else []),
            Create(children.pipelines_access(profile)),
            *(
                [Apply(children.network_policy(profile, self.options.gateway_namespace))]
                if self.options.isolate_pods
                else []
            ),
            *map(Apply, shared),
            *map(Delete, _no_longer_shared(shared, bindings)),
            *(self._policies(name, shared, bindings, observed) if self.options.use_istio else []),
        ]

    def _policies(
        self, name: str, shared: list[RoleBinding], bindings: list[RoleBinding], observed: Observed
    ) -> list[Action]:
        """The policies of all contributors' bindings. A policy whose binding is gone is deleted."""
        gone = {binding.metadata.name for binding in _no_longer_shared(shared, bindings)}
        names = {binding.metadata.name for binding in shared} | gone
        current = [*shared, *(binding for binding in bindings if binding.metadata.name not in names)]
        wanted = access.contributor_policies(name, current, self.options)
        kept = {access.OWNER_POLICY, *(policy.metadata.name for policy in wanted)}
        surplus = [policy for policy in observed.owned(AuthorizationPolicy) if policy.metadata.name not in kept]
        return [*map(Apply, wanted), *map(Delete, surplus)]

    def _in_bin(self, profile: Profile, observed: Observed) -> Plan:
        since = recycle_bin.deleted_at(profile)
        assert since is not None
        name, left = profile.metadata.name, since + recycle_bin.KEPT_FOR - observed.now
        if left <= timedelta():
            return Plan([Delete(profile)])
        actions = recycle_bin.stopping(name, observed, self.stops, observed.now)
        until = (since + recycle_bin.KEPT_FOR).strftime("%Y-%m-%d %H:%M UTC")
        message = f"deleted; `windlass profile restore {name}` brings it back until {until}"
        return Plan(
            [Apply(recycle_bin.no_pods(profile)), *actions],
            status=status.deleted(message),
            again_in=min(left, BIN_CHECK_INTERVAL),
        )

    def _restoring(self, name: str, observed: Observed) -> list[Action]:
        quota = observed.one(ResourceQuota, recycle_bin.QUOTA_NAME, name)
        return [*([Delete(quota)] if quota else []), *recycle_bin.restoring(name, observed, self.stops)]


def refusal(profile: Profile, namespace: Namespace | None) -> str:
    """Why the profile gets no namespace, or an empty string."""
    name = profile.metadata.name
    problem = name_problem(name)
    if problem:
        return problem
    owner = profile.spec.owner
    if owner is None or not owner.name:
        return "spec.owner is missing"
    if owner.kind == "ServiceAccount" and not owner.namespace:
        return "spec.owner of kind ServiceAccount needs a namespace"
    if namespace is None:
        return ""
    controller = namespace.metadata.controller
    if controller is not None and controller.uid == profile.metadata.uid:
        return f"namespace {name} is being deleted" if is_deleting(namespace) else ""
    if is_deleting(namespace):
        return f"namespace {name} of an earlier profile is still being deleted"
    return f"namespace {name} exists and does not belong to this profile"


def _refused(outcomes: Sequence[Outcome]) -> status.ProfileStatus:
    return status.failed(outcomes[0].server_message)


def _status(profile: Profile) -> status.ProfileStatus:
    problem = children.plugin_problem(profile.spec.plugins) or access.contributors(profile)[1]
    return status.failed(problem, is_ready=True) if problem else status.successful()


def _no_longer_shared(wanted: list[RoleBinding], existing: list[RoleBinding]) -> list[RoleBinding]:
    """Bindings that the annotation made once, of which it names no contributor now."""
    names = {binding.metadata.name for binding in wanted}
    return [
        binding
        for binding in existing
        if FROM_ANNOTATION_LABEL in binding.metadata.labels and binding.metadata.name not in names
    ]


def _finalize(profile: Profile, observed: Observed) -> Plan:
    """Revoke the plugins; the namespace, and all that is in it, goes with its owner."""
    if FINALIZER not in profile.metadata.finalizers:
        return Plan()
    remaining = [finalizer for finalizer in profile.metadata.finalizers if finalizer != FINALIZER]
    account = observed.one(ServiceAccount, EDITOR, profile.metadata.name)
    annotations = children.plugin_annotations(profile.spec.plugins)
    revoked = dict.fromkeys(annotations.keys() & (account.metadata.annotations if account else {}).keys())
    return Plan(
        [
            *([Patch(account, {"metadata": {"annotations": revoked}})] if account and revoked else []),
            Patch(profile, {"metadata": {"finalizers": remaining}}),
        ]
    )


def profile_of(obj: Object) -> Key:
    """The profile of the namespace that an object is in."""
    return Key("", obj.metadata.namespace)


def profile_of_namespace(namespace: Namespace) -> Key:
    return Key("", namespace.metadata.name)


def only_cached(obj: Object) -> None:
    """For kinds that are read in the recycle bin: their changes do not matter to the profile."""


def controller(options: Options, stops: Sequence[AnyStop]) -> Controller[Profile]:
    stopped = [recycle_bin.source(stop) for stop in stops if stop.kind is not RoleBinding]
    return Controller(
        "profile-controller",
        Profile,
        Reconcile(options, stops),
        owns=[
            Namespace,
            ServiceAccount,
            RoleBinding,
            ResourceQuota,
            PodDefault,
            *([AuthorizationPolicy] if options.use_istio else []),
            *([_NETWORK_POLICIES] if options.isolate_pods else []),
        ],
        watches=[
            (Namespace, profile_of_namespace),
            (RoleBinding, profile_of),
            *((source, only_cached) for source in (*stopped, Pod)),
        ],
        workers=2,
    )
