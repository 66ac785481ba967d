"""Profiles: namespaces with owners and contributors, what their pods get, and the recycle bin of deleted ones.

A Profile of `kinds` becomes a namespace with accounts, access and a quota (`controllers/`); `admission` adds the
configurations of PodDefaults to pods (`pod_defaults`). `exported` makes manifests of all that a profile has. `web/`
has the REST API of KFAM and registration, `commands/` the recycle bin for administrators.
"""
