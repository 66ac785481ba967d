"""The configuration that is in force: what was given at the start, or what a ConfigMap says, as soon as it says so.

As Volcano has it: key `volcano-scheduler.conf` of ConfigMap volcano-system/volcano-scheduler-configmap. One that cannot
be used is told of by an event, and the one before stays.
"""

from collections.abc import Callable

from windlass.apis.core_v1 import ConfigMap
from windlass.kube.cache import Store
from windlass.kube.controller import Runtime
from windlass.kube.kind import KINDS
from windlass.kube.view import typed
from windlass.scheduler.cycle.gang_cycle import read_conf
from windlass.scheduler.framework.conf import BadConf, Conf

NAMESPACE, NAME, KEY = "volcano-system", "volcano-scheduler-configmap", "volcano-scheduler.conf"
CONFIG_MAPS = KINDS.of(ConfigMap)


class ConfFeed:
    """`use` hears of each configuration that comes into force."""

    def __init__(self, runtime: Runtime, given: Conf, use: Callable[[Conf], None]) -> None:
        self._runtime, self._given, self._use = runtime, given, use

    def subscribe(self) -> Store[ConfigMap]:
        """What it listens to: nothing should be decided before that is known."""
        store = self._runtime.store(typed(ConfigMap).narrowed(f"metadata.name={NAME},metadata.namespace={NAMESPACE}"))
        store.subscribe(self)
        return store

    def added(self, obj: ConfigMap, /) -> None:
        text = obj.data.get(KEY)
        if text is None:
            self._warn(obj, f"there is no key {KEY}")
            return
        try:
            conf = read_conf(text)
        except BadConf as error:
            self._warn(obj, f"{KEY}: {error}")
            return
        for warning in conf.warnings:
            self._warn(obj, f"{KEY}: {warning}")
        self._use(conf)

    def changed(self, old: ConfigMap, new: ConfigMap, /) -> None:
        if old.data != new.data:
            self.added(new)

    def deleted(self, obj: ConfigMap, /) -> None:
        self._use(self._given)

    def _warn(self, obj: ConfigMap, text: str) -> None:
        self._runtime.warn("volcano", obj, CONFIG_MAPS, "BadConfiguration", text)
