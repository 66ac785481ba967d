"""The home page of a namespace: of the platform what needs attention, quotas and capacity; the rest is of apps.

home_part     what an app adds
home_view     the structs, of which one is made of the parts
home_rows     pure: attention, quotas and capacity
home_live     the topic
"""
