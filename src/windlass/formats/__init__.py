"""Readers of file formats that programs inside pods write. Pure Python: nothing here needs a cluster or a library."""
