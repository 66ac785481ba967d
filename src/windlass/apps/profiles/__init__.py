"""Profiles, contributors and PodDefaults: namespaces with owners, and what their pods get."""
