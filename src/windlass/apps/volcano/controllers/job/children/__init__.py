"""Objects that a job consists of.

job_objects   what is made for a job beside its pods, and what of it exists
pod_group     its PodGroup
job_volumes   claims of its volumes
ssh_keys      the Secret with its pair of ssh keys
job_pods      a pod: its template with the job's labels, its claims, and what plugins add
"""
