"""What the scheduler knows: nodes and the pods on them, gangs and their pods, queues. Bookkeeping, no I/O.

One name for one thing, in all of the scheduler:

- *PodGroup*: the object of the API, of Volcano, kube-batch or scheduler-plugins (`pod_groups.PodGroup`).
- *job*: what is decided about as one, as in Volcano's own scheduler: a PodGroup with its pods, or pods of kube-batch
  that name no group (`jobs.Job`). The kinds named Job are always called by their full names: Volcano Job, batch Job.
- *task*: a pod of a job (`jobs.Task`). A pod of no job is just a pod (`pod_info.PodInfo`).
- *gang*: the tasks of a job that must start together, at least `min_member` of them. A job is *complete* while it has
  them, and *broken* after it has lost some. `gangs.Gangs` keeps jobs in step with PodGroups and pods.
- *queue*: a Queue of Volcano or kube-batch (`jobs.Queue`); the queue of single pods is the *scheduling queue*.
- *admitted*: the PodGroup has left the phase Pending, so its pods are created. *Allocated*: a node is chosen in this
  cycle. *Pipelined*: the same, on resources that are being freed. *Committed*: decided; the binding is under way.
- *reserved*: nodes for a gang that waits (`reservations`). *Held*: the place of a task that a running gang has lost
  (`framework.holds`). *Nominated*: the node on which victims are evicted for a pod or task.
"""
