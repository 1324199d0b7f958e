import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BotProfile, Command } from '@botwright/protocol/shapes'
import { buildManifestName, type BuildManifest } from '../build-manifest.ts'

/** Tests load the build. */
const joined = import.meta.url.endsWith('.ts') ? '../../../dist/joined' : '.'

/** It takes half a second; a build never waits for it for long. */
const LONGEST_MS = 10_000

const me: BotProfile = {
  id: '00000000-0000-0000-0000-000000000001',
  username: 'practice',
  display_name: null,
  bio: '',
  avatar_url: null,
  banner_url: null,
  created_at: '2026-01-01T00:00:00.000Z',
  bot: { name: 'practice', public: false, owner_id: '00000000-0000-0000-0000-000000000002' },
}
const command: Command = { name: 'practice', description: 'Practice' }
const manifest: BuildManifest = {
  version: 1,
  entries: [{ kind: 'command', name: 'practice', file: 'commands/practice.ts' }],
  definitions: [{ kind: 'command', name: 'practice', file: 'commands/practice.ts', description: 'Practice' }],
  // A start loads no command.
  modules: { 'commands/practice.ts': 'commands/practice.mjs' },
  config: null,
}

/**
 * Starts a bot of its own once and ends it, and gives what V8 compiled for that: `framework start` then need not do it again.
 * Undefined where that fails: a start only takes longer without.
 */
export async function compileStart(): Promise<Uint8Array | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'botwright-compile-'))
  const answers: Record<string, object> = { '/v1/me': me, '/v1/commands': { ok: true, commands: [command] } }
  let polls = 0
  let ready = false
  let waiting: ServerResponse | undefined
  /** A token that is not accepted any more ends what has started. */
  const end = () => {
    if (!ready) return
    waiting?.writeHead(401).end('{"error":"Unauthorized"}')
    waiting = undefined
  }
  const server = createServer((request, response) => {
    const path = request.url!.split('?', 1)[0]!
    const answer = path === '/v1/events' && polls++ === 0 ? { events: [], last: 1 } : answers[path]
    response.setHeader('content-type', 'application/json')
    if (answer) return response.end(JSON.stringify(answer))
    waiting = response
    end()
  })
  try {
    await writeFile(join(folder, buildManifestName), JSON.stringify(manifest))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const out = join(folder, 'compiled')
    const env = {
      ...withoutOwn(process.env),
      ...{ BOT_TOKEN: 'practice', BOT_BASE_URL: `http://127.0.0.1:${port}/v1`, LOG_LEVEL: 'info' },
      // Where its lock file goes; Windows reads the others.
      ...{ TMPDIR: folder, TEMP: folder, TMP: folder },
    }
    const program = fileURLToPath(new URL(`${joined}/practise-start.cjs`, import.meta.url))
    const child = spawn(process.execPath, [program, folder, out], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: LONGEST_MS,
    })
    child.stdout.on('data', (text: Buffer) => {
      ready ||= text.includes('is ready')
      end()
    })
    await once(child, 'close')
    return await readFile(out)
  } catch {
    return undefined
  } finally {
    server.close()
    server.closeAllConnections()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Neither what a bot of this environment is given, nor flags under which V8 compiles otherwise. */
const withoutOwn = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^(BOT_|NODE_OPTIONS$)/.test(name)))
