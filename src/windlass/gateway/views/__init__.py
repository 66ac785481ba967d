"""What the dashboard shows of jobs, queues, nodes and a namespace, as data: `all_views.py` gathers every view.

A view is a struct and a pure function from observed objects to it. Topics of the live stream and REST routes only
gather the objects that the user may see, and call that function. The TypeScript types are generated from the structs.
"""
