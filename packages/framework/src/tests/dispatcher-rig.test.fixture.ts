import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@botwright/clock'
import type { BotProfile } from '@botwright/protocol/shapes'
import type { Call } from '@botwright/rest'
import { type Config, defaults } from '../author/config/config.ts'
import type { BotDispatcher, DispatcherOptions } from '../runtime/threads/dispatcher.ts'
import { Broadcaster } from '../features/broadcasts/broadcaster.ts'
import { MemoryStore } from '../author/state/memory-store.ts'
import { InlineDispatcher } from '../runtime/threads/dispatcher-inline.ts'
import { WorkerDispatcher } from '../runtime/threads/dispatcher-worker.ts'
import type { ThreadOptions } from '../runtime/threads/thread-options.ts'
import type { BotSource } from '../link/ports.ts'
import type { Log } from '../author/ports.ts'

/** A handler that follows the instructions in its message and records what it did. */
const handler = (notes: string, version: string) => `
import { appendFileSync, existsSync } from 'node:fs'
const note = (what) => appendFileSync(${JSON.stringify(notes)}, what + '\\n')
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const block = (ms) => { for (const end = Date.now() + ms; Date.now() < end; ); }
export default async (ctx) => {
  const [what, ms = '0'] = ctx.event.content.split(' ')
  note('start ' + ctx.envelope.id + ' ${version}' + (ctx.redelivered ? ' again' : ''))
  if (what === 'throw') throw new Error('thrown on purpose')
  if (what === 'never') await new Promise(() => {})
  if (what === 'block') block(Number(ms))
  if (what === 'late-block') { await sleep(20); block(Number(ms)) }
  if (what === 'exit') process.exit(3)
  if (what === 'exit-once' && !ctx.redelivered) process.exit(3)
  if (what === 'timer') { setTimeout(() => { throw new Error('thrown in a timer') }, 1); await sleep(200) }
  if (what === 'unawaited') void Promise.reject(new Error('nobody awaits me'))
  if (what === 'call') note('me ' + (await ctx.api.me.get({})).username)
  if (what === 'held') while (!existsSync(${JSON.stringify(notes + '.released')})) await sleep(5)
  if (what === 'sleep') await sleep(Number(ms))
  note('end ' + ctx.envelope.id + ' ${version}')
}
`

const me: BotProfile = {
  id: '00000000-0000-0000-0000-000000000001',
  username: 'tester',
  display_name: null,
  bio: '',
  avatar_url: null,
  banner_url: null,
  created_at: '2026-01-01T00:00:00.000Z',
  bot: { name: 'tester', public: false, owner_id: '00000000-0000-0000-0000-000000000002' },
}

const onlyMe = ((name: string) =>
  name === 'me.get'
    ? Promise.resolve(me)
    : Promise.reject(new Error(`${name} is not expected here`))) as unknown as Call

/** A bot of one file in a folder of its own, and the dispatcher that runs it. */
export class Rig implements AsyncDisposable {
  readonly root = mkdtempSync(join(tmpdir(), 'botwright-dispatcher-'))
  readonly lines: { level: string; facts: Record<string, unknown>; message: string }[] = []
  readonly #notes = join(this.root, 'notes.txt')
  readonly dispatcher: BotDispatcher
  #version = 0

  constructor(
    kind: 'inline' | 'worker',
    options: Partial<DispatcherOptions> &
      ThreadOptions & { handlerSeconds?: number; workers?: number; call?: Call } = {},
  ) {
    const { handlerSeconds = 60, workers = 1, call = onlyMe, ...rest } = options
    const write = (level: string) => (facts: object, message: string) =>
      void this.lines.push({ level, facts: facts as Record<string, unknown>, message })
    const log: Log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
    const config: Config = { ...defaults, limits: { ...defaults.limits, handlerSeconds, workers } }
    const store = new MemoryStore(systemClock)
    const broadcasts = new Broadcaster({ call, store, clock: systemClock, log })
    const outbox = { broadcasts, budget: () => Promise.reject(new Error('no budget is kept here')) }
    const all = { services: { call, store, outbox }, clock: systemClock, log, me, config, ...rest }
    this.dispatcher = kind === 'inline' ? new InlineDispatcher(all) : new WorkerDispatcher(all, rest)
    writeFileSync(this.#notes, '')
  }

  /** A source with one lifecycle file. */
  ofMoment(name: 'ready' | 'shutdown', text: string): BotSource {
    const source = this.source(text)
    const file = `events/${name}.ts`
    const [path] = Object.values(source.modules)
    return {
      ...source,
      manifest: { entries: [{ kind: 'event', name, file }] },
      modules: { [file]: path! },
      eager: [file],
    }
  }

  /** A source with the usual handler, or with this text as `events/message.ts`. */
  source(text?: string): BotSource {
    const version = `v${++this.#version}`
    const folder = join(this.root, version)
    mkdirSync(folder)
    const path = join(folder, 'message.mjs')
    writeFileSync(path, text ?? handler(this.#notes, version))
    const file = 'events/message.ts'
    return {
      manifest: { entries: [{ kind: 'event', name: 'message', file }] },
      root: this.root,
      modules: { [file]: path },
      eager: [file],
    }
  }

  /** Dispatches a message with instructions for its handler. */
  say(id: number, content: string, channel_id = `channel-${id}`): Promise<void> {
    const data = {
      id: `m${id}`,
      channel_id,
      server_id: null,
      author_id: 'ann',
      author: 'ann',
      content,
      author_bot: false,
    }
    return this.#dispatch(id, 'message', data)
  }

  /** Dispatches a click on a message. */
  click(id: number, message_id: string): Promise<void> {
    const data = { id: `i${id}`, token: 't', custom_id: 'x', message_id, channel_id: 'c', server_id: null }
    return this.#dispatch(id, 'interaction', { ...data, user_id: 'ann', username: 'ann' })
  }

  /** Dispatches a reaction of the same person. */
  react(id: number, channel_id: string): Promise<void> {
    const data = { message_id: 'm', channel_id, server_id: null, user_id: 'ann', username: 'ann', emoji: '👍' }
    return this.#dispatch(id, 'reaction_add', data)
  }

  #dispatch(id: number, type: string, data: Record<string, unknown>): Promise<void> {
    const event = { id, type, data, created_at: new Date().toISOString() }
    return Promise.resolve(this.dispatcher.dispatch({ event, attempt: 1 }))
  }

  /** Lets the handlers of "held" messages end. */
  release(): void {
    writeFileSync(`${this.#notes}.released`, '')
  }

  note(text: string): void {
    appendFileSync(this.#notes, text + '\n')
  }

  get notes(): string[] {
    return existsSync(this.#notes) ? readFileSync(this.#notes, 'utf8').split('\n').filter(Boolean) : []
  }

  /** The messages of a level. */
  logged(level: string): string[] {
    return this.lines.filter((line) => line.level === level).map((line) => line.message)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispatcher.close({ graceMs: 0 })
    rmSync(this.root, { recursive: true, force: true })
  }
}
