"""client.py SCENARIO ARGUMENTS…: the official Python client in a conversation with a server behind the recorder.

It fails when the server behind the recorder answers otherwise than the server itself does.
"""

import asyncio
import sys

from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client


def text(result):
    return [block.text for block in result.content if block.type == "text"]


async def calls(server, requests, mode):
    """The tools of a server, and what its calls come to."""
    async with Client(server, mode=mode) as client:
        listed = await client.list_tools()
        answers = []
        for name, arguments in requests:
            try:
                result = await client.call_tool(name, arguments)
                answers.append((name, bool(result.is_error), text(result), result.structured_content))
            except Exception as error:  # What the protocol itself refuses.
                answers.append((name, "refused", str(error), None))
        return sorted(tool.name for tool in listed.tools), answers


async def same(direct, recorded, requests, mode):
    wanted, found = await calls(direct, requests, mode), await calls(recorded, requests, mode)
    assert wanted == found, f"{mode}: the server says\n{wanted}\nbehind the recorder\n{found}"
    return found


def stdio(command):
    return StdioServerParameters(command=command[0], args=command[1:])


async def main(scenario, *arguments):
    if scenario == "fetch":
        # BINARY STORE SERVER PAGE
        binary, store, server, page = arguments
        recorded = [binary, "--trace-dir", store, "record", "--quiet", "--name", "fetch", "--", server]
        options = ["--ignore-robots-txt", "--allow-private-ips"]
        requests = [("fetch", {"url": page, "raw": True}), ("fetch", {"url": page + "missing"}), ("nothing", {})]
        for mode in ("legacy", "auto"):
            tools, answers = await same(stdio([server, *options]), stdio([*recorded, *options]), requests, mode)
            assert tools == ["fetch"], tools
            assert not answers[0][1] and "Hello" in answers[0][2][0], answers
    elif scenario == "http":
        # DIRECT RECORDED MODE: addresses
        direct, recorded, mode = arguments
        requests = [("add", {"a": 2, "b": 3}), ("fail", {}), ("add", {"a": "x"})]
        tools, answers = await same(direct, recorded, requests, mode)
        assert tools == ["add", "fail"], tools
        assert answers[0][3] == {"result": 5} and answers[1][1] is True, answers
    elif scenario == "many":
        # RECORDED: several clients at once, who use the same ids.
        (recorded,) = arguments
        found = await asyncio.gather(*(calls(recorded, [("add", {"a": n, "b": 1})], "legacy") for n in range(8)))
        assert [answers[0][3] for _, answers in found] == [{"result": n + 1} for n in range(8)], found
    elif scenario == "sse":
        # DIRECT RECORDED: addresses of the older transport
        direct, recorded = arguments
        requests = [("add", {"a": 2, "b": 3}), ("fail", {})]
        await same(sse_client(direct), sse_client(recorded), requests, "legacy")
    elif scenario == "refused":
        # BINARY STORE POLICY SERVER PAGE: the policy denies the host
        binary, store, policy, server, page = arguments
        recorded = [binary, "--trace-dir", store, "record", "--quiet", "--enforce", "--fail-closed", "--policy", policy]
        recorded += ["--name", "fetch", "--", server, "--ignore-robots-txt", "--allow-private-ips"]
        _, answers = await calls(stdio(recorded), [("fetch", {"url": page})], "legacy")
        assert answers[0][1] is True and "[scope/network]" in answers[0][2][0], answers
    else:
        raise SystemExit(f"what is {scenario}?")
    print(f"{scenario}: as it should be")


asyncio.run(main(*sys.argv[1:]))
