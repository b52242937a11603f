"""The route that gives tickets.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from functions.connections import tickets
from functions.connections.models import Ticket
from functions.core import application


def create_ticket() -> Ticket:
    """Give the caller a ticket for one WebSocket."""
    return tickets.issue(application.caller())
