"""Tables of what IAM documents of its evaluation: wildcards, denials, boundaries and condition operators."""

from __future__ import annotations

import pytest

from infra.local.authorization.conditions import Unjudgeable, holds
from infra.local.authorization.evaluation import Allowed, Asked, Denied, Policy, Why, evaluate
from infra.local.authorization.patterns import matches_action, matches_arn
from infra.privilege.documents import Condition, Document, Effect, Statement

VPC = "arn:aws:ec2:us-west-2:123456789012:vpc/vpc-1"


@pytest.mark.parametrize(
    ("pattern", "arn", "expected"),
    [
        ("*", VPC, True),
        (VPC, VPC, True),
        ("arn:aws:ec2:us-west-2:123456789012:vpc/*", VPC, True),
        ("arn:aws:ec2:us-west-2:123456789012:*", VPC, True),
        ("arn:aws:ec2:*:*:vpc/vpc-?", VPC, True),
        ("arn:aws:ec2:us-west-2:123456789012:vpc/VPC-1", VPC, False),
        ("arn:aws:ec2:*", VPC, False),
        ("arn:aws:ec2:us-west-2:*:subnet/*", VPC, False),
        # What a name has of other languages' wildcards is a name.
        ("arn:aws:s3:::a[b]c", "arn:aws:s3:::abc", False),
        ("arn:aws:s3:::a[b]c", "arn:aws:s3:::a[b]c", True),
        ("arn:aws:logs:r:1:log-group:/a/*:log-stream:*", "arn:aws:logs:r:1:log-group:/a/b/c:log-stream:d", True),
        ("arn:aws:s3:::bucket/*", "arn:aws:s3:::bucket", False),
    ],
)
def test_an_arn_is_compared_part_by_part_in_its_case(pattern: str, arn: str, expected: bool) -> None:
    assert matches_arn(pattern, arn) is expected


@pytest.mark.parametrize(
    ("pattern", "expected"), [("EC2:describevpcs", True), ("ec2:Describe*", True), ("*", True), ("ec2:Describe", False)]
)
def test_an_action_has_no_case(pattern: str, expected: bool) -> None:
    assert matches_action(pattern, "ec2:DescribeVpcs") is expected


# Operator, the policy's values, the request's (None: it has no such key), whether the condition holds.
TABLE: list[tuple[str, tuple[str, ...], tuple[str, ...] | None, bool]] = [
    ("StringEquals", ("a", "b"), ("b",), True),
    ("StringEquals", ("a",), ("A",), False),
    ("StringEquals", ("a",), None, False),
    ("StringEquals", ("a*",), ("ab",), False),
    ("StringEqualsIfExists", ("a",), None, True),
    ("StringEqualsIfExists", ("a",), ("b",), False),
    ("StringNotEquals", ("a", "b"), ("c",), True),
    ("StringNotEquals", ("a", "b"), ("b",), False),
    ("StringNotEquals", ("a",), None, True),
    ("StringEqualsIgnoreCase", ("a",), ("A",), True),
    ("StringNotEqualsIgnoreCase", ("a",), ("A",), False),
    ("StringLike", ("?*",), ("t1",), True),
    ("StringLike", ("?*",), ("",), False),
    ("StringLike", ("?*",), None, False),
    ("StringNotLike", ("a*",), ("ab",), False),
    ("StringNotLike", ("a*",), None, True),
    ("ArnEquals", ("arn:aws:iam::aws:policy/A*",), ("arn:aws:iam::aws:policy/AB",), True),
    ("ArnLike", ("arn:aws:iam::aws:policy/A*",), ("arn:aws:iam::1:policy/AB",), False),
    ("ArnNotLike", ("arn:aws:iam::aws:policy/A*",), ("arn:aws:iam::aws:policy/AB",), False),
    ("ArnNotEquals", ("arn:aws:iam::aws:policy/A",), ("arn:aws:iam::aws:policy/B",), True),
    ("Bool", ("false",), ("False",), True),
    ("Bool", ("true",), None, False),
    ("Null", ("true",), None, True),
    ("Null", ("true",), ("a",), False),
    ("Null", ("false",), ("a",), True),
    ("ForAllValues:StringEquals", ("a", "b"), ("a", "b"), True),
    ("ForAllValues:StringEquals", ("a", "b"), ("a", "c"), False),
    ("ForAllValues:StringEquals", ("a",), None, True),
    ("ForAllValues:StringNotEquals", ("a",), ("b", "a"), False),
    ("ForAnyValue:StringEquals", ("a",), ("c", "a"), True),
    ("ForAnyValue:StringEquals", ("a",), ("c",), False),
    ("ForAnyValue:StringEquals", ("a",), None, False),
    ("ForAnyValue:StringLike", ("a*",), ("c", "ab"), True),
]


@pytest.mark.parametrize(("operator", "wanted", "found", "expected"), TABLE)
def test_a_condition_holds_as_documented(
    operator: str, wanted: tuple[str, ...], found: tuple[str, ...] | None, expected: bool
) -> None:
    context = {} if found is None else {"aws:tagkeys": found}
    assert holds(Condition(operator, "aws:TagKeys", wanted), context) is expected


@pytest.mark.parametrize(
    "condition",
    [
        Condition("NumericLessThan", "s3:max-keys", ("10",)),
        Condition("ForAllValues:IpAddress", "aws:SourceIp", ("10.0.0.0/8",)),
        Condition("StringEquals", "aws:TagKeys", ("${aws:username}",)),
        Condition("StringEquals", "aws:TagKeys", ("a",)),
    ],
)
def test_what_cannot_be_judged_is_an_error(condition: Condition) -> None:
    context = {"aws:tagkeys": ("a", "b"), "s3:max-keys": ("1",), "aws:sourceip": ("10.0.0.1",)}
    with pytest.raises(Unjudgeable):
        holds(condition, context)


READ = Statement("Read", ("ec2:Describe*",), ("*",))
OURS = Statement("Ours", ("ec2:DeleteVpc",), ("*",), (Condition("StringEquals", "aws:ResourceTag/By", ("us",)),))
NEVER = Statement("Never", ("ec2:*",), (VPC,), effect=Effect.DENY)
ONLY = Statement("Only", ("ec2:DeleteVpc",), (VPC,), effect=Effect.DENY, elsewhere=True)
CEILING = Document((Statement("All", ("ec2:DescribeVpcs",), ("*",)),))


@pytest.mark.parametrize(
    ("action", "statements", "boundary", "expected"),
    [
        ("ec2:DescribeVpcs", (READ,), None, Allowed(("Read",))),
        ("ec2:DescribeVpcs", (READ, READ), CEILING, Allowed(("Read", "Read"))),
        ("ec2:DescribeSubnets", (READ,), CEILING, Denied(Why.BOUNDARY_SILENT)),
        ("ec2:DescribeVpcs", (), CEILING, Denied(Why.SILENT)),
        ("ec2:DescribeVpcs", (READ, NEVER), None, Denied(Why.DENIED)),
        ("ec2:DescribeVpcs", (READ,), Document((*CEILING.statements, NEVER)), Denied(Why.BOUNDARY_DENIED)),
        ("ec2:DescribeVpcs", (), Document((NEVER,)), Denied(Why.BOUNDARY_DENIED)),
        ("ec2:DeleteVpc", (OURS,), None, Allowed(("Ours",))),
        ("ec2:DeleteVpc", (OURS, ONLY), None, Allowed(("Ours",))),
        ("ec2:CreateVpc", (READ, OURS), None, Denied(Why.SILENT)),
    ],
)
def test_a_denial_wins_and_policy_and_boundary_must_both_allow(
    action: str, statements: tuple[Statement, ...], boundary: Document | None, expected: Allowed | Denied
) -> None:
    asked = Asked(action, VPC, {"aws:resourcetag/BY": ("us",)})
    assert evaluate(asked, Policy(Document(statements)), None if boundary is None else Policy(boundary)) == expected


def test_a_denial_of_all_but_some_resources_strikes_the_others_alone() -> None:
    free, other = Statement("Free", ("ec2:*",), ("*",)), VPC.replace("vpc-1", "vpc-2")
    assert evaluate(Asked("ec2:DeleteVpc", VPC), Policy(Document((free, ONLY)))) == Allowed(("Free",))
    assert evaluate(Asked("ec2:DeleteVpc", other), Policy(Document((free, ONLY)))) == Denied(Why.DENIED)
