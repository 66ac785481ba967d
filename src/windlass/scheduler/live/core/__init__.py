"""The running scheduler without its I/O: `turn(events) -> effects`.

`events` are what the core is given: objects that changed, time that passed, how a binding ended. `effects` are what it
wants done. `state` is all that it remembers between two turns. From the same state, events and clock follow the same
effects: a run can be replayed in a test without a server.
"""
