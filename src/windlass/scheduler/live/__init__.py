"""The scheduler as a part of the manager: informers in, bindings, evictions, statuses and events out."""
