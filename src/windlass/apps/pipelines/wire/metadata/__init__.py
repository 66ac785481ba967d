"""Kubeflow's metadata store (ML Metadata), read from the history of runs: artifacts, executions, contexts and events.

messages      the messages of the gRPC service, by name and number
node_values   properties of nodes, from JSON
nodes         records of the history as nodes of the store. Pure
node_types    the types of nodes, and their ids. Pure
filters       `filter_query` of list options. Pure
options       list options: page size, order, page token. Pure
store         what a caller may see, as nodes
lineage       the nodes that are reached from some others by events
handlers      what answers each method
methods       the methods of the service, by name
api           answers a call: finds its method, and who may see what
"""
