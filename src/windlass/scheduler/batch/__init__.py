"""Gangs and queues: what is known of them (`model`, `cluster`), one cycle's decisions (`session`, `statement`), and how
a cycle is set up (`conf`). Pure: the live loop, simulations, `windlass explain` and tests all call `cycle.Decider`.
"""
