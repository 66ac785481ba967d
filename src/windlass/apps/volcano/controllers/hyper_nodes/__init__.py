"""HyperNodes: parts of the network, with the nodes in them.

hyper_node_service   keeps HyperNodes up to date as nodes come, go and change their labels
label_discovery      HyperNodes that the labels of nodes ask for. Pure
membership           how many nodes are in a HyperNode, and whether its members form a tree. Pure
"""
