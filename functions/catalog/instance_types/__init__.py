"""The instance types of HyperPod clusters, with what EC2 says of them."""
