"""The one address of a deployment: CloudFront in front of the console's files, the API, and what agents look for."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, cast

from aws_cdk import Annotations, Aws, CfnCondition, Duration, Fn
from aws_cdk import aws_certificatemanager as certificates
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudfront_origins as origins
from constructs import Construct

from infra.host.acknowledged import acknowledge
from infra.host.console_buckets import ConsoleBuckets
from infra.host.files import Document, Files, Folder
from infra.host.pages import (
    BUILD,
    FOR_EVER,
    FRAMES,
    NAMED_BY_CONTENT,
    PERMISSIONS,
    REFERRERS,
    TWO_YEARS_OF_DAYS,
    content_security_policy,
)
from infra.shapes import ROOT
from infra.topology import MCP_PATH, PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aws_cdk import ICfnRuleConditionExpression

    from infra.host.context import Context
    from infra.release import Place

EDGE_FUNCTIONS: Final = Path(__file__).resolve().parent / "edge_functions"
# The gateway gives up after 30 seconds and says so; who gives up earlier hides that.
_API_SECONDS: Final = 35
# To buckets of regions that an account opts in to, CloudFront delivers no standard log, and a distribution that names
# one is refused. Source: CloudFront developer guide, "Choose an Amazon S3 bucket for your standard logs", and Account
# Management reference guide, "Region availability reference", for those that are newer.
WITHOUT_LOGS: Final = (
    *("af-south-1", "ap-east-1", "ap-east-2", "ap-south-2", "ap-southeast-3", "ap-southeast-4", "ap-southeast-5"),
    *("ap-southeast-6", "ap-southeast-7", "ca-west-1", "eu-central-2", "eu-south-1", "eu-south-2", "il-central-1"),
    *("me-central-1", "me-south-1", "mx-central-1"),
)
# What Fn::Or takes.
_MOST_CONDITIONS: Final = 10
_ANY_ORIGIN: Final = cloudfront.ResponseHeadersCorsBehavior(
    access_control_allow_credentials=False,
    access_control_allow_headers=["*"],
    access_control_allow_methods=["GET", "HEAD", "OPTIONS"],
    access_control_allow_origins=["*"],
    origin_override=True,
)
_UNBUILT: Final = (
    f"The console is not built: {BUILD.relative_to(ROOT)}/index.html is missing, so its pages will answer 403 or 404. "
    "`make console` builds it; then synthesise again, unless only the API is wanted."
)
_LOG_PREFIX: Final = "distribution/"


class Console(Construct):
    """The distribution with its buckets. `origin` is the address without a path, `domain` its host.

    The console's files are there once it is built (`frontend/dist`); until then pages answer 404, the rest works.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        api_host: str,
        connects_to: Sequence[str],
        context: Context,
        place: Place,
    ) -> None:
        super().__init__(scope, construct_id)
        self._place = place
        self._buckets = ConsoleBuckets(self, "Buckets", context=context, place=place)
        security = _security(connects_to)
        self._headers = self._add_headers("headers", security)
        # Agents in browsers look up how to sign in from pages of any origin.
        self._open_headers = self._add_headers("open-headers", security, _ANY_ORIGIN)
        self.distribution = self._add_distribution(api_host, context)
        self._acknowledge(context)
        custom = context.custom_domain
        self.domain = custom.name if custom else self.distribution.distribution_domain_name
        self.origin = f"https://{self.domain}"

    def publish(self, files: Files, documents: Sequence[Document], build: Path = BUILD) -> None:
        """Write documents beside the console, and the console itself where it has been built."""
        if not (build / "index.html").is_file():
            Annotations.of(self).add_warning_v2("instantstart:unbuilt", _UNBUILT)
            files.write(self, "Files", self._buckets.files, documents=documents)
            return
        with TemporaryDirectory() as scratch:
            rest = Path(scratch)
            shutil.copytree(build, rest, dirs_exist_ok=True)
            shutil.rmtree(rest / NAMED_BY_CONTENT, ignore_errors=True)
            # What the document names is there before the document is.
            lasting = Folder(build / NAMED_BY_CONTENT, f"{NAMED_BY_CONTENT}/", FOR_EVER)
            folders = [lasting, Folder(rest)] if lasting.path.is_dir() else [Folder(rest)]
            files.write(self, "Files", self._buckets.files, folders=folders, documents=documents)

    def _add_distribution(self, api_host: str, context: Context) -> cloudfront.Distribution:
        custom = context.custom_domain
        pages, behaviours = self._behaviours(api_host)
        # No error page: it would put the console in the place of every refusal of the API.
        made = cloudfront.Distribution(
            self,
            "Distribution",
            comment="HyperPod InstantStart",
            default_root_object="index.html",
            default_behavior=pages,
            additional_behaviors=behaviours,
            domain_names=[custom.name] if custom else None,
            certificate=self._certificate(custom.certificate_arn) if custom else None,
            minimum_protocol_version=cloudfront.SecurityPolicyProtocol.TLS_V1_2_2021,
            http_version=cloudfront.HttpVersion.HTTP2_AND_3,
            log_bucket=self._buckets.logs,
            log_file_prefix=_LOG_PREFIX,
        )
        self._log_where_cloudfront_can(made)
        return made

    def _log_where_cloudfront_can(self, distribution: cloudfront.Distribution) -> None:
        logged = CfnCondition(self, "Logged", expression=Fn.condition_not(_is_one_of(WITHOUT_LOGS)))
        settings = {"Bucket": self._buckets.logs.bucket_regional_domain_name, "Prefix": _LOG_PREFIX}
        made = cast("cloudfront.CfnDistribution", distribution.node.default_child)
        made.add_property_override(
            "DistributionConfig.Logging", Fn.condition_if(logged.logical_id, settings, Aws.NO_VALUE)
        )

    def _acknowledge(self, context: Context) -> None:
        acknowledge(self.distribution, "CFR1", "Only whoever deploys knows from which countries their people work.")
        acknowledge(self.distribution, "CFR2", "A firewall costs monthly; routes are throttled, and ask for a token.")
        if context.custom_domain is None:
            acknowledge(self.distribution, "CFR4", "The policy of CloudFront's own domain is fixed.")

    def _certificate(self, arn: str) -> certificates.ICertificate:
        return certificates.Certificate.from_certificate_arn(self, "Certificate", arn)

    def _behaviours(self, api_host: str) -> tuple[cloudfront.BehaviorOptions, Mapping[str, cloudfront.BehaviorOptions]]:
        api = origins.HttpOrigin(
            api_host,
            protocol_policy=cloudfront.OriginProtocolPolicy.HTTPS_ONLY,
            origin_ssl_protocols=[cloudfront.OriginSslPolicy.TLS_V1_2],
            read_timeout=Duration.seconds(_API_SECONDS),
        )
        files = self._files_origin()
        return self._files(files, self._edge_function("pages")), {
            "/api/*": self._calls(api),
            f"{MCP_PATH}*": self._calls(api, self._edge_function("challenge")),
            # Files as well, and never a page.
            "/.well-known/*": self._documents(files),
        }

    def _files_origin(self) -> cloudfront.IOrigin:
        control = cloudfront.S3OriginAccessControl(
            self, "AccessControl", origin_access_control_name=self._global_name("console")
        )
        # Whoever may not list is told that a missing file is forbidden.
        levels = [cloudfront.AccessLevel.READ, cloudfront.AccessLevel.LIST]
        return origins.S3BucketOrigin.with_origin_access_control(
            self._buckets.files, origin_access_control=control, origin_access_levels=levels
        )

    def _files(self, origin: cloudfront.IOrigin, *called: cloudfront.FunctionAssociation) -> cloudfront.BehaviorOptions:
        return cloudfront.BehaviorOptions(
            origin=origin,
            viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
            allowed_methods=cloudfront.AllowedMethods.ALLOW_GET_HEAD,
            cache_policy=cloudfront.CachePolicy.CACHING_OPTIMIZED,
            response_headers_policy=self._headers,
            function_associations=[*called],
        )

    def _documents(self, origin: cloudfront.IOrigin) -> cloudfront.BehaviorOptions:
        return cloudfront.BehaviorOptions(
            origin=origin,
            viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
            allowed_methods=cloudfront.AllowedMethods.ALLOW_GET_HEAD_OPTIONS,
            cache_policy=cloudfront.CachePolicy.CACHING_OPTIMIZED,
            response_headers_policy=self._open_headers,
            function_associations=[self._edge_function("documents")],
        )

    def _calls(self, origin: cloudfront.IOrigin, *called: cloudfront.FunctionAssociation) -> cloudfront.BehaviorOptions:
        return cloudfront.BehaviorOptions(
            origin=origin,
            # A request that came in the clear has shown its token already: it is refused, not led on.
            viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
            allowed_methods=cloudfront.AllowedMethods.ALLOW_ALL,
            cache_policy=cloudfront.CachePolicy.CACHING_DISABLED,
            # The gateway knows itself by its own host only.
            origin_request_policy=cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
            response_headers_policy=self._headers,
            function_associations=[*called],
        )

    def _edge_function(self, name: str) -> cloudfront.FunctionAssociation:
        function = cloudfront.Function(
            self,
            f"Function-{name}",
            function_name=self._global_name(name),
            comment=f"edge_functions/{name}.js",
            runtime=cloudfront.FunctionRuntime.JS_2_0,
            code=cloudfront.FunctionCode.from_file(file_path=str(EDGE_FUNCTIONS / f"{name}.js")),
        )
        return cloudfront.FunctionAssociation(function=function, event_type=cloudfront.FunctionEventType.VIEWER_REQUEST)

    def _add_headers(
        self,
        name: str,
        security: cloudfront.ResponseSecurityHeadersBehavior,
        cors: cloudfront.ResponseHeadersCorsBehavior | None = None,
    ) -> cloudfront.ResponseHeadersPolicy:
        return cloudfront.ResponseHeadersPolicy(
            self,
            name.title(),
            response_headers_policy_name=self._global_name(name),
            security_headers_behavior=security,
            cors_behavior=cors,
            custom_headers_behavior=cloudfront.ResponseCustomHeadersBehavior(
                custom_headers=[
                    cloudfront.ResponseCustomHeader(
                        header="permissions-policy",
                        value=PERMISSIONS,
                        override=True,
                    )
                ]
            ),
        )

    def _global_name(self, name: str) -> str:
        # CloudFront has no regions, so deployments of several would take each other's names.
        return self._place.global_name(f"{PREFIX}{name}")


def _is_one_of(regions: Sequence[str]) -> ICfnRuleConditionExpression:
    """Hold where the stack is deployed to one of some regions."""
    equal = [Fn.condition_equals(Aws.REGION, region) for region in regions]
    groups = [equal[start : start + _MOST_CONDITIONS] for start in range(0, len(equal), _MOST_CONDITIONS)]
    return Fn.condition_or(*(Fn.condition_or(*group) for group in groups))


def _security(connects_to: Sequence[str]) -> cloudfront.ResponseSecurityHeadersBehavior:
    return cloudfront.ResponseSecurityHeadersBehavior(
        content_security_policy=cloudfront.ResponseHeadersContentSecurityPolicy(
            content_security_policy=content_security_policy(connects_to), override=True
        ),
        content_type_options=cloudfront.ResponseHeadersContentTypeOptions(override=True),
        frame_options=cloudfront.ResponseHeadersFrameOptions(
            frame_option=cloudfront.HeadersFrameOption[FRAMES], override=True
        ),
        referrer_policy=cloudfront.ResponseHeadersReferrerPolicy(
            referrer_policy=cloudfront.HeadersReferrerPolicy[REFERRERS.upper().replace("-", "_")], override=True
        ),
        strict_transport_security=cloudfront.ResponseHeadersStrictTransportSecurity(
            # What else lives below a company's own domain is not ours to bind.
            access_control_max_age=Duration.days(TWO_YEARS_OF_DAYS),
            include_subdomains=False,
            override=True,
        ),
    )
