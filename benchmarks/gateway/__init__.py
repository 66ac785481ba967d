"""How fast and how large the gateway is, beside the same backend asked directly."""
