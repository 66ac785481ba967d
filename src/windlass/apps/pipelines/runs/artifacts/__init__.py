"""Artifacts of runs: fetched before a task starts, published before it completes, removed when they expire.

exchange            `ArtifactExchange`, all that the controller of runs asks of artifacts; BadOutputs, TransferFailed
exchanges           which exchange a manager uses
pipeline_roots      where the artifacts of a run go
claim_exchange      one machine: pods work in the claim of their namespace
remote_artifacts      and this process copies between the claim and object stores
container_outputs     and reads the files of outputs in the claim
store_exchange      a cluster: containers of the pods copy
transfer_reports      and report what they have published
transfers           copies that runs wait for, beside the steps of the runs
expiry              removes content some time after its run has finished
"""
