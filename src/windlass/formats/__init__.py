"""File formats that programs inside pods and Windlass agree on, the token of a server, and archives of strangers.

Pure Python: nothing here needs a cluster or a library.
"""
