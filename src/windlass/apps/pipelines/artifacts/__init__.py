"""Where artifacts are kept, by their URIs: folders of a claim, or object stores.

uris                  paths in the claim and in pods
claim_folders         the folder of a namespace's claim, on one machine
stores                object stores: how they are reached, and copies between them and the claim
reader                reads an artifact for people
transfer_containers   containers of a pod that copy artifacts on a cluster, by a transfer_plan; transfer: their program
ownership             the content that belongs to a run
profile_keys          keys of each namespace for the S3 endpoint of Windlass
"""
