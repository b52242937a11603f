"""How long things take, from AWS's documentation where it says so and from observations otherwise (see the README)."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

CREATION: Final = timedelta(seconds=60)
"""From a request to the first instances; in Continuous mode a new cluster or group is InService by then."""
DELETION: Final = timedelta(seconds=300)
INTERFACES_AFTER: Final = timedelta(seconds=90)
"""From a cluster's end to that of its instances' interfaces."""
LIFECYCLE_AFTER: Final = timedelta(seconds=240)
"""From an instance's launch to its lifecycle script."""
RUNNING_AFTER: Final = timedelta(seconds=120)
STAGGER: Final = timedelta(seconds=5)
"""Instances of a group finish one after another."""
RETRY_EVERY: Final = timedelta(minutes=10)
SCRIPT_TIMEOUT: Final = timedelta(hours=1)
MINIMUM_WITHIN: Final = timedelta(hours=3)
ROLLBACK: Final = timedelta(seconds=120)

DEEP_HEALTH_CHECK: Final = timedelta(minutes=75)
DETECTION: Final = timedelta(seconds=30)
"""From a fault to the label that the health monitoring agent sets."""
RECOVERY_AFTER: Final = timedelta(seconds=60)
"""From the label to the recovery."""
REBOOT: Final = timedelta(seconds=120)
INTERRUPTION_NOTICE: Final = timedelta(seconds=120)

LISTED_WHILE_LEAVING: Final = timedelta(seconds=60)
LEAVING: Final = timedelta(seconds=180)
"""A terminating instance is counted for longer than it is listed."""
CONFIGURING: Final = timedelta(seconds=60)
"""From an update to a node that has its new labels and taints."""
REIMAGING: Final = timedelta(seconds=480)
"""From the start of a software update to the lifecycle script on the new root volume."""
REIMAGING_AGAIN: Final = timedelta(minutes=6)
"""Four attempts were seen within 18 minutes."""
AUTOSCALING: Final = timedelta(minutes=20)

PLAN_PAYMENT: Final = timedelta(seconds=60)
PLAN_START_EARLIEST: Final = timedelta(minutes=30)
PLAN_START_LATEST: Final = timedelta(days=56)
PLAN_RECLAIM: Final = timedelta(hours=1)
"""How long before a plan ends HyperPod terminates its instances."""
OFFERING_LIFE: Final = timedelta(hours=1)
