"""The kinds of training jobs that have no framework of their own, and the fields that all training jobs share."""
