"""The routing table of the gateway: VirtualServices and Ingresses, and which Service answers a path."""
