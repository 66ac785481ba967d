"""Profiles, contributors and PodDefaults: what makes a namespace somebody's place to work."""
