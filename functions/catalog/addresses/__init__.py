"""A free address range for a new VPC, and the network that would be made of it."""
