"""The one address: what leads where, what is cached, what the browser is told, who reads the bucket."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from infra.host.console import Console
from infra.host.context import Context
from infra.host.files import Document, Files
from tests.infrastructure.edge_stack import PLACE, Resource, Stacked, at, stacked

if TYPE_CHECKING:
    from aws_cdk import Stack
    from pydantic import JsonValue

API_HOST = "api.example.com"
HEADERS = "instantstart-headers-"
DOCUMENTS = "/.well-known/*"
CONNECTS = ("https://login.example.com", "wss://sockets.example.com")
# CloudFront's own policies, by the ids that its developer guide lists.
CACHING_DISABLED = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
CACHING_OPTIMIZED = "658327ea-f89d-4fab-a63d-7e88639e58f6"
ALL_BUT_THE_HOST = "b689b0a8-53d0-40ab-baf2-68738e2966ac"


def console(build: Path) -> Stacked:
    """Synthesise the console's address with a build at `build`."""

    def add(stack: Stack) -> None:
        context = Context()
        made = Console(stack, "Console", api_host=API_HOST, connects_to=CONNECTS, context=context, place=PLACE)
        files = Files(stack, "Files", context=context, place=PLACE)
        made.publish(files, [Document("config.json", {"api_url": f"{made.origin}/api"})], build)

    return stacked(add)


@pytest.fixture(scope="module")
def unbuilt(tmp_path_factory: pytest.TempPathFactory) -> Stacked:
    return console(tmp_path_factory.mktemp("nothing"))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Stacked:
    build = tmp_path_factory.mktemp("dist")
    (build / "index.html").write_text("<!doctype html>", encoding="utf-8")
    (build / "assets").mkdir()
    (build / "assets" / "index-Bx1.js").write_text("void 0", encoding="utf-8")
    return console(build)


def behaviours(stack: Stacked) -> dict[str, dict[str, JsonValue]]:
    """Give the behaviours by the pattern of each, the default as `*`."""
    config = cast("dict[str, JsonValue]", stack.one("CloudFront::Distribution").properties["DistributionConfig"])
    listed = cast("list[dict[str, JsonValue]]", config["CacheBehaviors"])
    default = cast("dict[str, JsonValue]", config["DefaultCacheBehavior"])
    return {**{str(each["PathPattern"]): each for each in listed}, "*": default}


def origin(stack: Stacked, behaviour: dict[str, JsonValue]) -> dict[str, JsonValue]:
    config = cast("dict[str, JsonValue]", stack.one("CloudFront::Distribution").properties["DistributionConfig"])
    listed = cast("list[dict[str, JsonValue]]", config["Origins"])
    return next(each for each in listed if each["Id"] == behaviour["TargetOriginId"])


def function_of(stack: Stacked, behaviour: dict[str, JsonValue]) -> str | None:
    """Name the function that sees a behaviour's requests first."""
    called = cast("list[dict[str, str]]", behaviour.get("FunctionAssociations") or [])
    names = {f"<{each.name}.FunctionARN>": each.text("Name") for each in stack.of("CloudFront::Function")}
    found = [names[each["FunctionARN"]] for each in called if each["EventType"] == "viewer-request"]
    return found[0] if found else None


def listed(value: JsonValue) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else [str(value)]


def files(stack: Stacked) -> Resource:
    return next(each for each in stack.resources if each.kind == "Custom::Files")


@pytest.mark.parametrize("pattern", ["/api/*", "/mcp*"])
def test_calls_go_to_the_api_as_they_are_and_no_answer_is_kept(pattern: str, unbuilt: Stacked) -> None:
    behaviour = behaviours(unbuilt)[pattern]

    assert origin(unbuilt, behaviour)["DomainName"] == API_HOST
    assert behaviour["CachePolicyId"] == CACHING_DISABLED
    assert behaviour["OriginRequestPolicyId"] == ALL_BUT_THE_HOST
    assert behaviour["ViewerProtocolPolicy"] == "https-only"
    assert set(cast("list[str]", behaviour["AllowedMethods"])) >= {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


def test_no_path_is_put_in_front_of_the_apis(unbuilt: Stacked) -> None:
    assert not origin(unbuilt, behaviours(unbuilt)["/api/*"]).get("OriginPath")


def test_the_api_is_spoken_to_in_tls_and_waited_for_longer_than_it_takes(unbuilt: Stacked) -> None:
    custom = cast("dict[str, JsonValue]", origin(unbuilt, behaviours(unbuilt)["/api/*"])["CustomOriginConfig"])

    assert (custom["OriginProtocolPolicy"], custom["OriginSSLProtocols"]) == ("https-only", ["TLSv1.2"])
    assert int(str(custom["OriginReadTimeout"])) > 30


@pytest.mark.case(76)
def test_only_calls_of_agents_are_challenged_and_only_pages_are_led_to_the_document(unbuilt: Stacked) -> None:
    seen = {pattern: function_of(unbuilt, each) for pattern, each in behaviours(unbuilt).items()}

    assert seen == {
        "/api/*": None,
        "/mcp*": "instantstart-challenge-us-west-2",
        "/.well-known/*": "instantstart-documents-us-west-2",
        "*": "instantstart-pages-us-west-2",
    }


def test_no_refusal_is_masked_by_the_console(unbuilt: Stacked) -> None:
    config = cast("dict[str, JsonValue]", unbuilt.one("CloudFront::Distribution").properties["DistributionConfig"])

    assert "CustomErrorResponses" not in config
    assert config["HttpVersion"] == "http2and3"


@pytest.mark.parametrize("pattern", ["/.well-known/*", "*"])
def test_files_are_read_from_the_bucket_and_kept_as_they_say(pattern: str, unbuilt: Stacked) -> None:
    behaviour = behaviours(unbuilt)[pattern]

    assert "OriginAccessControlId" in origin(unbuilt, behaviour)
    assert behaviour["CachePolicyId"] == CACHING_OPTIMIZED
    assert set(listed(behaviour["AllowedMethods"])) - {"OPTIONS"} == {"GET", "HEAD"}


def test_the_bucket_is_read_by_this_distribution_only(unbuilt: Stacked) -> None:
    bucket = unbuilt.one("S3::Bucket", BucketName="instantstart-console-111122223333-us-west-2")
    policy = unbuilt.one("S3::BucketPolicy", Bucket=f"<{bucket.name}>")
    statements = cast("list[dict[str, JsonValue]]", policy.properties["PolicyDocument"]["Statement"])  # type: ignore[call-overload,index]
    allowed = [each for each in statements if each["Effect"] == "Allow"]

    assert [each["Principal"] for each in allowed] == [{"Service": "cloudfront.amazonaws.com"}]
    distribution = unbuilt.one("CloudFront::Distribution").name
    source = f"arn:aws:cloudfront::111122223333:distribution/<{distribution}>"
    assert allowed[0]["Condition"] == {"StringEquals": {"AWS:SourceArn": source}}


@pytest.mark.parametrize("name", ["Files", "Logs"])
def test_no_bucket_is_public_or_read_in_the_clear(name: str, unbuilt: Stacked) -> None:
    bucket = next(each for each in unbuilt.of("S3::Bucket") if f"Buckets{name}" in each.name)
    policy = unbuilt.one("S3::BucketPolicy", Bucket=f"<{bucket.name}>")

    assert set(cast("dict[str, bool]", bucket.properties["PublicAccessBlockConfiguration"]).values()) == {True}
    assert "aws:SecureTransport" in policy.text("PolicyDocument")


def test_every_answer_tells_the_browser_whom_the_pages_may_speak_to(unbuilt: Stacked) -> None:
    headers = unbuilt.one("CloudFront::ResponseHeadersPolicy", ResponseHeadersPolicyConfig__Name=f"{HEADERS}us-west-2")
    path = ("ResponseHeadersPolicyConfig", "SecurityHeadersConfig")
    policy = headers.text(*path, "ContentSecurityPolicy", "ContentSecurityPolicy")
    directives = dict(each.split(" ", 1) for each in policy.split("; "))

    others = {each["ResponseHeadersPolicyId"] for path, each in behaviours(unbuilt).items() if path != DOCUMENTS}
    assert others == {f"<{headers.name}>"}
    assert directives["default-src"] == "'none'"
    assert directives["script-src"] == "'self'"
    assert directives["frame-ancestors"] == "'none'"
    assert directives["connect-src"].split() == ["'self'", *CONNECTS]
    assert int(headers.text(*path, "StrictTransportSecurity", "AccessControlMaxAgeSec")) >= 31536000
    assert headers.text(*path, "FrameOptions", "FrameOption") == "DENY"
    assert headers.properties["ResponseHeadersPolicyConfig"]["SecurityHeadersConfig"]["ContentTypeOptions"]  # type: ignore[call-overload,index]


def test_pages_of_any_origin_may_look_up_how_to_sign_in_and_nothing_else(unbuilt: Stacked) -> None:
    policies = unbuilt.of("CloudFront::ResponseHeadersPolicy")
    found = {f"<{each.name}>": at(each.properties, "ResponseHeadersPolicyConfig") for each in policies}
    opened = {
        path
        for path, each in behaviours(unbuilt).items()
        if at(found[str(each["ResponseHeadersPolicyId"])], "CorsConfig")
    }
    [name] = [name for name, each in found.items() if at(each, "CorsConfig")]

    assert opened == {DOCUMENTS}
    assert at(found[name], "CorsConfig", "AccessControlAllowOrigins", "Items") == ["*"]
    assert at(found[name], "CorsConfig", "AccessControlAllowCredentials") is False
    closed = next(each for each in found.values() if not at(each, "CorsConfig"))
    assert at(found[name], "SecurityHeadersConfig") == at(closed, "SecurityHeadersConfig")
    assert listed(behaviours(unbuilt)[DOCUMENTS]["AllowedMethods"]) == ["GET", "HEAD", "OPTIONS"]


def test_other_hosts_of_a_companys_domain_are_not_bound_to_tls_by_ours(unbuilt: Stacked) -> None:
    for each in unbuilt.of("CloudFront::ResponseHeadersPolicy"):
        path = ("ResponseHeadersPolicyConfig", "SecurityHeadersConfig", "StrictTransportSecurity")
        assert at(each.properties, *path, "IncludeSubdomains") is False


def test_requests_are_logged_without_cookies_for_as_long_as_the_deployment_says(unbuilt: Stacked) -> None:
    _condition, there, _elsewhere = logging_of(unbuilt)
    bucket = next(each for each in unbuilt.of("S3::Bucket") if "BucketsLogs" in each.name)

    assert there == {"Bucket": f"<{bucket.name}.RegionalDomainName>", "Prefix": "distribution/"}
    assert "'ExpirationInDays': 30" in bucket.text("LifecycleConfiguration")


@pytest.mark.parametrize("region", ["me-central-1", "ap-southeast-3", "eu-south-2", "ca-west-1"])
def test_where_cloudfront_delivers_no_log_none_is_asked_for(region: str, unbuilt: Stacked) -> None:
    condition, _there, elsewhere = logging_of(unbuilt)

    assert elsewhere == "<AWS::NoValue>"
    assert not holds(unbuilt.conditions[str(condition)], region)
    assert holds(unbuilt.conditions[str(condition)], "us-west-2")


def logging_of(stack: Stacked) -> list[JsonValue]:
    """Give the condition under which requests are logged, and what is said where it holds and where not."""
    logging = stack.one("CloudFront::Distribution").properties["DistributionConfig"]["Logging"]  # type: ignore[call-overload,index]
    return cast("list[JsonValue]", cast("dict[str, JsonValue]", logging)["Fn::If"])


def holds(expression: JsonValue, region: str) -> bool:
    """Evaluate a condition on the region."""
    match expression:
        case {"Fn::Not": [inner]}:
            return not holds(inner, region)
        case {"Fn::Or": list(inner)}:
            assert 2 <= len(inner) <= 10
            return any(holds(each, region) for each in inner)
        case {"Fn::Equals": [{"Ref": "AWS::Region"}, str(named)]}:
            return named == region
    raise AssertionError(f"{expression} is no condition that this knows")


def test_an_unbuilt_console_publishes_its_documents_only(unbuilt: Stacked) -> None:
    written = files(unbuilt)

    assert not written.properties.get("archives")
    assert [each["key"] for each in cast("list[dict[str, str]]", written.properties["documents"])] == ["config.json"]


def test_whoever_deploys_an_unbuilt_console_is_warned(unbuilt: Stacked, built: Stacked) -> None:
    [warning] = [each for each in unbuilt.warnings if "console" in each]

    assert "frontend/dist/index.html is missing" in warning
    assert not [each for each in built.warnings if "console" in each]


def test_a_built_console_is_published_with_what_it_names_before_the_document_that_names_it(built: Stacked) -> None:
    archives = cast("list[dict[str, str]]", files(built).properties["archives"])

    assert [(each["prefix"], each["cache_control"]) for each in archives] == [
        ("assets/", "public, max-age=31536000, immutable"),
        ("", "no-cache"),
    ]


def test_the_function_that_writes_may_touch_nothing_but_the_bucket_and_the_archive(built: Stacked) -> None:
    policy = next(each for each in built.of("IAM::Policy") if "Files" in each.name)
    statements = cast("list[dict[str, JsonValue]]", policy.properties["PolicyDocument"]["Statement"])  # type: ignore[call-overload,index]
    by_action: dict[str, list[str]] = {}
    for each in statements:
        for action in listed(each["Action"]):
            by_action.setdefault(action, []).extend(listed(each["Resource"]))
    bucket = built.one("S3::Bucket", BucketName="instantstart-console-111122223333-us-west-2")

    assert not [action for action in by_action if "*" in action]
    assert by_action["s3:PutObject"] == by_action["s3:DeleteObject"] == [f"<{bucket.name}.Arn>/*"]
    assert by_action["s3:ListBucket"] == [f"<{bucket.name}.Arn>"]
    assert len(by_action["s3:GetObject"]) == 2
    assert all(each.endswith(".zip") for each in by_action["s3:GetObject"])
