"""What roles are granted, a file for each kind of thing it is granted on."""
