import { fileURLToPath } from 'node:url'
import { type Clock, systemClock } from '@botwright/clock'
import type { BotProfile } from '@botwright/protocol/shapes'
import type { Call } from '@botwright/rest'
import { HandlerRuns } from './handler-runs.ts'
import { loadBot } from './load-bot.ts'
import type { BotHost } from './host.ts'
import type { BotSource } from '../link/ports.ts'
import type { Definition } from '../author/entries.ts'
import type { Log } from '../author/ports.ts'
import { WorkerCalls } from '../link/worker-call.ts'

// What runs for the first time is compiled, and what it is made of is looked up: a thread that has loaded a bot of one command and
// answered its event loads the author's, and answers the first event, in half the time.

const file = 'commands/practice.ts'
/** A command as an author writes it; the build puts it beside this file (scripts/bundle.mjs). */
const builtPath = fileURLToPath(new URL('./practice-command.mjs', import.meta.url))

/** As large as a bot that people notice a difference in. */
const COMMANDS = 100
const EVENTS = 20

/** Loads a bot that nobody has, and has it answer events that nobody has sent. Ends early once `isOver`. */
export async function practise(isOver: () => boolean, path = builtPath): Promise<void> {
  const clock = systemClock
  const runs = new HandlerRuns({ clock, log: silent, limitMs: 1000 })
  for (let round = 0; round < 2 && !isOver(); round++) {
    const calls = new WorkerCalls((message) => {
      if (message.kind === 'call') calls.answer(message.id, structuredClone(message.input))
    })
    const bot = await loadBot(source(path), hostOf(clock, calls.call))
    for (let id = 1; id <= EVENTS && !isOver(); id++) await runs.run(bot, deliveryOf(id))
  }
  await runs.drain(0)
}

function source(path: string): BotSource {
  const others = Array.from({ length: COMMANDS - 1 }, (_, i): Definition => {
    const name = `group${Math.ceil((i + 1) / 25)} other${i}`
    return { kind: 'command', name, file: `commands/${name.replace(' ', '/')}.ts`, description: 'Practice' }
  })
  const entry: Definition = { kind: 'command', name: 'practice', file, description: 'Practice' }
  const definitions = structuredClone([...others, entry])
  const entries = definitions.map(({ kind, name, file: at }) => ({ kind, name, file: at }))
  return { manifest: { entries }, root: '/', modules: { [file]: path }, definitions, eager: [file] }
}

const me: BotProfile = {
  id: 'bot',
  username: 'bot',
  display_name: null,
  bio: '',
  avatar_url: null,
  banner_url: null,
  created_at: '2026-01-01T00:00:00.000Z',
  bot: { name: 'bot', public: false, owner_id: 'person' },
}

const hostOf = (clock: Clock, call: Call): BotHost => ({ call, clock, log: silent, me, observe: () => {} })

const deliveryOf = (id: number) => ({
  id,
  event: {
    id,
    type: 'message',
    created_at: '2026-01-01T00:00:00.000Z',
    data: {
      id: 'message',
      channel_id: 'channel',
      author_id: 'person',
      author: 'person',
      content: '/practice',
      author_bot: false,
      command: 'practice',
      args: '',
    },
  },
  attempt: 1,
  redelivered: false,
})

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
