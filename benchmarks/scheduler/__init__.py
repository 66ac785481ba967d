"""How fast pods find their nodes: through the API with watches and bindings, and after a restart of everything."""
