"""Defaults, validation and naming of JobSets, as pure functions."""
