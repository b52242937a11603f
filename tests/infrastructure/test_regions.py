"""Two deployments stand side by side in one account, one a region: no name is taken twice, and no role reaches over."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest

from infra.release import boundary_arn
from tests.infrastructure.deployment import PLACE, elsewhere

if TYPE_CHECKING:
    from tests.infrastructure.deployment import Deployment, Resource

THERE: Final = "eu-central-1"
# Where the name stands of what an account, or all of AWS, has once.
# Sources: CloudFormation template reference of each type; S3, CloudFront and IAM user guides on names.
GLOBAL: Final = {
    "AWS::CloudFront::Function": ("Name",),
    "AWS::CloudFront::OriginAccessControl": ("OriginAccessControlConfig", "Name"),
    "AWS::CloudFront::ResponseHeadersPolicy": ("ResponseHeadersPolicyConfig", "Name"),
    "AWS::CloudWatch::Dashboard": ("DashboardName",),
    "AWS::IAM::ManagedPolicy": ("ManagedPolicyName",),
    "AWS::IAM::Role": ("RoleName",),
    "AWS::S3::Bucket": ("BucketName",),
}
# What each region has for itself, what belongs to something else, and what AWS names.
OTHERS: Final = {
    *("AWS::ApiGateway::Account", "AWS::ApiGatewayV2::Api", "AWS::ApiGatewayV2::Authorizer"),
    *("AWS::ApiGatewayV2::Integration", "AWS::ApiGatewayV2::Route", "AWS::ApiGatewayV2::Stage"),
    *("AWS::CloudFront::Distribution", "AWS::CloudWatch::Alarm", "AWS::Cognito::ManagedLoginBranding"),
    *("AWS::Cognito::UserPool", "AWS::Cognito::UserPoolClient", "AWS::Cognito::UserPoolDomain"),
    *("AWS::Cognito::UserPoolGroup", "AWS::Cognito::UserPoolResourceServer", "AWS::DynamoDB::GlobalTable"),
    *("AWS::Events::Rule", "AWS::IAM::Policy", "AWS::Lambda::EventInvokeConfig", "AWS::Lambda::EventSourceMapping"),
    *("AWS::Lambda::Alias", "AWS::Lambda::Function", "AWS::Lambda::LayerVersion", "AWS::Lambda::Permission"),
    *("AWS::Lambda::Version", "AWS::Logs::LogGroup"),
    *("AWS::S3::BucketPolicy", "AWS::SNS::Subscription", "AWS::SNS::Topic", "AWS::SNS::TopicPolicy"),
    *("AWS::SQS::Queue", "AWS::SQS::QueuePolicy", "AWS::SecretsManager::Secret", "AWS::StepFunctions::StateMachine"),
    "Custom::Files",
}


@pytest.fixture(scope="module", params=["plain", "chosen"])
def here(request: pytest.FixtureRequest) -> Deployment:
    deployment: Deployment = request.getfixturevalue(request.param)
    return deployment


@pytest.fixture(scope="module")
def there(here: Deployment) -> Deployment:
    return elsewhere(here, THERE)


def test_of_every_type_somebody_has_said_whether_an_account_has_a_name_of_it_once(here: Deployment) -> None:
    assert {each.kind for each in here.resources} - GLOBAL.keys() - OTHERS == set()


def test_no_name_that_an_account_has_once_is_in_both_regions(here: Deployment, there: Deployment) -> None:
    ours, theirs = names_in(here), names_in(there)
    assert {kind for kind, _ in ours} == {kind for kind in GLOBAL if here.of(kind)}
    assert len(ours) == len(theirs)
    assert ours & theirs == set()


def test_no_statement_of_one_region_names_a_role_or_policy_of_the_other(here: Deployment, there: Deployment) -> None:
    for deployment, own, other in ((here, PLACE.region, THERE), (there, THERE, PLACE.region)):
        text = json.dumps([each.properties for each in deployment.resources if each.kind.startswith("AWS::IAM::")])
        assert f"/instantstart/{own}/" in text
        assert other not in text
        # Nor all of both: a pattern ends behind the region, and what is not ours is under no path of ours.
        assert text.count("/instantstart/") == text.count(f"/instantstart/{own}/")


def test_the_roles_of_one_region_s_clusters_are_bounded_by_its_own_boundary_alone(here: Deployment) -> None:
    bounds = {
        value
        for each in here.of("IAM::Role")
        for policy in each.list_at("Policies")
        for value in conditions(policy, "iam:PermissionsBoundary")
    }
    assert bounds == {boundary_arn(PLACE)}


def names_in(deployment: Deployment) -> set[tuple[str, str]]:
    """List the explicit names of what is known worldwide, with its type."""
    return {(each.kind, name) for each in deployment.resources if (name := name_of(each))}


def name_of(resource: Resource) -> str | None:
    path = GLOBAL.get(resource.kind)
    name = resource.at(*path) if path else None
    return None if name is None else str(name)


def conditions(value: object, key: str) -> list[str]:
    """List the values of a condition key, wherever it stands in a policy."""
    if isinstance(value, list):
        return [found for each in value for found in conditions(each, key)]
    if not isinstance(value, dict):
        return []
    here = value.get(key, [])
    own = [str(each) for each in (here if isinstance(here, list) else [here])]
    return [*own, *(found for name, each in value.items() if name != key for found in conditions(each, key))]
