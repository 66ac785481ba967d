"""Images in the formats of the Open Container Initiative, whose files pods mount as volumes.

`images.OciImages` is what the node uses. A pull goes through these modules, in this order:

credentials  which user and password of a pod's imagePullSecrets are for a registry
registry     the client of a registry (challenges: how it asks for credentials)
layout       an image layout: a directory of this machine that stands for a repository
manifests    manifests and indexes, and which image of an index is for this machine
unpacking    layers into a folder (tar_entries: what may be in one; compression: how it is packed)
folders      images that are complete, and which pods may use them
"""
