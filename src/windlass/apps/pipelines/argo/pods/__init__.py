"""The pod of a node: its manifest, the programs in it, and its state. Pure.

pod_manifest     the pod to create, for each kind of template that runs one
container_sets   its containers where the template is a `containerSet`
downloads        a container that fetches inputs from URLs and git
wrapper          the program around the main container, which keeps its outputs
pod_states       the state of the node's pod, as its manifest shows it
"""
