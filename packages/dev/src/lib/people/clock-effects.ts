import { setTimeout as sleep } from 'node:timers/promises'
import { answerWords, isRead } from '@botwright/framework/replay'
import { routes } from '@botwright/protocol/facts'
import { type BotCall, inspectorBounds } from '@botwright/service/people'
import { PersonAtService } from './person.ts'

/** A bot, and the username of its owner. */
export interface OwnedBot {
  id: string
  username: string
  owner: string
}

/** A call of a bot with a visible effect. */
interface Effect {
  bot: string
  /** When the service received it, by its own clock, as ISO 8601. */
  at: string
  /** The name of its endpoint, such as `messages.create`. */
  call: string
  /** `#general`; undefined if it is in no channel that the owner of the bot sees. */
  channel: string | undefined
  /** `send “Good morning!”` */
  words: string
}

/** `isCut`: earlier effects are no longer in the journal of the service. */
export interface ClockEffects {
  effects: readonly Effect[]
  isCut: boolean
}

const LOOK_MS = 100
/** A bot that makes no call for this time has finished. */
const QUIET_MS = 400
const MOST_MS = 5000

/** The effects of bots since a time. */
export async function effectsSince(service: URL, bots: readonly OwnedBot[], since: string): Promise<ClockEffects> {
  const all = await Promise.all(
    bots.map(async ({ id, username, owner: name }) => {
      const owner = await PersonAtService.signIn(service, name)
      const channels = new Map(
        (await owner.servers()).flatMap((server) => server.channels.map((one) => [one.id, `#${one.name}`])),
      )
      const calls = await callsSince(owner, id, since)
      return { effects: calls.found.flatMap((call) => effectOf(username, call, channels) ?? []), isCut: calls.isCut }
    }),
  )
  return { effects: all.flatMap(({ effects }) => effects), isCut: all.some(({ isCut }) => isCut) }
}

async function callsSince(
  owner: PersonAtService,
  botId: string,
  since: string,
): Promise<{ found: BotCall[]; isCut: boolean }> {
  const begunMs = performance.now()
  let newest: number | undefined
  let quietSinceMs = begunMs
  for (;;) {
    const { calls } = await owner.api.inspector.journal({ bot_id: botId })
    const found = calls.filter(({ at }) => at >= since)
    const nowMs = performance.now()
    // The length does not change when the journal is full.
    const newestId = calls.at(-1)?.id
    if (newestId !== newest) quietSinceMs = nowMs
    newest = newestId
    // If none of the earlier calls is left, there may have been more.
    const isCut = found.length === inspectorBounds.calls
    if (nowMs - quietSinceMs >= QUIET_MS || nowMs - begunMs >= MOST_MS) return { found, isCut }
    await sleep(LOOK_MS)
  }
}

const patterns = Object.entries(routes).map(([name, { method, path }]) => ({
  name,
  method,
  parts: path.split('/'),
}))

/** The effect of a call; undefined for a call that only reads, or that the interface does not have. */
export function effectOf(bot: string, call: BotCall, channels: ReadonlyMap<string, string>): Effect | undefined {
  const path = call.path.replace(/\?.*$/, '').replace(/^\/v1/, '').split('/')
  const route = patterns.find(
    ({ method, parts }) =>
      method === call.method &&
      parts.length === path.length &&
      parts.every((part, i) => part.startsWith('{') || part === path[i]),
  )
  if (!route || isRead(route.name)) return undefined
  const named = route.parts.flatMap((part, i) => (part.startsWith('{') ? [[part.slice(1, -1), path[i]!] as const] : []))
  const input: Record<string, unknown> = { ...bodyOf(call.sent), ...Object.fromEntries(named) }
  if (typeof input['emoji'] === 'string') input['emoji'] = decoded(input['emoji'])
  const failed = call.status >= 400 && { code: String(call.status) }
  const words = answerWords({ ...{ name: route.name, input, atMs: 0, ms: call.took_ms }, ...failed })
  return { bot, at: call.at, call: route.name, channel: channels.get(String(input['channel_id'])), words }
}

/** The service refuses an invalid escape, and keeps the call with its path as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Empty for a body that was truncated. */
function bodyOf(sent: string | null): Record<string, unknown> {
  try {
    return (JSON.parse(sent ?? '{}') ?? {}) as Record<string, unknown>
  } catch {
    return {}
  }
}
