"""The agent's kubelet API: logs, exec, attach, port-forward and usage, for the API server alone.

server http access      an HTTPS request to its route; only the API server's certificates may call
spdy websocket          the two protocols that carry streams: pure codecs; `duplex` moves their bytes
remotecommand           exec and attach over either; portforward: connections into pods over either
logs logfile inotify    what containers wrote, from the end or as it comes
stats metrics_api       what they use: /stats/summary, /metrics/resource and metrics.k8s.io
"""
