"""The REST API of Argo Server, as Hera and the argo command line use it, for the kinds of argoproj.io/v1alpha1.

changes            pure: what a verb such as stop or resume changes, and the Workflow that a submission creates
answers            pure: errors and lines of streams in Argo's form
routes             which path is answered by what
service            the requests to the API server, with the rights of the signed-in user
"""
