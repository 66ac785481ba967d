"""The guide fits what is there: nothing yet, a Windlass without jobs, one with them."""

from windlass.apps.training.commands.get_started import Facts, steps
from windlass.apps.training.jobs.state.job_state import Row


def commands(facts: Facts) -> list[str]:
    return [command for step in steps(facts, "windlass") for command in step.commands]


def a_row(name: str, state: str, namespace: str = "default") -> Row:
    return Row(
        namespace=namespace,
        kind="TFJob",
        name=name,
        state=state,
        ready=1,
        total=1,
        running=1,
        gang="-",
        age=1.0,
        duration=None,
    )


def test_where_nothing_runs_it_leads_to_the_demo_and_to_up() -> None:
    assert commands(Facts(running=False, kubectl=True))[:2] == ["windlass demo", "windlass up --detach"]


def test_where_it_runs_it_leads_to_the_first_job_and_to_its_manifest() -> None:
    found = commands(Facts(running=True, kubectl=True, kubeconfig="/k"))

    assert found[0] == "windlass run train.py"
    assert "windlass run --workers 2 --dry-run train.py" in found
    assert "export KUBECONFIG=/k" in found


def test_where_there_are_jobs_it_leads_to_the_last_one() -> None:
    jobs = (a_row("first", "Succeeded"), a_row("second", "Running", "team-a"))
    found = steps(Facts(running=True, kubectl=True, jobs=jobs), "windlass")

    assert found[0].text == "There are 2 training jobs, 1 of them active; the latest, second, is Running."
    assert found[0].commands == ("windlass jobs -A", "windlass logs job/second -n team-a")


def test_what_is_missing_on_the_machine_is_said_first() -> None:
    facts = Facts(running=True, kubectl=False, problems=("memory is not limited",))

    assert steps(facts, "windlass")[0].text == "Windlass is running, but memory is not limited"
    assert "kubectl get pods -A" not in commands(facts)
