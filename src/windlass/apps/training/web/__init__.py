"""Training jobs in the dashboard: structs of views, the views, and curves of learning."""
