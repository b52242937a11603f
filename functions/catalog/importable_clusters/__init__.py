"""EKS clusters of the region that the ledger does not know."""
