"""What a function reads from its environment, and what it does without."""

from __future__ import annotations

import botocore.session
import pytest

from functions.core import runtime, settings
from functions.core.errors import DeploymentFault


def running_with(**environment: str) -> runtime.Runtime:
    return runtime.Runtime(environment, botocore.session.Session(), runtime.SystemClock())


def test_a_missing_variable_is_a_fault_of_the_deployment_and_named() -> None:
    with runtime.bound(running_with(AWS_REGION="us-west-2", ACCOUNT_ID="")), pytest.raises(DeploymentFault) as fault:
        settings.current()
    assert "ACCOUNT_ID" in fault.value.detail


def test_settings_are_those_of_the_invocation() -> None:
    with runtime.bound(running_with(AWS_REGION="us-west-2", ACCOUNT_ID="123456789012")):
        assert settings.current() == settings.Settings(region="us-west-2", account_id="123456789012")
        assert (settings.console_client_id(), settings.allowed_origins()) == (None, [])
        assert settings.machine_client_id() is None
    with runtime.bound(
        running_with(CONSOLE_CLIENT_ID="c", MACHINE_CLIENT_ID="m", ALLOWED_ORIGINS="https://a https://b")
    ):
        assert (settings.console_client_id(), settings.allowed_origins()) == ("c", ["https://a", "https://b"])
        assert settings.machine_client_id() == "m"


def test_what_a_deployment_chose_is_a_list_and_usually_empty() -> None:
    with runtime.bound(running_with(FIXED_EGRESS_ADDRESSES="", PASSABLE_ROLE_ARNS="")):
        assert (settings.fixed_egress_addresses(), settings.passable_role_arns()) == ([], [])
    chosen = {"FIXED_EGRESS_ADDRESSES": "198.51.100.7 198.51.100.8", "PASSABLE_ROLE_ARNS": "arn:aws:iam::1:role/a"}
    with runtime.bound(running_with(**chosen)):
        assert settings.fixed_egress_addresses() == ["198.51.100.7", "198.51.100.8"]
        assert settings.passable_role_arns() == ["arn:aws:iam::1:role/a"]
