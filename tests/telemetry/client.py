"""The MCP server is used by the official client. Usage: client.py BINARY DEMO"""

import asyncio
import pathlib
import sys

from mcp import Client, StdioServerParameters

ACTS = [
    ({"command": "cargo test"}, "allow"),
    ({"command": "cat .env"}, "deny"),
    ({"path": ".github/workflows/ci.yml", "access": "write"}, "deny"),
    ({"host": "rates.example.com"}, "deny"),
]


async def use(binary, demo, mode):
    parameters = StdioServerParameters(command=binary, args=["mcp"], cwd=demo)
    async with Client(parameters, mode=mode) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        assert len(tools) == 6, tools

        # The client holds what is structured against the schemas that the server gives.
        async def call(tool, **arguments):
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result
            return result.structured_content

        sessions = (await call("list_sessions"))["sessions"]
        ids = [session["session_id"] for session in sessions]
        assert len(ids) == 2
        for session in ids:
            assert (await call("get_session", session_id=session))["events"]
            assert (await call("get_session_summary", session_id=session))["phases"]
        assert (await call("search_events", file_path=".env"))["events"]
        assert (await call("diff_sessions", session_a=ids[0], session_b=ids[1]))["tool_call_diff"]
        for act, decision in ACTS:
            said = await call("check_scope", **act)
            assert said["decision"] == decision, said
        for tool, arguments in [("get_session", {"session_id": "nope"}), ("check_scope", {})]:
            assert (await client.call_tool(tool, arguments)).is_error
    return len(tools)


def main():
    binary, demo = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    for mode in ["legacy", "auto"]:
        tools = asyncio.run(asyncio.wait_for(use(binary, demo, mode), 120))
        print(f"{tools} tools were used ({mode})")


main()
