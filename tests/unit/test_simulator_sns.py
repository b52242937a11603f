"""SNS as far as people are told by it: topics, and what a message may be."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from infra.local.simulators.sns import Message, Sns
from tests.unit.test_simulator_service_helpers import ACCOUNT, REGION, AwsClient, Clock, client_of

ARN = f"arn:aws:sns:{REGION}:{ACCOUNT}:news"


@pytest.fixture
def topics() -> Sns:
    return Sns(Clock(), ACCOUNT, REGION)


@pytest.fixture
def client(topics: Sns) -> AwsClient:
    client = client_of(topics)
    assert client.create_topic(Name="news")["TopicArn"] == ARN
    return client


def refused(client: AwsClient, **message: str) -> str:
    with pytest.raises(ClientError) as raised:
        client.publish(**message)
    return raised.value.response["Error"]["Code"]


def test_a_message_is_kept_and_heard(topics: Sns, client: AwsClient) -> None:
    heard = list[Message]()
    topics.on_message = heard.append
    sent = client.publish(TopicArn=ARN, Subject="It failed", Message="Because.")
    assert [(each.subject, each.text) for each in heard] == [("It failed", "Because.")]
    assert topics.records.messages == heard
    assert heard[0].message_id == sent["MessageId"]


def test_a_topic_is_made_once_and_listed(client: AwsClient) -> None:
    client.create_topic(Name="news")
    assert client.list_topics()["Topics"] == [{"TopicArn": ARN}]


def test_what_sns_would_refuse_is_refused(topics: Sns, client: AwsClient) -> None:
    assert refused(client, TopicArn=f"{ARN}-other", Message="m") == "NotFound"
    for subject in ("x" * 100, "two\nlines", " begins with a space", "f\u00e4llt"):
        assert refused(client, TopicArn=ARN, Message="m", Subject=subject) == "InvalidParameter"
    assert refused(client, TopicArn=ARN, Message="") == "InvalidParameter"
    assert refused(client, TopicArn=ARN, Message="x" * (256 * 1024 + 1)) == "InvalidParameter"
    assert topics.records.messages == []


def test_what_is_not_simulated_says_so(client: AwsClient) -> None:
    assert refused(client, TopicArn=ARN, Message="m", MessageGroupId="g") == "UnverifiedOperation"
    with pytest.raises(ClientError, match="unverified"):
        client.subscribe(TopicArn=ARN, Protocol="email", Endpoint="a@example.com")
