"""Lamp -> a Service before its pods."""

from functools import partial

from windlass.apps.lamps.kinds import Lamp, LampStatus
from windlass.apps.lamps.options import Options

from windlass.apis.core_v1 import Service, ServicePort, ServiceSpec
from windlass.controllers.context import Context
from windlass.kube.controller import AnyController, Controller, Observed
from windlass.kube.meta import ObjectMeta
from windlass.kube.plan import Apply, Plan


def reconcile(options: Options, lamp: Lamp, observed: Observed) -> Plan:
    if lamp.spec.suspend:
        return Plan(status=LampStatus(is_on=False))
    return Plan([Apply(service(lamp, options.port))], status=LampStatus(is_on=lamp.spec.brightness > 0))


def service(lamp: Lamp, port: int) -> Service:
    name, namespace = lamp.metadata.name, lamp.metadata.namespace
    return Service(
        metadata=ObjectMeta(name=name, namespace=namespace),
        spec=ServiceSpec(selector={"lamp": name}, ports=[ServicePort(port=port)]),
    )


def controller(options: Options) -> AnyController:
    return Controller("lamp", Lamp, partial(reconcile, options), owns=[Service])


def app_controllers(context: Context) -> tuple[AnyController, ...]:
    return (controller(context.options_of(Options)),)


def controllers_of_all_configurations() -> tuple[AnyController, ...]:
    return (controller(Options()),)
