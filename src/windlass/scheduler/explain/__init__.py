"""Why a gang or a pod waits, by the core that decides about it: who is first, what is short, who would have to end."""
