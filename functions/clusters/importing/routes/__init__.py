"""The doors of imported clusters: taking one in, looking again, forgetting it, trying the connection."""
