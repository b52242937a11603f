"""Whether a role's policy allows a call, judged on the local host as IAM judges it."""
