"""The agent's kubelet API: logs, exec, attach, port-forward and usage, for the API server alone.

server http access      an HTTPS request to its route; only the API server's certificates may call
spdy websocket          codecs of the two streaming protocols, pure; `duplex` moves their bytes
remotecommand           exec and attach over either; portforward: connections into pods over either
logs logfile inotify    container output, from the end or as it arrives
stats metrics_api       resource usage: /stats/summary, /metrics/resource and metrics.k8s.io
"""
