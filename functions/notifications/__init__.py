"""What people are told without asking: that something failed, fell ill, arrived, ends or stands still."""
