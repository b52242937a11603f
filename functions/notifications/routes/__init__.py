"""What runs the notifications: changes of the ledger, and a schedule."""
