"""server.py TRANSPORT PORT: a server of the Python SDK that speaks HTTP (`streamable-http` or `sse`)."""

import sys

from mcp.server import MCPServer

server = MCPServer("sums", instructions="Adds numbers.")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool()
def fail() -> str:
    """Never works."""
    raise ValueError("it never works")


server.run(sys.argv[1], host="127.0.0.1", port=int(sys.argv[2]))
