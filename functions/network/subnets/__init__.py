"""Compute subnets: which one each instance group needs, whether it is right, and how it is made so."""
