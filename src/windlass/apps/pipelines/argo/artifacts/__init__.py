"""Artifacts of Workflows: where each is, in which form it is stored, and which are removed. Pure.

repositories      the store of outputs that name none (`artifactRepositoryRef`)
artifact_places   the place of an artifact: a URI of the store of Windlass, or a place in a store that it names
archive_formats   the form in which its content is stored (`archive`)
artifact_gc       outputs to remove when a Workflow has completed or is deleted (`artifactGC`)
"""
