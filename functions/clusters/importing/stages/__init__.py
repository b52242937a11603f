"""Looking at a cluster that somebody else made, and the few changes that its owner consents to.

Nothing but `access` and `leaving` writes to AWS or Kubernetes.
"""
