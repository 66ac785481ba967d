"""Pipelines and their versions in the REST API.

uploads             packages that are sent as files
pipelines           methods of pipelines
versions            methods of their versions
catalogue_objects   pipelines that are Kubernetes objects
"""
