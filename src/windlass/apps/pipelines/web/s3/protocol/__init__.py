"""The protocol of S3 without I/O: signatures, bodies, operations, conditions, listings, documents and errors."""
