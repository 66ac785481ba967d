"""The world in which the way out of the pods' network is tried: a machine, and one server outside of it."""

MACHINE, OUTSIDE = "198.51.100.2", "198.51.100.1"
METADATA = "169.254.169.254"
PORT, UDP_PORT = 8080, 9000
