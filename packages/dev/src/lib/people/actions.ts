import { BotwrightError } from '@botwright/protocol/facts'
import type { RecordedEvent } from '@botwright/framework/replay'
import type { PersonAtService, PersonMessage } from './person.ts'

/** Something that a person has done, and how to recognize the bot's event of it. */
export interface Action {
  /** In words: `ann in #general: /ping`. */
  words: string
  /** The ids of the things that the service created, by their names: `message_id`, `interaction_id`. */
  ids: Readonly<Record<string, string>>
  isEvent: (event: RecordedEvent) => boolean
}

const isMessage =
  (id: string): Action['isEvent'] =>
  ({ type, data }) =>
    type === 'message' && data?.['id'] === id

export async function say(person: PersonAtService, who: string, where: string, content: string): Promise<Action> {
  const channel_id = await person.channel(where)
  const { id } = await person.call<PersonMessage>('POST', `/channels/${channel_id}/messages`, { content })
  return { words: `${who} in #${where}: ${content}`, ids: { channel_id, message_id: id }, isEvent: isMessage(id) }
}

export async function dm(person: PersonAtService, who: string, botId: string, content: string): Promise<Action> {
  const { channel_id } = await person.call<{ channel_id: string }>('POST', `/users/${botId}/dm`)
  const { id } = await person.call<PersonMessage>('POST', `/channels/${channel_id}/messages`, { content })
  return { words: `${who} in direct messages: ${content}`, ids: { channel_id, message_id: id }, isEvent: isMessage(id) }
}

/** Clicks the newest button with this label, or emoji. */
export async function click(
  person: PersonAtService,
  who: string,
  { where, label, on }: { where: string; label: string; on: string | undefined },
): Promise<Action> {
  const channel_id = await person.channel(where)
  const buttons = (await person.messages(channel_id))
    .filter(({ id }) => on === undefined || id === on)
    .flatMap(({ id, components }) =>
      (components ?? []).flatMap((row) => row.components.map((button) => ({ ...button, message_id: id }))),
    )
  const found = buttons.find((one) => one.custom_id !== undefined && (one.label === label || one.emoji === label))
  if (!found) {
    const labels = [...new Set(buttons.map((one) => one.label ?? one.emoji ?? ''))]
    throw new BotwrightError(
      'ERR_CONFIG',
      labels.length === 0
        ? `there is no button among the newest 100 messages of #${where}`
        : `there is no button "${label}" in #${where}; there is ${labels.join(', ')}`,
    )
  }
  const { interaction_id } = await person.call<{ interaction_id: string }>(
    'POST',
    `/channels/${channel_id}/messages/${found.message_id}/clicks`,
    { custom_id: found.custom_id },
  )
  return {
    words: `${who} clicks ${label} in #${where}`,
    ids: { channel_id, message_id: found.message_id, interaction_id },
    isEvent: ({ type, data }) => type === 'interaction' && data?.['id'] === interaction_id,
  }
}

/** Reacts to the newest message of a channel, or to the given one. */
export async function react(
  person: PersonAtService,
  who: string,
  { where, emoji, on }: { where: string; emoji: string; on: string | undefined },
): Promise<Action> {
  const channel_id = await person.channel(where)
  const message_id = on ?? (await person.messages(channel_id))[0]?.id
  if (message_id === undefined) throw new BotwrightError('ERR_CONFIG', `#${where} has no message to react to`)
  await person.call('PUT', `/channels/${channel_id}/messages/${message_id}/reactions/${encodeURIComponent(emoji)}`)
  return {
    words: `${who} reacts with ${emoji} in #${where}`,
    ids: { channel_id, message_id },
    isEvent: ({ type, data }) =>
      type === 'reaction_add' &&
      data?.['message_id'] === message_id &&
      data['user_id'] === person.id &&
      data['emoji'] === emoji,
  }
}

/** Joins a server: the one with this name, or the oldest. */
export async function join(person: PersonAtService, who: string, name: string | undefined): Promise<Action> {
  const { servers } = await person.call<{ servers: { id: string; name: string }[] }>('GET', '/servers')
  const server = name === undefined ? servers[0] : servers.find((one) => one.name === name)
  if (!server) {
    const names = servers.map((one) => one.name).join(', ')
    throw new BotwrightError('ERR_CONFIG', `there is no server "${name ?? ''}"; choose one of ${names}`)
  }
  await person.call('PUT', `/servers/${server.id}/members/me`)
  return {
    words: `${who} joins ${server.name}`,
    ids: { server_id: server.id },
    isEvent: ({ type, data }) =>
      type === 'member_join' && data?.['user_id'] === person.id && data['server_id'] === server.id,
  }
}
