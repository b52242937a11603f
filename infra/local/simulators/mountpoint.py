"""Mountpoint for Amazon S3, the S3 CSI driver's program: what a mount and its files need of the bucket and the role.

Policies are the role's own, inline and attached; bucket policies, boundaries and conditions are not looked at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from infra.local.kubernetes.documents import mapping, name_of, strings, text
from infra.local.simulators.neighbours import call, error_code, role_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from infra.local.simulators.eks_records import ClusterRecord
    from infra.local.simulators.neighbours import ClientFactory
    from infra.local.simulators.service import JsonObject

DRIVER = "s3.csi.aws.com"
ACCOUNT = ("kube-system", "s3-csi-driver-sa")
_ADDON = "aws-mountpoint-s3-csi-driver"
_NO_CREDENTIALS = "1: Client error     2: No signing credentials available, see CRT debug logs"
# What Mountpoint asks of S3 for a file, and what the file's user reads when it is refused.
_FILE_ACTIONS = (
    ("s3:PutObject", "can't create {}: Permission denied"),
    ("s3:GetObject", "can't open {}: Permission denied"),
    ("s3:DeleteObject", "can't remove {}: Permission denied"),
)


def driver_role(cluster: ClusterRecord) -> str:
    """Give the ARN of the driver's role: by pod identity, else by the add-on's service account; empty for none."""
    for association in cluster.associations.values():
        if (association.namespace, association.service_account) == ACCOUNT:
            return association.role_arn
    addon = cluster.addons.get(_ADDON)
    return (addon.service_account_role_arn if addon else None) or ""


def allows(policies: Iterable[JsonObject], action: str, resource: str) -> bool:
    """Say whether policies allow an action on a resource; a refusal without a condition wins."""
    said = [
        statement["Effect"]
        for policy in policies
        for statement in _list(policy.get("Statement", []))
        if _concerns(statement, "Action", action.lower()) and _concerns(statement, "Resource", resource)
        if statement["Effect"] == "Allow" or "Condition" not in statement
    ]
    return "Allow" in said and "Deny" not in said


def _always(_: JsonObject) -> bool:
    return True


@dataclass(frozen=True)
class Mountpoint:
    """The driver of one cluster; `equipped` says whether the driver's pod beside a pod has what its role takes."""

    role: Callable[[], str]
    iam: ClientFactory
    s3: ClientFactory
    equipped: Callable[[JsonObject], bool] = _always

    def problem(self, pod: JsonObject, volume: JsonObject) -> str:
        """Why a pod's volume cannot be mounted, in the driver's words; empty when it can, or when it is not of S3."""
        if text(volume, "spec", "csi", "driver") != DRIVER:
            return ""
        bucket = bucket_of(volume)
        region = next((o.split()[1] for o in strings(volume, "spec", "mountOptions") if o.startswith("region ")), "")
        why = self._refusal(bucket, region) if self.equipped(pod) else _NO_CREDENTIALS
        place = (
            f"/var/lib/kubelet/pods/{text(pod, 'metadata', 'uid')}/volumes/kubernetes.io~csi/{name_of(volume)}/mount"
        )
        said = f"initial ListObjectsV2 failed for bucket {bucket} in region {region}     {why}"
        started = f"Error: Failed to create S3 client  Caused by:     0: {said} Error: Failed to create mount process"
        failed = f'Could not mount "{bucket}" at "{place}": Mount failed: Failed to start service output: {started}'
        return f"rpc error: code = Internal desc = {failed}" if why else ""

    def complaint(self, bucket: str, file: str) -> str:
        """What a program reads that writes, reads and removes a file; empty when all goes well."""
        policies = list(self._policies(self.role()))
        for action, words in _FILE_ACTIONS:
            if not allows(policies, action, f"arn:aws:s3:::{bucket}/{file}"):
                return words.format(file)
        return ""

    def _refusal(self, bucket: str, region: str) -> str:
        role = self.role()
        if not role or role_of(self.iam(), role) is None:
            return _NO_CREDENTIALS
        found = self._region(bucket)
        if found is None:
            return "1: Service error     2: The bucket does not exist"
        if region and found != region:
            return f"1: Client error     2: Wrong region (expecting {found})"
        if not allows(self._policies(role), "s3:ListBucket", f"arn:aws:s3:::{bucket}"):
            return f"1: Client error     2: Forbidden: {_not_authorized(role, 's3:ListBucket', bucket)}"
        return ""

    def _region(self, bucket: str) -> str | None:
        try:
            answer = call(self.s3(), "get_bucket_location", Bucket=bucket)
        except ClientError as error:
            if error_code(error) == "NoSuchBucket":
                return None
            raise
        return answer.get("LocationConstraint") or "us-east-1"

    def _policies(self, role: str) -> Iterator[JsonObject]:
        iam, name = self.iam(), role.rpartition("/")[2]
        if role_of(iam, role) is None:
            return
        for policy in call(iam, "list_role_policies", RoleName=name)["PolicyNames"]:
            yield call(iam, "get_role_policy", RoleName=name, PolicyName=policy)["PolicyDocument"]
        for attached in call(iam, "list_attached_role_policies", RoleName=name)["AttachedPolicies"]:
            arn = attached["PolicyArn"]
            version = call(iam, "get_policy", PolicyArn=arn)["Policy"]["DefaultVersionId"]
            yield call(iam, "get_policy_version", PolicyArn=arn, VersionId=version)["PolicyVersion"]["Document"]


def bucket_of(volume: JsonObject) -> str:
    """The bucket of an S3 volume."""
    return text(mapping(volume, "spec", "csi", "volumeAttributes"), "bucketName")


def _not_authorized(role: str, action: str, bucket: str) -> str:
    account, name = role.split(":")[4], role.rpartition("/")[2]
    who = f"User: arn:aws:sts::{account}:assumed-role/{name}/aws-s3-csi-driver"
    why = f"because no identity-based policy allows the {action} action"
    return f'{who} is not authorized to perform: {action} on resource: "arn:aws:s3:::{bucket}" {why}'


def _concerns(statement: JsonObject, field: str, name: str) -> bool:
    lower = field == "Action"
    if f"Not{field}" in statement:
        return not any(_like(each, name, lower) for each in _list(statement[f"Not{field}"]))
    return any(_like(each, name, lower) for each in _list(statement.get(field, [])))


def _like(pattern: str, name: str, lower: bool) -> bool:
    written = re.escape(pattern.lower() if lower else pattern)
    return re.fullmatch(written.replace(r"\*", ".*").replace(r"\?", "."), name) is not None


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]
