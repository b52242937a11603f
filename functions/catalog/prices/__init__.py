"""What a cluster consists of costs an hour, by a price list of a date."""
