"""What the embedded server decides in its own process and a cluster must ask for: admission and conversion of jobs.

`paths` is the table of what is asked where. Its functions are pure, from a review to its answer; `server` listens,
`keeping` sees to the certificate and to who must trust it. `configuration` says the same to a cluster, as manifests.
"""
