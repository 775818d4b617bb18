"""Closes the network for every Python that a test starts, Jupyter kernels included: only this machine can be reached.

The tests put this folder on PYTHONPATH, and call `close_network` for their own process.
"""

import ipaddress
import socket
import sys

NAMES = {"", "localhost", socket.gethostname().lower()}


def is_local(host) -> bool:
    if host is None:
        return True
    host = host.decode() if isinstance(host, bytes) else str(host)
    try:
        return ipaddress.ip_address(host.split("%")[0]).is_loopback
    except ValueError:
        return host.lower() in NAMES


def _hook(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
        if isinstance(address, tuple) and not is_local(address[0]):
            raise PermissionError(f"the network is closed in tests: {event} {address[0]}")
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr") and not is_local(arguments[0]):
        raise PermissionError(f"the network is closed in tests: {event} {arguments[0]}")


def close_network() -> None:
    """Refuse every connection and look-up that would leave this machine. It cannot be undone."""
    sys.addaudithook(_hook)


close_network()
