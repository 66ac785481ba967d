"""Why a gang, a job or a pod waits, and when it would start."""
