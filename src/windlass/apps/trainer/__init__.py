"""TrainJobs: their runtimes' policies, validation, and the built-in runtimes."""
