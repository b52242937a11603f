"""Why a pattern of resources in a role's policy is not narrower, by the kind of what it names."""

from __future__ import annotations

from typing import Final

_EC2: Final = "EC2 makes up the ids; what is deleted or routed anew bears our tag, or was left behind in our subnets."
_ANY_CLUSTER: Final = "An imported cluster has any name, and HyperPod and EKS make up the ids below it."
_REUSED: Final = "Callers reuse what stands in the account under any name; only what is ours is changed."
# The service and the beginning of the resource; the first that fits counts.
_REASONS: Final = (
    ("cloudformation:stack/", "Stacks have names of ours, and CloudFormation makes up the id behind the name."),
    ("dynamodb:table/", "A stream of the named table has the time at which it was made for a name."),
    ("ec2:", _EC2),
    ("eks:", _ANY_CLUSTER),
    ("execute-api:*/*/", "API Gateway makes up the id of the sockets' API, and those of connections."),
    ("execute-api:", "The gateway calls every route below /api, for whoever may."),
    ("iam:oidc-provider/", "EKS makes up the id of a cluster's issuer."),
    ("iam:role/aws-service-role/", "Only the service that the path names can have the role."),
    ("iam:role/instantstart/", "Roles that this deployment makes for clusters only, which their boundary bounds."),
    ("iam:", _REUSED),
    ("logs:log-group:/aws/lambda/", "Lambda names the streams of the function's own group."),
    ("logs:log-group:/aws/sagemaker/", "HyperPod names its groups after ids that it makes up."),
    ("s3:instantstart-", "The keys in our own bucket begin with what is only known when it is written."),
    ("s3:", _REUSED),
    ("sagemaker:", _ANY_CLUSTER),
    ("secretsmanager:secret:instantstart-signing-key-", "A key bears its generation, and AWS adds six characters."),
    ("servicequotas:", "A quota is known by a code, and only its value is read."),
    ("states:execution:", "An execution is named after its operation."),
)
_ANY: Final = "The actions have no type of resource, so IAM takes nothing narrower."


def reason_for(resource: str) -> str:
    """Give the reason; raises LookupError for a pattern of a kind that nobody has given one."""
    if resource == "*":
        return _ANY
    _arn, _partition, service, _region, _account, name = resource.split(":", 5)
    for kind, reason in _REASONS:
        if f"{service}:{name}".startswith(kind):
            return reason
    raise LookupError(f"{resource} is a pattern of a kind without a reason: narrow it, or add the reason to _REASONS.")
