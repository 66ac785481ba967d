"""JobSets: Jobs that start, fail and end together.

A JobSet of `kinds` passes `admission` (`defaults`, `validation`, `updates`), then `controllers/`, which make its Jobs
(`names`), its Service and its claims (`claims`).
"""
