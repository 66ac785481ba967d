"""JobFlows: Jobs that wait for each other.

job_flows     JobFlow -> the Jobs of its flows, each when its turn has come
flow_jobs     the Job that a flow makes from its template. Pure
flow_probes   asks the pods that flows wait for
flow_status   the status of a JobFlow, from its Jobs. Pure
"""
