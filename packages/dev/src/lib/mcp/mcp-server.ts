import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Readable, Writable } from 'node:stream'
import { type CallToolResult, McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { cut } from '@botwright/protocol/facts'
import { captureIo, type DevEntry, type ProgramIo, runProgram } from '@botwright/framework/start'
import { DevEnv } from '../files/dev-env.ts'
import { openBotFolder } from '../files/open-folder.ts'
import { typesFile } from '../generated-types/write-types.ts'
import { packageVersion } from '../files/package-version.ts'
import { docsPages, llmsTxt } from '@botwright/framework/start'
import type { Tool } from './tools.ts'

const MAX_CHARACTERS = 100_000

/** `framework mcp`: serves the verbs, the routes and the documentation to a coding agent, over standard input and output. */
export async function runMcp(
  given: ProgramIo,
  { tools, commands }: { tools: readonly Tool[]; commands: readonly DevEntry[] },
): Promise<number> {
  const { root } = await openBotFolder(given.cwd)
  const io = { ...given, cwd: root }
  io.env['NO_COLOR'] = '1'
  const dotEnv = new DevEnv(root, io.env)
  const run: Run = async (words) => {
    // In the environment of this process, in which the configuration of the bot is evaluated. The file may have changed.
    dotEnv.read()
    return runCommand(words, io, commands)
  }
  const transport = new StdioServerTransport(io.stdin as Readable, protocolOutput(io))
  serveStdio(() => serverOf(tools, root, run), { transport })
  const { onclose } = transport
  await new Promise<void>((resolve) => (transport.onclose = () => resolve(onclose?.())))
  return 0
}

function serverOf(tools: readonly Tool[], root: string, run: Run): McpServer {
  const server = new McpServer(
    { name: 'botwright', version: packageVersion() },
    {
      instructions:
        'Tools for the bot in this folder. Start "npm run dev" first: the tools that act as people, and those that change the service, use it. After you change a file, call check, then act as a person.',
    },
  )
  for (const { name, description, input, command } of tools)
    server.registerTool(name, { description, inputSchema: input }, async (typed) => resultOf(await run(command(typed))))
  addResources(server, root, run)
  return server
}

/** Only the protocol may write to standard output: what a configuration prints while it is loaded goes to standard error. */
function protocolOutput({ stdout, stderr }: ProgramIo): Writable {
  const write = stdout.write.bind(stdout) as (chunk: Buffer, done: () => void) => boolean
  stdout.write = stderr.write.bind(stderr)
  return new Writable({ write: (chunk: Buffer, _encoding, done) => void write(chunk, () => done()) })
}

interface Printed {
  code: number
  stdout: string
  stderr: string
}

type Run = (words: readonly string[]) => Promise<Printed>

/** Runs a command line. The folder may have another version of this package, or none. */
async function runCommand(
  words: readonly string[],
  { cwd, env }: ProgramIo,
  commands: readonly DevEntry[],
): Promise<Printed> {
  const io = captureIo({ cwd, env })
  const code = await runProgram(words, io, commands)
  return { code, stdout: io.stdout.text, stderr: io.stderr.text }
}

/** The document that a command printed. Without one, its errors are those of the tool. */
function resultOf({ code, stdout, stderr }: Printed): CallToolResult {
  if (code !== 0 && stdout === '') return { isError: true, content: [{ type: 'text', text: stderr.trim() }] }
  const document = documentIn(stdout)
  const text = JSON.stringify(document)
  if (text.length <= MAX_CHARACTERS) return { structuredContent: document, content: [{ type: 'text', text }] }
  const part = { truncated: true, characters: text.length, beginning: cut(text, MAX_CHARACTERS) }
  return { structuredContent: part, content: [{ type: 'text', text: JSON.stringify(part) }] }
}

function documentIn(text: string): Record<string, unknown> {
  // `events` prints a line for each event; other commands print one document, which may have several lines.
  if (/^(?:\{"at":|$)/.test(text))
    return { events: text.split('\n').flatMap((line) => (line ? [JSON.parse(line) as object] : [])) }
  return JSON.parse(text) as Record<string, unknown>
}

function addResources(server: McpServer, root: string, run: Run): void {
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
      const { code, stdout, stderr } = await run(['routes', '--json'])
      if (code !== 0 && stdout === '') throw new Error(stderr.trim())
      return text(uri, stdout, 'application/json')
    },
  )
  server.registerResource(
    'types',
    'bot://types',
    { mimeType: 'text/typescript', description: 'The generated types of the names that the files of the bot share' },
    async (uri) => text(uri, await readFile(join(root, typesFile), 'utf8').catch(() => ''), 'text/typescript'),
  )
}
