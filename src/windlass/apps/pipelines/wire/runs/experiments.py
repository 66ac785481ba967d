"""Experiments of /apis/v2beta1."""

from windlass.apps.pipelines.model import Experiment, RecurringRun, StorageState
from windlass.apps.pipelines.names import DEFAULT_EXPERIMENT
from windlass.apps.pipelines.rows import errors
from windlass.apps.pipelines.rows.queries import Page
from windlass.apps.pipelines.wire import shapes
from windlass.apps.pipelines.wire.call import Call
from windlass.apps.pipelines.wire.errors import Aborted, AlreadyExists, NotFound
from windlass.apps.pipelines.wire.listing import list_query, token_text, within
from windlass.apps.pipelines.wire.names import check_description, check_name, check_namespace
from windlass.apps.pipelines.wire.protojson import encode
from windlass.apps.pipelines.wire.runs.schedule_objects import disable_schedule
from windlass.kube.json import Object

RESOURCE = "experiments"


def shown(experiment: Experiment) -> Object:
    return {name: getattr(experiment, name) for name in shapes.EXPERIMENT.fields}


async def create_experiment(call: Call) -> Object:
    body = await call.body(shapes.EXPERIMENT)
    experiment = await new_experiment(call, body)
    return encode(shapes.EXPERIMENT, shown(experiment))


async def new_experiment(call: Call, body: Object) -> Experiment:
    name = check_name(body.get("display_name", ""), "display_name", 128)
    description = check_description(body.get("description", ""))
    namespace = await call.namespace_or_own(check_namespace(body.get("namespace", "")), "An experiment")
    await call.authorize("create", RESOURCE, namespace)
    return await insert_experiment(call, namespace, name, description)


async def insert_experiment(call: Call, namespace: str, name: str, description: str = "") -> Experiment:
    experiment = Experiment(
        experiment_id=call.services.new_id(),
        namespace=namespace,
        display_name=name,
        description=description,
        created_at=call.now,
    )
    try:
        await call.database.create(experiment)
    except errors.AlreadyExists as error:
        raise AlreadyExists(f"An experiment {name!r} exists already in namespace {namespace!r}") from error
    return experiment


async def default_experiment(call: Call, namespace: str) -> Experiment:
    """The experiment of runs that name none; created when it is first needed."""
    existing = await call.database.first(Experiment, namespace=namespace, display_name=DEFAULT_EXPERIMENT)
    if existing is not None:
        return existing
    try:
        return await insert_experiment(call, namespace, DEFAULT_EXPERIMENT, "All runs created without an experiment.")
    except AlreadyExists:  # another request was faster
        created = await call.database.first(Experiment, namespace=namespace, display_name=DEFAULT_EXPERIMENT)
        if created is None:
            raise
        return created


async def find_experiment(call: Call, id: str, verb: str) -> Experiment:
    """The experiment, if the caller may apply the verb to it. Raises NotFound and PermissionDenied."""
    experiment = await call.database.get(Experiment, id)
    if experiment is None:
        raise NotFound(f"Experiment {id} not found")
    await call.authorize(verb, RESOURCE, experiment.namespace)
    return experiment


async def get_experiment(call: Call) -> Object:
    return encode(shapes.EXPERIMENT, shown(await find_experiment(call, call.part("id"), "get")))


async def list_experiments(call: Call) -> Object:
    page, token = await experiment_page(call, call.query("namespace"))
    answer: Object = {
        "experiments": [shown(experiment) for experiment in page.records],
        "total_size": page.total,
        "next_page_token": token,
    }
    return encode(shapes.EXPERIMENTS, answer)


async def experiment_page(call: Call, given_namespace: str) -> tuple[Page[Experiment], str]:
    namespace = await call.namespace_or_own(check_namespace(given_namespace), "A list of experiments")
    await call.authorize("list", RESOURCE, namespace)
    query, sort_by, filter = list_query(Experiment, call.list_arguments, within("namespace", namespace))
    page = await call.database.page(Experiment, query)
    return page, token_text(sort_by, filter, page.last)


async def delete_experiment(call: Call) -> Object:
    """Its runs stay."""
    experiment = await find_experiment(call, call.part("id"), "delete")
    if experiment.display_name == DEFAULT_EXPERIMENT:
        raise Aborted("The default experiment cannot be deleted")
    await call.database.delete(Experiment, experiment.experiment_id)
    return {}


async def archive_experiment(call: Call) -> Object:
    """Archives its runs too, and disables its recurring runs."""
    experiment = await find_experiment(call, call.part("id"), "archive")
    for recurring_run in await call.database.find(RecurringRun, experiment_id=experiment.experiment_id):
        await disable_schedule(call, recurring_run)
    await call.database.archive_experiment(experiment.experiment_id, call.now)
    return {}


async def unarchive_experiment(call: Call) -> Object:
    experiment = await find_experiment(call, call.part("id"), "unarchive")
    await call.database.change(Experiment, experiment.experiment_id, storage_state=StorageState.AVAILABLE)
    return {}
