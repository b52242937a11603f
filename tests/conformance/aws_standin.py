"""Stands in for the AWS CLI where there is none: `aws eks get-token`, as its reference describes it.

Source: AWS CLI command reference, "eks get-token": a presigned GetCallerIdentity of the regional STS endpoint with the
cluster's name among the signed headers, printed as an ExecCredential.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
from typing import Any

import botocore.session
from botocore.credentials import Credentials
from botocore.model import ServiceId
from botocore.signers import RequestSigner


def main() -> None:
    """Print a token of whoever the environment's credentials are, or of a role that they assume."""
    asked = _arguments()
    session = botocore.session.get_session()
    credentials = _assumed(session, asked) if asked.role_arn else session.get_credentials()
    assert credentials is not None, "no credentials"
    emitter = session.get_component("event_emitter")
    signer = RequestSigner(ServiceId("sts"), asked.region, "sts", "v4", credentials, emitter)
    request = {
        "method": "GET",
        "url": f"https://sts.{asked.region}.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15",
        "body": {},
        "headers": {"x-k8s-aws-id": asked.cluster_name},
        "context": {},
    }
    url = signer.generate_presigned_url(request, region_name=asked.region, expires_in=60, operation_name="")
    token = "k8s-aws-v1." + base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")
    answer = {"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1beta1", "spec": {}}
    sys.stdout.write(json.dumps({**answer, "status": {"token": token}}))


def _assumed(session: botocore.session.Session, asked: argparse.Namespace) -> Credentials:
    client: Any = session.create_client("sts", region_name=asked.region)
    given = client.assume_role(RoleArn=asked.role_arn, RoleSessionName="EKSGetTokenAuth")["Credentials"]
    return Credentials(given["AccessKeyId"], given["SecretAccessKey"], given["SessionToken"])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="aws")
    parser.add_argument("--region", required=True)
    parser.add_argument("service", choices=["eks"])
    parser.add_argument("command", choices=["get-token"])
    parser.add_argument("--cluster-name", required=True)
    parser.add_argument("--output", choices=["json"], required=True)
    parser.add_argument("--role-arn")
    return parser.parse_args()


if __name__ == "__main__":
    main()
