"""The pipelines API over gRPC: the same calls as over HTTP, by the numbers of upstream's proto files.

numbering     messages from the REST API's messages and upstream's numbers
v2_messages   the messages of kubeflow.pipelines.backend.api.v2beta1
v2_methods    its methods, and the route of each
v1_messages   the messages of /apis/v1beta1, whose package is `api`
v1_methods    its methods
methods       what a method is, and the route of each
transcoding   a method's message as the path, query and body of its route. Pure
api           answers a call: finds its method, and asks the handler of its route
reflection    which services there are, and what describes them. Pure
errors        an error as the status of a call. Pure
"""
