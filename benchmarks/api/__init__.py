"""How fast and how large the API server is, beside a bare handler that only decodes, commits and answers.

`python -m benchmarks.api` (or `make bench`) starts fresh servers, loads them with wrk and prints one table.
"""
