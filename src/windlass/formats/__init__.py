"""What programs inside pods and Windlass agree on: file formats, and the token of a server.

Pure Python: nothing here needs a cluster or a library.
"""
