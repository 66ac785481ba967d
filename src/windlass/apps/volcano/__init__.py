"""Volcano: PodGroups and queues of three schedulers, and Volcano's jobs, cron jobs, flows and hypernodes.

An object of `kinds/` passes `admission` (defaults, validation, `graph` and `queue_tree` for what refers to others),
then `controllers/`, which make pods and PodGroups; the gang scheduler of the platform places these. `stopped_jobs`
aborts and resumes Jobs for the recycle bin. `queues/` reads and changes queues for `commands/`.
"""
