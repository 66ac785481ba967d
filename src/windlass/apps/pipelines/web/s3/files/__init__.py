"""Buckets, objects, their records and multipart uploads as folders and files of a claim."""
