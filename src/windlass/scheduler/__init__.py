"""Decides on which node each pod runs.

`model` is what is known of nodes, pods, gangs and queues. `cycle` decides on it: one pod at a time as kube-scheduler
does, or gangs and queues together as Volcano does. `live` keeps the model up to date from informers and carries
decisions out; `simulate` runs the same cycles in virtual time, and `explain` says why something waits.
"""
