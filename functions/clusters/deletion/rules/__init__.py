"""Decisions about deletions.

plan         the stages of a deletion, in order
interfaces   whose a network interface is, and whether it may be deleted, goes by itself or stands in the way
blockers     what stands in the way of a VPC's deletion, and how that is said
preview      what a deletion deletes and keeps, in words, and what is noticed about it
"""
