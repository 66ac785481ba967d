"""Groups of pods of the scheduler `volcano` that name none.

pod_group_service   creates the groups, and keeps them in step with the pods' owners
lone_pods           which pods need a group, and the group of each. Pure
"""
