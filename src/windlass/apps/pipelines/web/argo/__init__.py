"""The REST API of Argo Server, as Hera and the argo command line use it, for the kinds of argoproj.io/v1alpha1.

changes            pure: what a verb such as stop or resume changes, and the Workflow that a submission creates
log_options        pure: which log lines a request asks for
answers            pure: errors and lines of streams in Argo's form
artifact_content   what an artifact of a node contains
routes             which path is answered by what
service            the requests to the API server, with the rights of the signed-in user
"""
