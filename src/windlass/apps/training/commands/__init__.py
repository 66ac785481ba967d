"""Commands about training jobs: run and watch them, explain why they wait, and the demo."""

from windlass.apis.commands import Command

_HERE = "windlass.apps.training.commands"

COMMANDS = (
    Command("get-started", "Suggest what to do next on this machine.", f"{_HERE}.get_started", after="kubeconfig"),
    Command("run", "Run a script as a distributed training job.", f"{_HERE}.run", after="get-started"),
    Command("jobs", "List training jobs of all kinds.", f"{_HERE}.jobs", after="run"),
    Command("job", "Suspend, resume and restart a Volcano job or a training job.", f"{_HERE}.job", after="jobs"),
    Command("explain", "Explain why a gang or a pod waits, and when it would start.", f"{_HERE}.explain", after="job"),
    Command("simulate", "Simulate a workload on a described cluster.", f"{_HERE}.simulate", after="explain"),
    Command("logs", "Show the logs of a job's replicas or of a Windlass component.", f"{_HERE}.logs", after="simulate"),
    Command(
        "demo", "Start a temporary Windlass, train on it and show the progress.", f"{_HERE}.demo.demo", after="logs"
    ),
)
