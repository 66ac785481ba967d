"""What Volcano's webhooks and controllers know of its kinds: definitions, defaults and rules, as pure functions."""
