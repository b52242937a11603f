"""The deployment's region and its availability zones."""
