import { BotwrightError, lowerId, sameEmoji } from '@botwright/protocol/facts'
import { lookOf } from '@botwright/protocol/typed-text'
import { missedWords, type RecordedEvent, zonedTime } from '@botwright/framework/replay'
import type { MissedQuestion } from '@botwright/protocol/timeline'
import type { PersonAtService, Place } from './person.ts'

/** Something that a person has done, and how to recognize the bot's event of it. */
export interface Action {
  /** In words: `ann in #general: /ping`. */
  words: string
  /** The ids of the things that the service created, by their names: `message_id`, `interaction_id`. */
  ids: Readonly<Record<string, string>>
  /** Where it happened; for a click, the author of the message. */
  target: { channel?: string; server?: string; author?: string }
  /** The text of a message. */
  content?: string
  isEvent: (event: RecordedEvent) => boolean
}

/** Writes a message. */
export async function say(person: PersonAtService, place: Place, content: string): Promise<Action> {
  const { id } = await person.api.messages.create({ channel_id: place.id, content })
  return {
    words: `${person.username} in ${place.title}: ${content}`,
    ids: { channel_id: place.id, message_id: id },
    target: { channel: place.id },
    content,
    isEvent: ({ type, data }) => type === 'message' && data?.['id'] === id,
  }
}

/** The button to click. `missed`: the question with this button that ended without a click. */
interface WantedButton {
  label: string
  on: string | undefined
  missed: (button: { channelId: string; label: string }) => MissedQuestion | undefined
  /** Until when a message with this button is held for quiet hours. */
  heldUntil: (button: { channelId: string; label: string }) => string | undefined
}

/** Clicks the newest button with this label, emoji or both. */
export async function click(
  person: PersonAtService,
  place: Place,
  { label, on, missed, heldUntil }: WantedButton,
): Promise<Action> {
  const buttons = (await person.messages(place.id))
    .filter(({ id }) => on === undefined || id === lowerId(on))
    .flatMap(({ id, author_id, components }) =>
      (components ?? []).flatMap((row) => row.components.map((button) => ({ ...button, author_id, message_id: id }))),
    )
  const isCalled = ({ label: text = '', emoji = '' }: (typeof buttons)[number]) =>
    [text, emoji, `${emoji} ${text}`].some((face) => face !== '' && lookOf(face) === lookOf(label))
  const found = buttons.find((one) => one.custom_id !== undefined && isCalled(one))
  if (!found) {
    const held = heldUntil({ channelId: place.id, label })
    if (held !== undefined)
      throw new BotwrightError(
        'ERR_REFUSED',
        `the message with the button "${label}" is not in ${place.title} yet: it is held until ${zonedTime(Date.parse(held))} (quiet hours); "framework clock" moves the time`,
      )
    const closed = missed({ channelId: place.id, label })
    const ended = closed ? `; ${missedWords(closed)}` : ''
    const labels = [...new Set(buttons.map((one) => one.label ?? one.emoji ?? ''))]
    throw new BotwrightError(
      'ERR_CONFIG',
      labels.length === 0
        ? `there is no button among the newest 100 messages of ${place.title}${ended}`
        : `there is no button "${label}" in ${place.title}; its buttons: ${labels.join(', ')}${ended}`,
    )
  }
  return clickButton(person, place, { ...found, custom_id: found.custom_id!, face: label })
}

/** Clicks one button of a message. */
export async function clickButton(
  person: PersonAtService,
  place: Place,
  { message_id, author_id, custom_id, face }: Record<'message_id' | 'author_id' | 'custom_id' | 'face', string>,
): Promise<Action> {
  const { interaction_id } = await person.api.clicks.create({ channel_id: place.id, message_id, custom_id })
  return {
    words: `${person.username} clicks ${face} in ${place.title}`,
    ids: { channel_id: place.id, message_id, interaction_id },
    target: { channel: place.id, author: author_id },
    isEvent: ({ type, data }) => type === 'interaction' && data?.['id'] === interaction_id,
  }
}

/** Reacts to the newest message of a channel, or to the given one. */
export async function react(
  person: PersonAtService,
  place: Place,
  { emoji, on }: { emoji: string; on: string | undefined },
): Promise<Action> {
  const messages = await person.messages(place.id)
  const message_id = on === undefined ? messages[0]?.id : lowerId(on)
  if (message_id === undefined) throw new BotwrightError('ERR_CONFIG', `${place.title} has no message to react to`)
  const reactions = messages.find(({ id }) => id === message_id)?.reactions ?? []
  // The service accepts a second reaction, but there is no event of it.
  if (reactions.some((one) => one.me && sameEmoji(one.emoji, emoji)))
    throw new BotwrightError('ERR_CONFIG', `${person.username} has already reacted with ${emoji} to this message`)
  await person.api.reactions.add({ channel_id: place.id, message_id, emoji })
  return {
    words: `${person.username} reacts with ${emoji} in ${place.title}`,
    ids: { channel_id: place.id, message_id },
    target: { channel: place.id },
    isEvent: ({ type, data }) =>
      type === 'reaction_add' &&
      data?.['message_id'] === message_id &&
      data['user_id'] === person.id &&
      sameEmoji(String(data['emoji']), emoji),
  }
}

/** Joins a server: the one with this name, or the oldest. */
export async function join(person: PersonAtService, name: string | undefined): Promise<Action> {
  const { servers } = await person.api.servers.list()
  const server = name === undefined ? servers[0] : servers.find((one) => lookOf(one.name) === lookOf(name))
  if (!server) {
    const names = servers.map((one) => one.name).join(', ')
    throw new BotwrightError('ERR_CONFIG', `there is no server "${name ?? ''}"; choose one of ${names}`)
  }
  // The service accepts a second join, but there is no event of it.
  if (server.member)
    throw new BotwrightError('ERR_CONFIG', `${person.username} is already in the server ${server.name}`)
  await person.api.servers.join({ server_id: server.id })
  return {
    words: `${person.username} joins ${server.name}`,
    ids: { server_id: server.id },
    target: { server: server.id },
    isEvent: ({ type, data }) =>
      type === 'member_join' && data?.['user_id'] === person.id && data['server_id'] === server.id,
  }
}
