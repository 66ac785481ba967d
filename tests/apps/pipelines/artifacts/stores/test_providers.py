"""Providers of object stores, by the ConfigMap `kfp-launcher` and the queries of URIs."""

from typing import Any

import pytest
import yaml

from windlass.apps.pipelines.artifacts.stores.providers import Provider, SecretRef, parse_providers, provider_of

DEFAULT_SECRET = SecretRef(name="mlpipeline-minio-artifact", keys=("accesskey", "secretkey"), is_required=False)
OWN = {"secretRef": {"secretName": "own", "accessKeyKey": "id", "secretKeyKey": "key"}}
OWN_SECRET = SecretRef(name="own", keys=("id", "key"))
AZURE = {"secretRef": {"secretName": "azure", "accountNameKey": "name", "accountKeyKey": "key"}}
AZURE_SECRET = SecretRef(name="azure", keys=("name", "key"))


def provider(uri: str, **providers: Any) -> Provider | None:
    return provider_of(parse_providers(yaml.safe_dump(providers)), uri)


@pytest.mark.parametrize(
    ("uri", "providers", "expected"),
    [
        ("minio://mlpipeline/a", {}, None),
        ("minio://mlpipeline/a", {"minio": {"default": {"region": "eu-1"}}}, None),
        ("oci://registry/image", {}, None),
        ("https://example.com/a", {}, None),
        ("s3://data/a", {}, Provider(scheme="s3", secret=DEFAULT_SECRET)),
        ("gs://data/a", {}, Provider(scheme="gs")),
        (
            "minio://mlpipeline/a",
            {"minio": {"default": {"endpoint": "store.example.com:9000", "disableSSL": True}}},
            Provider(scheme="minio", endpoint="store.example.com:9000", disable_ssl=True, secret=DEFAULT_SECRET),
        ),
        (
            "s3://data/a",
            {
                "s3": {
                    "default": {
                        "endpoint": "https://s3.example.com/",
                        "region": "eu-1",
                        "forcePathStyle": False,
                        "maxRetries": 0,
                        "credentials": OWN,
                    }
                }
            },
            Provider(
                scheme="s3",
                endpoint="s3.example.com",
                region="eu-1",
                force_path_style=False,
                max_retries=0,
                secret=OWN_SECRET,
            ),
        ),
        (
            "gs://data/a",
            {"gs": {"default": {"credentials": {"secretRef": {"secretName": "google", "tokenKey": "key.json"}}}}},
            Provider(scheme="gs", secret=SecretRef(name="google", keys=("key.json",))),
        ),
        (
            "az://data/a",
            {"az": {"default": {"credentials": AZURE, "maxRetries": 2}}},
            Provider(scheme="az", secret=AZURE_SECRET, max_retries=2),
        ),
        ("az://data/a", {"az": {"default": {"account": "public1"}}}, Provider(scheme="az", account="public1")),
        (
            "az://data/a",
            {"az": {"default": {"endpoint": "http://azurite:10000/account1/", "credentials": AZURE}}},
            Provider(scheme="az", endpoint="azurite:10000/account1", disable_ssl=True, secret=AZURE_SECRET),
        ),
        (
            "az://data/models/a",
            {
                "az": {
                    "default": {"credentials": AZURE},
                    "overrides": [{"bucketName": "data", "keyPrefix": "models", "endpoint": "a.blob.example.cn"}],
                }
            },
            Provider(scheme="az", endpoint="a.blob.example.cn", secret=AZURE_SECRET),
        ),
        (
            "s3://data/a",
            {"s3": {"default": {"endpoint": "http://store:9000", "credentials": {**OWN, "fromEnv": False}}}},
            Provider(scheme="s3", endpoint="store:9000", disable_ssl=True, secret=OWN_SECRET),
        ),
    ],
)
def test_a_uri_has_the_provider_of_its_scheme(uri: str, providers: Any, expected: Provider | None) -> None:
    assert provider(uri, **providers) == expected


@pytest.mark.parametrize(
    ("uri", "region", "endpoint"),
    [
        ("s3://data/models/a", "eu-2", "one.example.com"),
        ("s3://data/models", "eu-2", "one.example.com"),
        ("s3://data/models-old/a", "eu-3", "one.example.com"),
        ("s3://other/models/a", "eu-1", "one.example.com"),
        ("s3://data/models/a?region=us-9&endpoint=two.example.com", "us-9", "two.example.com"),
    ],
)
def test_the_first_override_of_bucket_and_prefix_wins_and_a_query_wins_over_it(
    uri: str, region: str, endpoint: str
) -> None:
    found = provider(
        uri,
        s3={
            "default": {"endpoint": "one.example.com", "region": "eu-1"},
            "overrides": [
                {"bucketName": "data", "keyPrefix": "models/", "region": "eu-2"},
                {"bucketName": "data", "region": "eu-3"},
            ],
        },
    )

    assert found is not None
    assert (found.region, found.endpoint) == (region, endpoint)


def test_a_query_of_either_version_of_upstream_sets_tls_and_path_style() -> None:
    old = provider("s3://data/a?disableSSL=true&s3ForcePathStyle=false&endpoint=store:9000")
    new = provider("s3://data/a?disable_https=true&use_path_style=false&endpoint=store:9000")

    assert old == new
    assert old is not None
    assert (old.url, old.force_path_style) == ("http://store:9000", False)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("{", "providers: is not YAML"),
        ("- s3", "providers: is not an object"),
        ("azure: {}", "providers.azure: is not supported"),
        ("s3: []", "providers.s3: is not an object"),
        ("s3: {defaults: {}}", "providers.s3.defaults: is not supported"),
        ("s3: {default: {bucket: b}}", "providers.s3.default.bucket: is not supported"),
        ("s3: {default: {region: 3}}", "providers.s3.default.region: is not a string"),
        ("s3: {default: {region: a.b/c}}", "providers.s3.default.region: 'a.b/c' is not a region"),
        ("s3: {default: {disableSSL: 'yes'}}", "providers.s3.default.disableSSL: is not true or false"),
        ("s3: {default: {maxRetries: many}}", "providers.s3.default.maxRetries: must be a number"),
        ("s3: {default: {maxRetries: true}}", "providers.s3.default.maxRetries: must be a number"),
        ("s3: {default: {endpoint: 'ftp://a'}}", "providers.s3.default.endpoint: 'ftp://a' is not a host"),
        ("s3: {default: {endpoint: 'u:p@host'}}", "providers.s3.default.endpoint: 'u:p@host' is not a host"),
        ("s3: {default: {endpoint: 'host:port'}}", "providers.s3.default.endpoint: 'host:port' is not a host"),
        ("s3: {default: {endpoint: 'host/path'}}", "providers.s3.default.endpoint: 'host/path' is not a host"),
        ("s3: {default: {credentials: {fromEnv: true}}}", "providers.s3.default.credentials.fromEnv: true is not supp"),
        ("s3: {default: {credentials: {fromEnv: false}}}", "credentials.secretRef.secretName: is required"),
        ("gs: {default: {credentials: {secretRef: {secretName: a}}}}", "credentials.secretRef.tokenKey: is required"),
        ("az: {default: {region: eu-1}}", "providers.az.default.region: is not supported"),
        ("az: {default: {account: a.b}}", "providers.az.default.account: is not the name of a storage account"),
        ("az: {default: {account: 3}}", "providers.az.default.account: is not a string"),
        ("az: {default: {endpoint: host/a/b}}", "providers.az.default.endpoint: is not the name of a storage account"),
        ("az: {default: {endpoint: 'u@host/abc'}}", "providers.az.default.endpoint: 'u@host/abc' is not a host"),
        ("s3: {default: {account: abc}}", "providers.s3.default.account: is not supported"),
        (
            "az: {overrides: [{bucketName: b, credentials: {secretRef: {secretName: a, accountNameKey: n}}}]}",
            r"providers.az.overrides\[0\].credentials.secretRef.accountKeyKey: is required",
        ),
        ("s3: {overrides: {}}", "providers.s3.overrides: is not a list"),
        ("s3: {overrides: [{region: eu-1}]}", r"providers.s3.overrides\[0\].bucketName: is required"),
        ("s3: {overrides: [{bucketName: b, keyPrefix: 3}]}", r"providers.s3.overrides\[0\].keyPrefix: is not a string"),
    ],
)
def test_what_is_not_valid_is_refused_by_its_field(text: str, field: str) -> None:
    with pytest.raises(ValueError, match=field):
        parse_providers(text)


@pytest.mark.parametrize(
    ("uri", "reason"),
    [
        ("s3://data/a?profile=mine", "query parameter 'profile' of a s3:// URI is not supported"),
        ("s3://data/a?disableSSL=maybe", "query parameter disableSSL: 'maybe' is not true or false"),
        ("s3://data/a?endpoint=user@host", "endpoint: 'user@host' is not a host"),
        ("gs://data/a?endpoint=elsewhere", "query parameter 'endpoint' of a gs:// URI is not supported"),
        ("az://data/a?endpoint=elsewhere", "query parameter 'endpoint' of a az:// URI is not supported"),
        ("az://data/a", "providers.az.default.account: is required without credentials.secretRef"),
    ],
)
def test_a_uri_that_is_not_supported_is_refused_by_its_field(uri: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        provider(uri)


@pytest.mark.parametrize(
    ("endpoint", "expected"),
    [
        ("minio-service.kubeflow:9000", True),
        ("minio-service.kubeflow", True),
        ("http://minio-service.kubeflow:9000/", True),
        ("minio-service.kubeflow.svc:9000", True),
        ("Minio-Service.kubeflow.svc.cluster.local.:9000", True),
        ("minio-service.other:9000", False),
        ("minio-service.kubeflow.example.com", False),
        ("minio-service:9000", False),
        ("store.example.com", False),
        ("", False),
    ],
)
def test_the_endpoint_of_windlass_itself_is_known_by_all_its_names(endpoint: str, expected: bool) -> None:
    found = provider("s3://data/a", s3={"default": {"endpoint": endpoint, "disableSSL": True}})

    assert found is not None
    assert found.is_own_store is expected
