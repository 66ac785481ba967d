"""What the pages of jobs share in one gateway: the simulator, and the readers of curves and courses."""

from functools import cached_property
from typing import TYPE_CHECKING

from windlass.gateway.context import GatewayContext

if TYPE_CHECKING:
    from windlass.apps.training.web.learning.courses import CourseReader
    from windlass.apps.training.web.learning.curve_reader import CurveReader
    from windlass.apps.training.web.views.simulations import Simulations


class TrainingServices:
    """Ask for it with `context.service(TrainingServices)`."""

    def __init__(self, context: GatewayContext) -> None:
        self._context = context

    @cached_property
    def simulations(self) -> "Simulations":
        from windlass.apps.training.web.views.simulations import Simulations

        return Simulations(self._context.client)

    @cached_property
    def curves(self) -> "CurveReader":
        from windlass.apps.training.web.learning.curve_reader import CurveReader

        data = self._context.settings.data_dir
        return CurveReader(self._context.client, data / "volumes" if data is not None else None)

    @cached_property
    def courses(self) -> "CourseReader":
        from windlass.apps.training.web.learning.courses import CourseReader

        return CourseReader(self.curves)
