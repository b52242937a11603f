"""Decisions about compute subnets.

needs      which subnet each instance group needs, the stage that settles it, the addresses its nodes take
shortage   what is said when a subnet has too few addresses
requests   what can be judged of a request before anything is looked up
identity   by which name and tags a subnet of ours is known
listing    what callers read of compute subnets
routing    what is right and wrong about routes and endpoints
"""
