"""Structs of the requests and views of training jobs, queues and simulations."""
