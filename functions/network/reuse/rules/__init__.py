"""Decisions about what a cluster takes over.

names      how its parts are called then
endpoint   who may reach its public endpoint
network    the VPC and its subnets
tags       the tags by which load balancers find them
security   the security group
roles      the roles and what they may do
buckets    the bucket
owners     whose all of it is
checks     all of these together
changes    what taking over looks like in a preview
"""
