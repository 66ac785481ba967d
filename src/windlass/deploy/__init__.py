"""What is installed on a cluster: kinds, manager, webhooks, scheduler, and what each may do. All of it is pure."""
