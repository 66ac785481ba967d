"""What the embedded server decides in its own process and a cluster must ask for: admission and conversion of jobs.

`paths` is the table of what is asked where. Its functions are pure, from a review to its answer; `server` listens,
`keeping` sees to the certificate and to who must trust it. `configuration` says the same to a cluster, as manifests.

Volcano's kinds have theirs: `volcano_reviews` is the table and decides, `volcano_asking` asks before that which queues
there are, `volcano_configuration` is for the cluster. TrainJobs, their runtimes and JobSets have `trainer_reviews`,
`trainer_asking` and `trainer_configuration` in the same way.
"""
