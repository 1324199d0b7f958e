/** Starts the tools of the bot. The same command for every package manager and system: Windows would need a shell for `npx`. */
const server = `"command": "node",
      "args": ["node_modules/@botwright/framework/bin/framework.cjs", "mcp"]`

const servers = `{
  "mcpServers": {
    "botwright": {
      ${server}
    }
  }
}
`

/** The configuration of coding agents that connect to `framework mcp`, by file: Claude Code, Cursor, VS Code. Formatters leave it as it is. */
export const mcpFiles: Readonly<Record<string, string>> = {
  '.mcp.json': servers,
  '.cursor/mcp.json': servers,
  '.vscode/mcp.json': servers
    .replace('mcpServers', 'servers')
    .replace('"command"', '"type": "stdio",\n      "command"'),
}
