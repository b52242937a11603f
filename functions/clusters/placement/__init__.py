"""Where a request's instance groups are to stand, as far as it can be judged before an operation begins."""
