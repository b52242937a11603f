"""Why something is granted that no test needs: each is done by AWS itself, out of sight of the local host.

A reason is for roles, statements and actions that match its patterns; one that explains nothing any more is reported.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from infra.local.authorization.uses import Use


@dataclass(frozen=True)
class Reason:
    role: str
    sid: str
    action: str
    why: str

    def explains(self, use: Use) -> bool:
        pairs = ((use.role, self.role), (use.sid, self.sid), (use.action, self.action))
        return all(fnmatchcase(*pair) for pair in pairs)


_FUNCTION: Final = "instantstart-function-*"
_MACHINE: Final = "instantstart-machine-*"
_FOUNDATION: Final = "instantstart-foundation"
_CLUSTER_STAGES: Final = "instantstart-function-stages_cluster"
# What the handlers of CloudFormation's types may call besides, by the statement that grants it.
_OF_HANDLERS: Final = {
    "ChangeTagsOfRoles": ("iam:TagRole",),
    "MakeNetwork": (
        "ec2:ModifySubnetAttribute",
        "ec2:ReplaceRoute",
        "ec2:ReplaceRouteTableAssociation",
        "ec2:UpdateSecurityGroupRuleDescriptionsEgress",
        "ec2:UpdateSecurityGroupRuleDescriptionsIngress",
    ),
    "ManageEks": ("eks:DisassociateAccessPolicy", "eks:UpdateAccessEntry", "eks:UpdateClusterConfig"),
    "ManageIdentityProviders": (
        "iam:AddClientIDToOpenIDConnectProvider",
        "iam:RemoveClientIDFromOpenIDConnectProvider",
        "iam:UpdateOpenIDConnectProviderThumbprint",
    ),
    "WriteRoles": ("iam:PutRolePermissionsBoundary",),
}
# What CloudFormation reads of a stack's resources in the name of whoever lets it detect drift.
_OF_DETECTION: Final = {
    "ReadBuckets": ("s3:GetBucketPolicy", "s3:GetBucketPublicAccessBlock", "s3:GetEncryptionConfiguration"),
    "ReadRoles": ("iam:GetRolePolicy", "iam:ListAttachedRolePolicies", "iam:ListRolePolicies"),
    "UnscopedEc2": ("ec2:DescribeInternetGateways", "ec2:DescribeSecurityGroupRules"),
}
# What HyperPod does in its caller's name with an image of the caller's own.
_OF_IMAGES: Final = {
    "ShareImages": ("ec2:ModifyImageAttribute", "ec2:ModifySnapshotAttribute"),
    "UnscopedEc2": ("ec2:DescribeImages", "ec2:DescribeSnapshots"),
}


def _each(role: str, actions: Mapping[str, Sequence[str]], why: str) -> tuple[Reason, ...]:
    return tuple(Reason(role, sid, action, why) for sid, listed in actions.items() for action in listed)


REASONS: Final = (
    Reason(_FUNCTION, "WriteLog", "logs:*", "Lambda writes the log of a function in its name"),
    Reason(_FUNCTION, "WriteTraces", "xray:*", "Lambda sends the traces of a function in its name"),
    Reason(_MACHINE, "DeliverLogs", "logs:*", "Step Functions delivers the log of a machine in its name"),
    Reason(_MACHINE, "WriteTraces", "xray:*", "Step Functions sends the traces of a machine in its name"),
    Reason(_FUNCTION, "HearStreams", "dynamodb:*", "Lambda reads a table's stream in the function's name"),
    Reason(
        _FUNCTION, "UnscopedDynamodb", "dynamodb:ListStreams", "Lambda finds a table's stream in the function's name"
    ),
    Reason(_FOUNDATION, "*", "*:Describe*", "CloudFormation's handlers read what they make; the simulator knows it"),
    Reason(_FOUNDATION, "*", "*:List*", "CloudFormation's handlers read what they make; the simulator knows it"),
    *_each(_FOUNDATION, _OF_HANDLERS, "CloudFormation's handlers may change it so; the simulator does in other calls"),
    *_each(
        _CLUSTER_STAGES, _OF_DETECTION, "CloudFormation detects drift in the caller's name; the simulator just knows"
    ),
    *_each(_CLUSTER_STAGES, _OF_IMAGES, "HyperPod shares a caller's image in the caller's name; none is simulated"),
    Reason(
        "instantstart-function-helm",
        "ReadArtifacts",
        "s3:ListBucket",
        "without it S3 says of a missing object that it is denied",
    ),
    Reason(
        "instantstart-function-diagnostics",
        "ReadBuckets",
        "s3:ListBucket",
        "without it S3 says of a missing object that it is denied",
    ),
)


def unexplained(unused: Iterable[Use], reasons: Iterable[Reason] = REASONS) -> list[Use]:
    """List what nobody needs and nothing explains."""
    known = tuple(reasons)
    return sorted(use for use in unused if not any(reason.explains(use) for reason in known))


def explained(unused: Iterable[Use], reasons: Iterable[Reason] = REASONS) -> dict[str, int]:
    """Count what each reason explains, by its words; what several explain counts for the first."""
    found = [next((reason.why for reason in reasons if reason.explains(use)), None) for use in unused]
    return dict(Counter(why for why in sorted(filter(None, found))))


def idle(unused: Iterable[Use], reasons: Iterable[Reason] = REASONS) -> list[Reason]:
    """List the reasons that explain nothing."""
    uses = tuple(unused)
    return [reason for reason in reasons if not any(reason.explains(use) for use in uses)]
