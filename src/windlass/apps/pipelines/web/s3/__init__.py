"""A subset of Amazon S3 over the folders of claims. Imported at the first request.

`protocol` is pure, `files` works on files and is called in threads; `handler` and the modules beside it answer
requests. Why it is our own: docs/decisions/0009-own-s3-subset.md.
"""
