import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { VirtualClock } from '@botwright/clock'
import type { Call } from '@botwright/rest'
import { onTestFinished } from 'vitest'
import type { Layer } from '../bot/layer.ts'
import { type LayeredHost, loadLayered } from '../bot/load/load-layered.ts'
import { discover } from '../author/files/manifest.ts'
import type { BotSource, Outcome } from '../link/ports.ts'

export const id = (n: number) => `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`
const api = JSON.stringify(new URL('../index.ts', import.meta.url).pathname)

/** A folder of bot files for one test, in which `botwright` resolves to this package. */
export async function write(files: Record<string, string>): Promise<BotSource> {
  const root = await mkdtemp(join(tmpdir(), 'botwright-bot-'))
  onTestFinished(() => rm(root, { recursive: true }))
  for (const [file, code] of Object.entries(files)) {
    await mkdir(dirname(join(root, file)), { recursive: true })
    await writeFile(join(root, file), code.replaceAll('botwright', api.slice(1, -1)))
  }
  const manifest = discover(Object.keys(files))
  const codeId = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 12)
  return {
    manifest,
    root,
    codeId,
    modules: Object.fromEntries(manifest.entries.map(({ file }) => [file, join(root, file)])),
  }
}

/** Loads a bot and records its calls; `extra` and `hostExtra` override its services. `layer`: a feature around its code. */
export async function start(
  files: Record<string, string>,
  extra: Partial<BotSource> = {},
  hostExtra: Partial<LayeredHost> = {},
  layer: Layer = {},
) {
  const calls: [string, Record<string, unknown>][] = []
  const logged: string[] = []
  const outcomes: Outcome[] = []
  const clock = new VirtualClock()
  const call = (async (name: string, input: Record<string, unknown>) => {
    calls.push([name, input])
    if (name === 'users.dm') return { channel_id: id(99) }
    return name.startsWith('messages.')
      ? { id: id(500 + calls.length), channel_id: input['channel_id'], content: 'x' }
      : { ok: true }
  }) as unknown as Call
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: (_: object, message: string) => void logged.push(message),
    error: (_: object, message: string) => void logged.push(message),
  }
  const me = { id: id(1), username: 'bot' } as LayeredHost['me']
  const source = { ...(await write(files)), ...extra }
  const host = { call, clock, log, me, observe: (one: Outcome) => outcomes.push(one), ...hostExtra }
  const bot = await loadLayered(source, host, layer)
  return { bot, calls, logged, outcomes, clock, source }
}

let eventId = 0
/** A delivery of an event. */
export const deliver = (type: string, data: Record<string, unknown>) => ({
  event: { id: ++eventId, type, data, created_at: '2026-01-01T00:00:00Z' },
  attempt: 1,
})
export const message = (data: Record<string, unknown>) =>
  deliver('message', {
    id: id(10),
    channel_id: id(20),
    server_id: id(30),
    author_id: id(40),
    author: 'ann',
    author_bot: false,
    content: '/x',
    ...data,
  })
export const click = (custom_id: string) =>
  deliver('interaction', {
    id: id(50),
    token: 't',
    custom_id,
    channel_id: id(20),
    server_id: id(30),
    user_id: id(40),
    username: 'ann',
    message_id: id(60),
    expires_at: '2026-01-01T00:15:00Z',
  })
