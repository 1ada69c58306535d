# Serves S3 on the loopback interface as moto does, which checks signatures, until standard input ends. Prints its address.
import sys

import boto3
import requests
from moto.server import ThreadedMotoServer

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
address = f"http://{host}:{port}"
options = {"endpoint_url": address, "region_name": "us-east-1", "aws_access_key_id": "first", "aws_secret_access_key": "first"}
iam = boto3.client("iam", **options)
iam.create_user(UserName="county")
policy = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}'
iam.put_user_policy(UserName="county", PolicyName="s3", PolicyDocument=policy)
key = iam.create_access_key(UserName="county")["AccessKey"]
boto3.client("s3", **options).create_bucket(Bucket="counties")
requests.post(address + "/moto-api/reset-auth", data=b"0")
print(address, key["AccessKeyId"], key["SecretAccessKey"], flush=True)
sys.stdin.read()
server.stop()
