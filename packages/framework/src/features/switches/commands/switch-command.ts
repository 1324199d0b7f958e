import { sleep, systemClock } from '@botwright/clock'
import { BotwrightError, printableBlock, printableLine } from '@botwright/protocol/facts'
import type { StateStore } from '../../../author/ports.ts'
import { durationText } from '../../../author/time/duration.ts'
import { type Known, placeOf, type Server, SwitchError, switchOff, switchOn, switchView } from '../change.ts'
import { findName, findServer } from '../find-name.ts'
import { FRESH_MS } from '../stored-switches.ts'
import { readOff } from '../switch-store.ts'

/** Where the bots are. */
export interface BotPlace {
  /** The folder of the build. */
  build: string
  state?: string
  bot?: string
  cluster?: string
}

/** The access to the bots of a folder. */
export interface SwitchHost {
  io: Record<'stdout' | 'stderr', { write(text: string): unknown }>
  /** Calls `work` with the values of each bot. */
  withBots: <T>(work: (bots: readonly { botId: string; store: StateStore }[]) => Promise<T>) => Promise<T>
  /** The files of the bot. */
  files: () => readonly Known[]
  /** The servers that the bot is in. */
  servers: () => Promise<readonly Server[]>
  /** Lines of a table. */
  table: (head: readonly string[], rows: readonly (readonly string[])[]) => readonly string[]
}

interface Options {
  json: boolean
  /** The name or the id of a server. */
  server?: string
  reason?: string
}

/** `framework off` without a name. Resolves with the exit code. */
export async function listSwitches(host: SwitchHost, { json }: Options): Promise<number> {
  const { io, withBots, table } = host
  const print = (text: string) => void io.stdout.write(`${text}\n`)
  const rows = await withBots(async (bots) => {
    const each = bots.map(async ({ botId, store }) => (await readOff(store)).map((off) => ({ botId, off })))
    return (await Promise.all(each)).flat()
  })
  if (json) print(JSON.stringify({ off: rows.map(({ botId, off }) => ({ ...switchView(off), bot_id: botId })) }))
  else if (rows.length === 0) print('nothing is switched off')
  else {
    const several = new Set(rows.map(({ botId }) => botId)).size > 1
    const nowMs = systemClock.now()
    const cells = rows.map(({ botId, off: { name, server, reason = '', sinceMs } }) => [
      ...[name, server?.name ?? 'everywhere', `${durationText(Math.max(nowMs - sinceMs, 1000))} ago`, reason],
      ...(several ? [botId] : []),
    ])
    print(table(['Name', 'Server', 'Since', 'Reason', ...(several ? ['Bot'] : [])], cells).join('\n'))
  }
  return 0
}

/** `framework off` and `framework on`. Returns once running instances have applied it. Resolves with the exit code. */
export async function switchCommand(
  typed: string,
  to: 'off' | 'on',
  host: SwitchHost,
  options: Options,
): Promise<number> {
  const { io, withBots, files, servers } = host
  try {
    const server = options.server === undefined ? undefined : findServer(options.server, await servers())
    const { botId, changed } = await withBots(async (bots) => {
      const [bot, ...others] = bots
      if (!bot || others.length > 0) throw notOne(bots)
      const { store } = bot
      if (to === 'on') {
        // The files of the bot may have changed since.
        const off = (await readOff(store)).map(({ name }) => name)
        return { botId: bot.botId, changed: await switchOn(store, findName(typed, files(), off), server) }
      }
      const wanted = { name: findName(typed, files()), sinceMs: systemClock.now(), server, reason: options.reason }
      return { botId: bot.botId, changed: [await switchOff(store, wanted)] }
    })
    await sleep(systemClock, FRESH_MS)
    const lines = changed.map(({ name, server: where, reason }) =>
      printableLine(`${name} is ${to}${placeOf(where)}${to === 'off' && reason !== undefined ? `: ${reason}` : ''}`),
    )
    const views = changed.map((one) => ({ ...switchView(one), bot_id: botId }))
    io.stdout.write(`${options.json ? JSON.stringify({ state: to, changed: views }) : lines.join('\n')}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof SwitchError)) throw error
    io.stderr.write(`${printableBlock(error.message)}\n`)
    return 1
  }
}

const notOne = (bots: readonly { botId: string }[]): Error =>
  new BotwrightError(
    'ERR_CONFIG',
    bots.length === 0
      ? 'the framework dev of this bot has exited, and its data was only in memory'
      : `${bots.length} bots have run here: pass --bot ${bots.map(({ botId }) => botId).join(' or --bot ')}`,
  )
