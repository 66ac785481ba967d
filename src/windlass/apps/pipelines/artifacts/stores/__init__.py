"""Object stores: how each is reached, and copies between them and the claim of a namespace.

store_settings     the ConfigMap `kfp-launcher` and the Secrets of a namespace
providers          how the stores that it names are reached. Pure
store_locations    places that a Workflow names itself; place_providers, place_settings: how these are reached
store_client       opens a store; egress: the proxy that keeps its connections away from local addresses
remote_store       artifacts by their URIs: fetched, published, removed
remote_transfers   its copies of files; remote_records: which of them are complete; remote_reader: reads without a copy
placed_store       artifacts in places; packing: their archives
"""
