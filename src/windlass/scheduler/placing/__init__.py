"""Where pods fit and which node is best, by whole-cluster arithmetic.

`columns` numbers the resources, `table` keeps what nodes offer and what is asked of them as arrays, `shapes` finds pods
that are alike, `use_scores` rates nodes by how full they are, `ranking` keeps the nodes of one shape in order, and
`placer` puts them together.
"""
