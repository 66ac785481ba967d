"""Images without a container engine: a catalogue resolves a reference to an environment, which uv builds once."""
