"""Decides on which node each pod runs.

`snapshot` is what is known of nodes and pods, `core.schedule` and `preemption` are pure functions of it. `queue` holds
the pods that wait; `live` feeds all of them from informers and carries decisions out.
"""
