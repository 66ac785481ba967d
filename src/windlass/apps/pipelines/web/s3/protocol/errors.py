"""The errors of S3, with the HTTP status of each code."""

from collections.abc import Mapping
from types import MappingProxyType

STATUS: Mapping[str, int] = {
    "AccessDenied": 403,
    "AuthorizationHeaderMalformed": 400,
    "AuthorizationQueryParametersError": 400,
    "BadDigest": 400,
    "BucketAlreadyOwnedByYou": 409,
    "BucketNotEmpty": 409,
    "EntityTooLarge": 400,
    "EntityTooSmall": 400,
    "IncompleteBody": 400,
    "InsufficientStorage": 507,
    "InvalidAccessKeyId": 403,
    "InvalidArgument": 400,
    "InvalidBucketName": 400,
    "InvalidDigest": 400,
    "InvalidPart": 400,
    "InvalidPartOrder": 400,
    "InvalidRange": 416,
    "InvalidRequest": 400,
    "InvalidStorageClass": 400,
    "InvalidToken": 400,
    "InvalidURI": 400,
    "KeyTooLongError": 400,
    "MalformedXML": 400,
    "MetadataTooLarge": 400,
    "MethodNotAllowed": 405,
    "NoSuchBucket": 404,
    "NoSuchBucketPolicy": 404,
    "NoSuchCORSConfiguration": 404,
    "NoSuchKey": 404,
    "NoSuchLifecycleConfiguration": 404,
    "NoSuchTagSet": 404,
    "NoSuchUpload": 404,
    "NoSuchWebsiteConfiguration": 404,
    "NotImplemented": 501,
    "ObjectLockConfigurationNotFoundError": 404,
    "PreconditionFailed": 412,
    "RequestTimeTooSkewed": 403,
    "ReplicationConfigurationNotFoundError": 404,
    "ServerSideEncryptionConfigurationNotFoundError": 404,
    "ServiceUnavailable": 503,
    "SignatureDoesNotMatch": 403,
    "XAmzContentSHA256Mismatch": 400,
    # MinIO's, for what S3 permits and a file system does not: an object `a` beside an object `a/b`.
    "XMinioObjectExistsAsDirectory": 409,
    "XMinioParentIsObject": 400,
}


class S3Error(Exception):
    """A request that is answered with an error."""

    def __init__(self, code: str, message: str, headers: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__(f"{code}: {message}")
        self.code, self.message, self.headers = code, message, headers
        self.status = STATUS[code]


def not_implemented(feature: str) -> S3Error:
    return S3Error("NotImplemented", f"{feature} is not supported by this endpoint.")
