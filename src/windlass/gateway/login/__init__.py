"""Signing in and out: the routes below /oauth2/, and the middleware that finds out who sends a request.

routes                  /oauth2/start, callback, sign_in, sign_out, auth, userinfo, sessions, link
authentication          session cookie or bearer token to `request[IDENTITY]`; 401 or a redirect without one
paths                   pure rules: which paths are open, and which callers get 401 instead of a redirect
protection              CSRF and Origin
account                 the page of the person who is signed in
throttle audit          how often passwords may be tried; who did what
"""
