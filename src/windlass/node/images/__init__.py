"""Images without a container engine: a reference resolves, by a catalogue, to an environment that uv builds and caches."""
