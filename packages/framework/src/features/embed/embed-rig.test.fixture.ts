import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Definition } from '../../author/files/entries.ts'
import { createBot } from './create-bot.ts'
import { ChatRig, token } from '../../tests/chat-rig.test.fixture.ts'
import type { CreateBotOptions, LogLine } from './embed-options.ts'

const modules = fileURLToPath(new URL('../../../../../node_modules', import.meta.url))
const facts = { limit: 1000, respond: true, retry: false, verify: undefined }

/** The files of a build, as `framework build` writes them. */
const files: Record<string, { definition: Omit<Definition, 'file'>; text: string }> = {
  'commands/ping.ts': {
    definition: { kind: 'command', name: 'ping', description: 'ping' },
    text: "export default () => (console.log('pings'), 'pong')",
  },
  'commands/leak.ts': {
    definition: { kind: 'command', name: 'leak', description: 'leak' },
    text: 'export default () => console.log(`the token is ${process.env.BOT_TOKEN}`)',
  },
  'commands/exit.ts': {
    definition: { kind: 'command', name: 'exit', description: 'exit' },
    text: 'export default (ctx) => ctx.redelivered ? undefined : process.exit(3)',
  },
  'commands/block.ts': {
    definition: { kind: 'command', name: 'block', description: 'block' },
    text: 'export default (ctx) => { if (!ctx.redelivered) for (;;); }',
  },
  'routes/status.get.ts': {
    definition: { kind: 'route', name: 'GET /status', facts },
    text: 'export default route({ verify: false, respond: true, run: (ctx) => ({ path: ctx.path, query: String(ctx.query) }) })',
  },
  'routes/echo.ts': {
    definition: { kind: 'route', name: 'POST /echo', facts },
    text: "export default route({ verify: false, respond: true, body: 'text', limit: 1000, run: (ctx) => ctx.body })",
  },
  'routes/slow.ts': {
    definition: { kind: 'route', name: 'POST /slow', facts },
    text: `import { existsSync } from 'node:fs'
export default route({ verify: false, respond: true, run: async (ctx) => {
  await ctx.send(ctx.env.CHANNEL, 'begun')
  while (!existsSync(ctx.env.RELEASE)) await new Promise((resolve) => setTimeout(resolve, 10))
  return 'finished'
} })`,
  },
}

/** A service, and the folder of a built bot. */
export class EmbedRig implements AsyncDisposable {
  readonly lines: LogLine[] = []
  readonly env: Record<string, string>
  readonly rig: ChatRig
  readonly #servers: Server[] = []

  constructor(rig: ChatRig) {
    this.rig = rig
    const { root } = rig
    this.env = {
      BOT_TOKEN: token,
      BOT_BASE_URL: rig.service.base_url,
      CHANNEL: rig.channel('general'),
      RELEASE: join(root, 'released'),
    }
    symlinkSync(modules, join(root, 'node_modules'))
    writeFileSync(join(root, 'package.json'), '{"type":"module"}')
    mkdirSync(join(root, 'dist'))
    const definitions = Object.entries(files).map(([file, { definition }]) => ({ ...definition, file }))
    const names = definitions.map(({ file }, at) => [file, `${at}.mjs`] as const)
    for (const [file, name] of names)
      writeFileSync(join(root, 'dist', name), `import { route } from '@botwright/framework'\n${files[file]!.text}`)
    this.configure('env: z.object({ CHANNEL: z.string(), RELEASE: z.string() })')
    const entries = definitions.map(({ kind, name, file }) => ({ kind, name, file }))
    const manifest = { version: 1, entries, definitions, modules: Object.fromEntries(names), config: 'config.mjs' }
    writeFileSync(join(root, 'dist/botwright.json'), JSON.stringify(manifest))
  }

  static async start(): Promise<EmbedRig> {
    return new EmbedRig(await ChatRig.start())
  }

  /** Writes `bot.config`, with these fields. */
  configure(fields: string): void {
    writeFileSync(join(this.rig.root, 'dist/config.mjs'), `import { z } from 'zod'\nexport default { ${fields} }`)
  }

  create(options: CreateBotOptions = {}) {
    return createBot(this.rig.root, { env: this.env, log: (line) => void this.lines.push(line), ...options })
  }

  logged(level: string): string[] {
    return this.lines.filter((line) => line.level === level).map(({ msg }) => msg)
  }

  /** Starts the server of the program. */
  async serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener)
    this.#servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) {
      server.close()
      server.closeAllConnections()
    }
    await this.rig[Symbol.asyncDispose]()
  }
}
