"""What is wrong, or good to know, about a request to create something: pure rules over gathered facts.

zones            which zones it may name
versions         the Kubernetes version
ranges           the address ranges it chose
room             where its compute subnets are made
network_quotas   VPC, Elastic IP address, network interfaces
subnets          where its groups are to stand
owners           whose what they name is
leftovers        what stands under the names it would give
checks           all of them, and those of `capacity/preflight`, together
"""

from functions.clusters.preflight.rules.checks import needed, settle

__all__ = ["needed", "settle"]
