"""The stages of a deletion, by the function that runs them.

administration   what has to be done inside the cluster, by its administrator (`helm`)
cluster          HyperPod, add-ons, the foundation stack, the bucket, the last look (`stages_cluster`)
network          compute subnets, and what is left in the VPC (`stages_network`)
"""
