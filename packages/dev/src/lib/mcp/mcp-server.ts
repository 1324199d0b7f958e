import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { isBotwrightError } from '@botwright/protocol/facts'
import { openBotFolder } from '../bot-folder.ts'
import { typesFile } from '../generated-types/write-types.ts'
import { packageVersion } from '../package-version.ts'
import { runRoutes } from '../routes-command.ts'
import { captureTerminal } from '../terminal.ts'
import { docsPages, llmsTxt } from '../docs.ts'
import type { Tool } from './tools.ts'

const MAX_CHARACTERS = 100_000

/** `framework mcp`: serves the verbs, the routes and the documentation to a coding agent, over standard input and output. */
export async function runMcp(folder: string, toolsFor: (root: string) => Tool[]): Promise<number> {
  const { root } = await openBotFolder(folder)
  const server = new McpServer(
    { name: 'botwright', version: packageVersion() },
    {
      instructions:
        'Tools for the bot in this folder. Start "npm run dev" first: the tools that act as people, and those that change the service, use it. After you change a file, call check, then act as a person.',
    },
  )
  for (const { name, description, input, run } of toolsFor(root))
    server.registerTool(name, { description, inputSchema: input.shape }, (given: Record<string, unknown>) =>
      resultOf((terminal) => run(given, terminal)),
    )
  addResources(server, root)
  const closed = new Promise<void>((resolve) => (server.server.onclose = resolve))
  process.stdin.once('end', () => void server.close())
  await server.connect(new StdioServerTransport(process.stdin, protocolOutput()))
  await closed
  return 0
}

/** Only the protocol may write to standard output: what the code of a bot prints while it is loaded goes to standard error. */
function protocolOutput(): Writable {
  const write = process.stdout.write.bind(process.stdout)
  process.stdout.write = process.stderr.write.bind(process.stderr)
  return new Writable({ write: (chunk: Buffer, _encoding, done) => void write(chunk, () => done()) })
}

/** Runs a command, and returns the document that it prints. Errors that the user can fix are errors of the tool, with the same text. */
async function resultOf(
  run: (terminal: ReturnType<typeof captureTerminal>) => Promise<unknown>,
): Promise<CallToolResult> {
  const terminal = captureTerminal()
  try {
    await run(terminal)
  } catch (error) {
    if (!isBotwrightError(error)) throw error
    return { isError: true, content: [{ type: 'text', text: error.message }] }
  }
  const documents = terminal.texts.map((text) => JSON.parse(text) as Record<string, unknown>)
  // `events` prints a document for each event.
  const document = documents.length === 1 && !('id' in documents[0]!) ? documents[0]! : { events: documents }
  const text = JSON.stringify(document)
  if (text.length <= MAX_CHARACTERS) return { structuredContent: document, content: [{ type: 'text', text }] }
  const cut = { truncated: true, characters: text.length, beginning: text.slice(0, MAX_CHARACTERS) }
  return { structuredContent: cut, content: [{ type: 'text', text: JSON.stringify(cut) }] }
}

function addResources(server: McpServer, root: string): void {
  const markdown = { mimeType: 'text/markdown' }
  const text = (uri: URL, found: string, mimeType: string) => ({ contents: [{ uri: uri.href, mimeType, text: found }] })
  server.registerResource(
    'llms.txt',
    'docs://llms.txt',
    { ...markdown, description: 'The list of all pages of the documentation' },
    (uri) => text(uri, llmsTxt(), markdown.mimeType),
  )
  server.registerResource(
    'docs',
    new ResourceTemplate('docs://{folder}/{page}', {
      list: () => ({
        resources: docsPages().map(({ name, title, about }) => ({
          ...{ uri: `docs://${name}`, name, title, description: about, ...markdown },
        })),
      }),
    }),
    { ...markdown, description: 'A page of the documentation' },
    (uri, { folder, page }) => {
      const name = `${String(folder)}/${String(page)}`
      const found = docsPages().find((one) => one.name === name)
      if (!found) throw new Error(`there is no page docs://${name}; docs://llms.txt lists them`)
      return text(uri, found.text, markdown.mimeType)
    },
  )
  server.registerResource(
    'routes',
    'bot://routes',
    { mimeType: 'application/json', description: 'The files of the bot, with their names, guards and middleware' },
    async (uri) => {
      const terminal = captureTerminal()
      await runRoutes({ folder: root, json: true }, terminal)
      return text(uri, terminal.texts.join(''), 'application/json')
    },
  )
  server.registerResource(
    'types',
    'bot://types',
    { mimeType: 'text/typescript', description: 'The generated types of the names that the files of the bot share' },
    async (uri) => text(uri, await readFile(join(root, typesFile), 'utf8').catch(() => ''), 'text/typescript'),
  )
}
