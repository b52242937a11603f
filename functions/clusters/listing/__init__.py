"""The list of clusters: one summary of each, filtered, by tag, page by page."""
