# Calls tools with the official client for Python: prints the tools' names, and the texts of two results.
import asyncio
import json
import os

from mcp import ClientSession
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


async def main() -> None:
    key = {"Authorization": "Bearer " + os.environ["KEY"]}
    async with create_mcp_http_client(headers=key) as http, streamable_http_client(os.environ["ADDRESS"], http_client=http) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            tools = await session.list_tools()
            page = await session.call_tool("search_filings", {"filing_types": ["Tax Lien", "Municipal Lien"], "limit": 3})
            wrong = await session.call_tool("search_filings", {"limit": 0})
            print(json.dumps({"tools": [t.name for t in tools.tools], "page": page.content[0].text, "wrong": wrong.content[0].text}))


asyncio.run(main())
