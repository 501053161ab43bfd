"""HTTP beneath the pages: the ASGI application with its event streams, the event broker, rate
limits, the scorer's token, TLS, logs and webhooks.

Pages, match rules and pictures do not belong here.
"""
