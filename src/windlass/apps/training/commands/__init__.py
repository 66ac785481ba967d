"""Commands about training jobs: `run`, `jobs`, `job` and `logs`."""
