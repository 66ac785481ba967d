"""HTTP/2 through the gateway, for gRPC: streams pass frame by frame, with their trailers and windows.

detection     which version of HTTP a new connection speaks
connection    one HTTP/2 connection and its streams, from a client or to a backend
clients       connections of clients: authenticate, authorise and join each stream to one of its backend
backends      connections to backends, shared by the streams of many clients
requests      what decisions read of a stream's headers, and the headers for the backend
answers       refusals, as gRPC's statuses or as plain responses

Decisions are those of HTTP/1.1: the same functions authenticate, authorise and rewrite. The modules are imported when
the first client speaks HTTP/2.
"""
