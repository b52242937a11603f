"""A person whom the API has let in gets there with stock kubectl and the kubeconfig that the API gives."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

import boto3
import pytest

from tests.conformance.conftest import ENDED, ROOT, Json, LocalRun

KUBECTL = os.environ.get("KUBECTL") or shutil.which("kubectl")
STANDIN = ROOT / "tests" / "conformance" / "aws_standin.py"
ROLE = "developer"

pytestmark = pytest.mark.skipif(KUBECTL is None, reason="no kubectl: set KUBECTL or put it on the PATH")

Kubectl = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def role(local_run: LocalRun) -> str:
    """A role of the account that people may assume."""
    iam = boto3.Session("local", "local", region_name="us-west-2").client(
        "iam", endpoint_url=local_run.endpoints["aws"]
    )
    everybody = {"AWS": "arn:aws:iam::123456789012:root"}
    statement = {"Effect": "Allow", "Principal": everybody, "Action": "sts:AssumeRole"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    return iam.create_role(RoleName=ROLE, Path="/team/", AssumeRolePolicyDocument=document)["Role"]["Arn"]


@pytest.fixture(scope="module")
def granted(local_run: LocalRun, created: Json, role: str) -> str:
    """The tag of a cluster in whose namespace `default` the role may look."""
    tag: str = created["cluster_tag"]
    body = {"principal_arn": role, "permission": "view", "namespaces": ["default"]}
    begun = local_run.send("POST", f"/clusters/{tag}/access", body)
    assert begun.status == 202, begun.body
    ended = local_run.send("GET", f"/operations/{begun.body['operation_id']}?wait=20").body
    assert (ended["status"] in ENDED, ended["error"]) == (True, None)
    return tag


@pytest.fixture
def kubectl(local_run: LocalRun, granted: str, role: str, tmp_path: Path) -> Kubectl:
    """Runs kubectl with the kubeconfig of the API, and a stand-in for the AWS CLI on its path."""
    where = f"{local_run.endpoints['api']}/clusters/{granted}/kubeconfig?role_arn={quote(role)}"
    with urlopen(where, timeout=20) as answer:
        assert answer.headers["content-type"] == "application/yaml"
        (tmp_path / "kubeconfig").write_bytes(answer.read())
    aws = tmp_path / "aws"
    aws.write_text(f'#!/bin/sh\nexec {sys.executable} {STANDIN} "$@"\n', encoding="utf-8")
    aws.chmod(0o700)
    environment = {
        "HOME": str(tmp_path),
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "AWS_ENDPOINT_URL": str(local_run.endpoints["aws"]),
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
    }

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(KUBECTL), "--kubeconfig", str(tmp_path / "kubeconfig"), *arguments]
        return subprocess.run(command, env=environment, check=False, capture_output=True, text=True, timeout=20)

    return run


def test_kubectl_reads_the_file_and_gets_in_as_far_as_was_granted_and_no_further(
    kubectl: Kubectl, granted: str, role: str
) -> None:
    read = json.loads(kubectl("config", "view", "-o", "json").stdout)
    assert (read["current-context"], [user["name"] for user in read["users"]]) == (granted, [granted])
    assert read["users"][0]["user"].keys() == {"exec"}
    allowed = kubectl("get", "pods", "-n", "default", "-o", "name")
    assert (allowed.returncode, allowed.stderr) == (0, "")
    refused = kubectl("get", "pods", "-n", "kube-system")
    assert refused.returncode != 0
    # The audit log of the cluster knows the session, not only the role.
    assert f'User "arn:aws:sts::123456789012:assumed-role/{ROLE}/EKSGetTokenAuth" cannot list' in refused.stderr
    assert kubectl("delete", "pod", "x", "-n", "default").returncode != 0
