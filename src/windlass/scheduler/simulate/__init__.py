"""What if: the real scheduler in virtual time, on a described cluster and workload.

`description` and `traces` say what there is and what comes (`workload`), `engine` lives through it with one policy of
`baselines`, `measures` says how good that was, `report` draws it. Nothing here reads a clock: the same seed gives the
same result.
"""
