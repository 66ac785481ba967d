"""The manifests of Windlass on a cluster: CRDs, manager, webhooks, scheduler, and RBAC rules. All of it is pure."""
