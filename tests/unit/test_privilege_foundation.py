"""The role of foundation stacks may do what the types of the template need, and only to what the template names."""

from __future__ import annotations

import re
from pathlib import Path

from infra.local.simulators.stack_template import parse
from infra.privilege import foundation
from infra.privilege.roles import documents
from infra.release import Place
from infra.topology import FOUNDATION_ROLE, TOPOLOGY

TEMPLATE = parse((Path(__file__).parents[2] / "infra/cluster/foundation.yaml").read_text(encoding="utf-8"))
STATEMENTS = {
    each.sid: each for each in documents(TOPOLOGY, Place("123456789012", "us-west-2"))[FOUNDATION_ROLE.name].statements
}


def test_the_needs_of_exactly_the_types_in_the_template_are_known() -> None:
    assert set(foundation.NEEDS) == {resource.type for resource in TEMPLATE.resources.values()}


def test_every_role_of_the_template_has_the_boundary() -> None:
    roles = [each for each in TEMPLATE.resources.values() if each.type == "AWS::IAM::Role"]
    assert len(roles) == 3
    assert all(role.properties["PermissionsBoundary"] == {"Ref": "PermissionsBoundaryArn"} for role in roles)


def test_the_roles_get_the_policies_of_the_template_attached_and_no_others() -> None:
    text = (Path(__file__).parents[2] / "infra/cluster/foundation.yaml").read_text(encoding="utf-8")
    assert set(re.findall(r"iam::aws:(policy/\w+)", text)) == set(foundation.POLICIES)
    attached = next(one for one in STATEMENTS["AttachPolicies"].conditions if one.key == "iam:PolicyARN")
    assert attached.values == tuple(f"arn:aws:iam::aws:{each}" for each in foundation.POLICIES)


def test_what_the_stack_made_is_taken_away_only_where_it_bears_our_tag() -> None:
    removal = STATEMENTS["UnmakeNetwork"]
    assert {"ec2:DeleteVpc", "ec2:DeleteSubnet", "ec2:ReleaseAddress", "ec2:DetachInternetGateway"} <= set(
        removal.actions
    )
    assert [(one.key, one.values) for one in removal.conditions] == [
        ("aws:ResourceTag/instantstart:managed-by", ("instantstart",))
    ]
    others = [each for sid, each in STATEMENTS.items() if sid not in ("UnmakeNetwork", "TagNetwork")]
    assert not any(action.startswith("ec2:Delete") for each in others for action in each.actions)


def test_clusters_and_buckets_of_other_names_are_none_of_its_business() -> None:
    assert all("eks-cluster-" in arn for arn in STATEMENTS["ManageEks"].resources)
    assert STATEMENTS["ManageBucket"].resources == ("arn:aws:s3:::sagemaker-*-123456789012-us-west-2",)


def test_the_control_planes_role_is_passed_to_eks_alone() -> None:
    passing = [each for each in STATEMENTS.values() if "iam:PassRole" in each.actions]
    assert [[one.values for one in each.conditions] for each in passing] == [[("eks.amazonaws.com",)]]
