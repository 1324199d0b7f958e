/** Starts the tools of the bot. The same command for every package manager and system: Windows would need a shell for `npx`. */
const server = { command: 'node', args: ['node_modules/@botwright/framework/bin/framework.cjs', 'mcp'] }

/** The configuration of coding agents that connect to `framework mcp`, by file: Claude Code, Cursor, VS Code. */
export const mcpFiles: Readonly<Record<string, object>> = {
  '.mcp.json': { mcpServers: { botwright: server } },
  '.cursor/mcp.json': { mcpServers: { botwright: server } },
  '.vscode/mcp.json': { servers: { botwright: { type: 'stdio', ...server } } },
}
