"""What users do with their S3 clients, unmodified: `client_stories.py CLIENT URL ACCESS_KEY SECRET_KEY FOLDER`."""

# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
import hashlib
import io
import json
import sys
import urllib.request
from pathlib import Path
from typing import Any

BUCKET = "mlpipeline"


def boto3_client(url: str, access: str, secret: str, **config: Any) -> Any:
    import boto3
    from botocore.config import Config

    return boto3.client(
        "s3",
        endpoint_url=url,
        aws_access_key_id=access,
        aws_secret_access_key=secret,
        region_name="us-east-1",
        config=Config(retries={"max_attempts": 0}, **config),
    )


def with_boto3(url: str, keys: tuple[str, str], folder: Path) -> dict[str, Any]:
    from botocore.exceptions import ClientError

    client = boto3_client(url, *keys)
    results: dict[str, Any] = {}
    large = bytes(range(256)) * (20 << 12)  # 20 MiB
    (folder / "large").write_bytes(large)
    client.upload_file(str(folder / "large"), BUCKET, "big/large.bin", ExtraArgs={"Metadata": {"who": "boto"}})
    client.download_file(BUCKET, "big/large.bin", str(folder / "back"))
    head = client.head_object(Bucket=BUCKET, Key="big/large.bin")
    results["large"] = (folder / "back").read_bytes() == large, head["Metadata"], head["ETag"][-3:]
    for number in range(25):
        client.put_object(Bucket=BUCKET, Key=f"many/{number:02}/ä b+c", Body=f"{number}".encode())
    pages = list(
        client.get_paginator("list_objects_v2").paginate(
            Bucket=BUCKET, Prefix="many/", PaginationConfig={"PageSize": 7}
        )
    )
    listed = [item["Key"] for page in pages for item in page["Contents"]]
    results["list"] = len(pages), listed == [f"many/{number:02}/ä b+c" for number in range(25)]
    pages = list(
        client.get_paginator("list_objects").paginate(
            Bucket=BUCKET, Prefix="many/", Delimiter="/", PaginationConfig={"PageSize": 4}
        )
    )
    results["prefixes"] = [item["Prefix"] for page in pages for item in page.get("CommonPrefixes", [])][:3], len(pages)
    part = client.get_object(Bucket=BUCKET, Key="big/large.bin", Range="bytes=1-3")["Body"].read()
    results["range"] = list(part)
    # Without this setting boto3 presigns with version 2 of the signature, for any endpoint but Amazon's.
    signing = boto3_client(url, *keys, signature_version="s3v4")
    presigned = signing.generate_presigned_url("get_object", {"Bucket": BUCKET, "Key": listed[0]}, ExpiresIn=60)
    with urllib.request.urlopen(presigned, timeout=10) as answer:
        results["presigned"] = answer.read().decode()
    client.copy({"Bucket": BUCKET, "Key": "big/large.bin"}, BUCKET, "big/copy")
    results["copy"] = client.head_object(Bucket=BUCKET, Key="big/copy")["ContentLength"]
    client.put_object(Bucket=BUCKET, Key="dir/")
    client.create_bucket(Bucket="other-bucket")
    results["buckets"] = [bucket["Name"] for bucket in client.list_buckets()["Buckets"]]
    client.delete_bucket(Bucket="other-bucket")
    deleted = client.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": key} for key in listed]})
    results["deleted"] = len(deleted["Deleted"])
    results["left"] = [item["Key"] for item in client.list_objects_v2(Bucket=BUCKET)["Contents"]]
    for checksum in ("CRC32", "SHA1", "SHA256"):
        client.put_object(Bucket=BUCKET, Key=f"sum/{checksum}", Body=b"x", ChecksumAlgorithm=checksum)
    try:
        client.get_object(Bucket=BUCKET, Key="none")
    except ClientError as error:
        results["missing"] = error.response["Error"]["Code"]
    try:
        boto3_client(url, keys[0], "wrong").list_buckets()
    except ClientError as error:
        results["wrong"] = error.response["Error"]["Code"]
    return results


def with_s3fs(url: str, keys: tuple[str, str], folder: Path) -> dict[str, Any]:
    import s3fs

    files = s3fs.S3FileSystem(key=keys[0], secret=keys[1], endpoint_url=url)
    with files.open(f"{BUCKET}/fs/table.csv", "w") as file:
        file.write("a,b\n1,2\n")
    large = b"0123456789" * (1 << 20)
    with files.open(f"{BUCKET}/fs/large", "wb", block_size=5 << 20) as file:
        file.write(large)
    results: dict[str, Any] = {"text": files.cat(f"{BUCKET}/fs/table.csv").decode()}
    results["large"] = hashlib.md5(files.cat(f"{BUCKET}/fs/large")).digest() == hashlib.md5(large).digest()
    files.makedirs(f"{BUCKET}/fs/empty")
    files.touch(f"{BUCKET}/fs/empty/")
    files.copy(f"{BUCKET}/fs/table.csv", f"{BUCKET}/fs/deep/er/copy.csv")
    results["ls"] = sorted(files.ls(f"{BUCKET}/fs", refresh=True))
    results["find"] = sorted(files.find(f"{BUCKET}/fs"))
    results["is"] = files.isdir(f"{BUCKET}/fs/deep"), files.isfile(f"{BUCKET}/fs/large"), files.exists(f"{BUCKET}/none")
    files.mv(f"{BUCKET}/fs/deep/er/copy.csv", f"{BUCKET}/fs/moved.csv")
    files.put(str(Path(__file__)), f"{BUCKET}/fs/story")
    files.rm(f"{BUCKET}/fs", recursive=True)
    results["left"] = files.find(f"{BUCKET}/fs", refresh=True)
    return results


def with_minio(url: str, keys: tuple[str, str], folder: Path) -> dict[str, Any]:
    from minio import Minio
    from minio.commonconfig import CopySource
    from minio.deleteobjects import DeleteObject

    client = Minio(url.removeprefix("http://"), access_key=keys[0], secret_key=keys[1], secure=False)
    results: dict[str, Any] = {"exists": client.bucket_exists(bucket_name=BUCKET)}
    large = b"m" * (11 << 20)
    client.put_object(
        bucket_name=BUCKET,
        object_name="m/large",
        data=io.BytesIO(large),
        length=-1,
        part_size=5 << 20,
        metadata={"who": "minio"},
    )
    client.put_object(bucket_name=BUCKET, object_name="m/small ü", data=io.BytesIO(b"small"), length=5)
    answer = client.get_object(bucket_name=BUCKET, object_name="m/small ü")
    results["small"] = answer.read().decode()
    answer.close()
    answer.release_conn()
    state = client.stat_object(bucket_name=BUCKET, object_name="m/large")
    results["large"] = state.size, (state.metadata or {}).get("x-amz-meta-who")
    client.copy_object(
        bucket_name=BUCKET, object_name="m/copy", source=CopySource(bucket_name=BUCKET, object_name="m/large")
    )
    results["list"] = [
        item.object_name for item in client.list_objects(bucket_name=BUCKET, prefix="m/", recursive=True)
    ]
    results["folders"] = [item.object_name for item in client.list_objects(bucket_name=BUCKET)]
    client.fget_object(bucket_name=BUCKET, object_name="m/large", file_path=str(folder / "minio"))
    results["file"] = (folder / "minio").read_bytes() == large
    url = client.presigned_get_object(bucket_name=BUCKET, object_name="m/small ü")
    with urllib.request.urlopen(url, timeout=10) as got:
        results["presigned"] = got.read().decode()
    put = client.presigned_put_object(bucket_name=BUCKET, object_name="m/put")
    urllib.request.urlopen(urllib.request.Request(put, data=b"presigned", method="PUT"), timeout=10).close()
    names = [DeleteObject(name) for name in results["list"]]
    results["errors"] = [str(error) for error in client.remove_objects(bucket_name=BUCKET, delete_object_list=names)]
    results["left"] = [item.object_name for item in client.list_objects(bucket_name=BUCKET, recursive=True)]
    return results


STORIES = {"boto3": with_boto3, "s3fs": with_s3fs, "minio": with_minio}

if __name__ == "__main__":
    name, url, access, secret, folder = sys.argv[1:]
    sys.stdout.write(json.dumps(STORIES[name](url, (access, secret), Path(folder))) + "\n")
