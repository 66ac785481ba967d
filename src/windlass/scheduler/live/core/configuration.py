"""The configuration that is in force: what was given at the start, or what a ConfigMap says, as soon as it says so.

As Volcano has it: key `volcano-scheduler.conf` of ConfigMap volcano-system/volcano-scheduler-configmap. One that cannot
be used is reported by an event, and the one before stays.
"""

from windlass.apis.core_v1 import ConfigMap
from windlass.kube.kind import KINDS
from windlass.scheduler.cycle.gang_cycle import read_conf
from windlass.scheduler.framework.conf import BadConf
from windlass.scheduler.live.core.effects import RecordEvent, Turn
from windlass.scheduler.live.core.gang_turns import GangTurns
from windlass.scheduler.live.options import CONFIGURATION

NAMESPACE, NAME = CONFIGURATION
KEY = "volcano-scheduler.conf"
CONFIG_MAPS = KINDS.of(ConfigMap)


class ConfigurationChanges:
    def __init__(self, gangs: GangTurns) -> None:
        self._gangs = gangs

    def added(self, turn: Turn, obj: ConfigMap, /) -> None:
        text = obj.data.get(KEY)
        if text is None:
            _warn(turn, obj, f"there is no key {KEY}")
            return
        try:
            conf = read_conf(text)
        except BadConf as error:
            _warn(turn, obj, f"{KEY}: {error}")
            return
        for warning in conf.warnings:
            _warn(turn, obj, f"{KEY}: {warning}")
        self._gangs.configure(turn, conf)

    def changed(self, turn: Turn, old: ConfigMap, new: ConfigMap, /) -> None:
        if old.data != new.data:
            self.added(turn, new)

    def deleted(self, turn: Turn, obj: ConfigMap, /) -> None:
        self._gangs.configure(turn, self._gangs.state.options.conf)


def _warn(turn: Turn, obj: ConfigMap, text: str) -> None:
    turn.emit(RecordEvent("volcano", obj, CONFIG_MAPS, "BadConfiguration", text, is_warning=True))
