"""Kinds of Volcano: jobs, flows, commands and topology of nodes."""
