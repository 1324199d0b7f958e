import type { StateStore } from '@botwright/framework'
import { faceOf, type Seen } from './seen.ts'
import { seen } from './bot-actions.ts'
import type { Stage } from './stage.ts'

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
/** How many messages of a channel are compared. */
const MOST = 100

/**
 * All messages of the world, channel by channel: `#general ann: /leave`. After them, the stored values of the bot's code. Ids are names, so that
 * two worlds can be compared.
 */
export async function transcript(stage: Stage, store: StateStore): Promise<string[]> {
  const { servers } = stage.service.world
  const names = new Map<string, string>([[stage.botId, 'the bot']])
  for (const name of stage.usernames) names.set(stage.idOf(name)!, name)
  for (const server of Object.values(servers))
    for (const [name, id] of Object.entries(server.channels)) names.set(id, `#${name}`)
  const read = new Set<string>()
  const lines: string[] = []
  for (const username of stage.usernames) {
    const session = await stage.session(username)
    const channels = (await session.channels()).filter(({ type }) => type === 'text')
    const direct = { id: await session.directId(stage.botId), name: `direct messages of ${username}` }
    for (const { id, name } of [...channels.map((one) => ({ id: one.id, name: `#${one.name}` })), direct]) {
      if (read.has(id)) continue
      read.add(id)
      const { messages } = await session.api.messages.list({ channel_id: id, limit: MOST })
      for (const message of messages) lines.push(`${name} ${lineOf(seen(message), names)}`)
    }
  }
  const nameOf = (id: string) => names.get(id) ?? 'ID'
  const stored = (await store.list(''))
    .filter(({ key }) => !key.startsWith('run:'))
    .map(({ key, value }) => `${key}: ${JSON.stringify(value)}`.replace(ID, nameOf))
  // The store lists them in the order of their ids, which differ in each world.
  return [...lines, ...stored.sort()]
}

function lineOf(message: Seen, names: ReadonlyMap<string, string>): string {
  const buttons = (message.components ?? []).flatMap(({ components }) => components.map((one) => `[${faceOf(one)}]`))
  const reactions = (message.reactions ?? []).map(({ emoji, count }) => `${emoji} ${count}`)
  const embeds = (message.embeds ?? []).map((embed) => JSON.stringify(embed))
  const text = [`${names.get(message.author_id) ?? 'someone'}: ${message.content}`, ...embeds, ...buttons, ...reactions]
  return text.join(' ').replace(ID, (id) => names.get(id) ?? 'ID')
}

/** The first difference of two conversations, in words. */
export function difference(actual: readonly string[], expected: readonly string[]): string {
  const at = expected.findIndex((line, i) => line !== actual[i])
  if (at < 0) return `"${actual[expected.length]}" is there in addition`
  if (actual.length > expected.length) return `"${actual[at]}" is there in addition`
  if (actual.length < expected.length) return `"${expected[at]}" is missing`
  return `"${actual[at]}" instead of "${expected[at]}"`
}
