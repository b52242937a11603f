"""The headers of the API that are not HTTP's own."""

from typing import Final

# Two requests with the same key and content are one.
KEY_HEADER: Final = "idempotency-key"
# Of an answer that an earlier request got too; the name that others gave it.
REPLAYED_HEADER: Final = "idempotent-replayed"
