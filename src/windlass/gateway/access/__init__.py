"""Authorisation: RBAC by access reviews, and Istio's AuthorizationPolicies."""
