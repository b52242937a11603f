"""Decisions about what a cluster takes over.

names      how its parts are called then
endpoint   who may reach its public endpoint
network    the VPC, its subnets and their tags, the security group
roles      the roles and what they may do
buckets    the bucket
checks     all of these together
"""
