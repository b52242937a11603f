"""Address ranges that a caller chooses for a new VPC and its subnets: what may be asked for, and how it is laid out."""
