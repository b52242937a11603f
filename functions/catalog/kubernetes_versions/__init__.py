"""The Kubernetes versions a new cluster may have."""
