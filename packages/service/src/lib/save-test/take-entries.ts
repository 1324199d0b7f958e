import type { BotCall, BotEvent } from '../people-api/resources.ts'
import type { BotAction, ConversationOptions, Step } from './conversation-types.ts'
import { buttonsOf, type Fields, listOf, madeBy, read, textOf } from './recorded.ts'

export interface StepWithData extends Step {
  data: Fields
  /** If the step refers to the newest possible message, the step after which that message was posted: the test need not name it. */
  newest: number
}

/** A message of the bot, as it is after the steps so far. */
interface BotMessage {
  id: string
  step: number | undefined
  /** The newest step when it was posted; -1 if it was before all steps. */
  after: number
  /** Whether it is the first message of its step's answer. */
  isFirst: boolean
  buttons: Map<string, string>
}

/** The contents of the entries so far. */
export interface Taken {
  options: ConversationOptions
  names: Map<string, string>
  steps: StepWithData[]
  messages: BotMessage[]
  /** Whether the newest event is a step: what the bot then sends to other channels belongs to it. */
  isNewestHere: boolean
}

/** Before the first entry. */
export const nothingTaken = (options: ConversationOptions): Taken => ({
  options,
  names: new Map(options.people),
  steps: [],
  messages: (options.messages ?? []).map(({ id, components }) => ({
    id,
    step: undefined,
    after: -1,
    isFirst: false,
    buttons: buttonsOf(components),
  })),
  isNewestHere: false,
})

/** Takes an event: a step, if a person acted in the channel. */
export function takeEvent(taken: Taken, event: BotEvent): void {
  const data = read(event.data)
  const step = data && stepOfEvent(taken, event, data)
  if (step) taken.steps.push(step)
  taken.isNewestHere = step !== undefined
}

function stepOfEvent(taken: Taken, { type, at }: BotEvent, data: Fields): StepWithData | undefined {
  const { names, messages, options } = taken
  const username = textOf(data['username']) || textOf(data['author'])
  const userId = textOf(data['user_id']) || textOf(data['author_id'])
  if (data['author_bot'] === true || options.bots?.includes(userId)) return undefined
  if (userId !== '' && username !== '') names.set(userId, username)
  const step = { atMs: Date.parse(at), username, actions: [], data, newest: -1 }
  if (type === 'member_join' || type === 'member_leave') {
    if (options.serverId === null || data['server_id'] !== options.serverId) return undefined
    return { ...step, kind: type === 'member_join' ? 'join' : 'leave', what: '' }
  }
  if (data['channel_id'] !== options.channelId) return undefined
  const id = textOf(data['message_id'])
  if (type === 'message') {
    const to = textOf(data['reply_to_id'])
    return { ...step, kind: 'message', what: textOf(data['content']), ...(to !== '' && { on: firstOf(taken, to) }) }
  }
  if (type === 'interaction') {
    const label = messages.find((one) => one.id === id)?.buttons.get(textOf(data['custom_id']))
    const newest = messages.findLast(({ buttons }) => label !== undefined && [...buttons.values()].includes(label))
    return {
      ...step,
      kind: 'click',
      what: label ?? '',
      on: stepOf(taken, id),
      newest: newest?.id === id ? newest.after : -1,
    }
  }
  if (type !== 'reaction_add' && type !== 'reaction_remove') return undefined
  const kind = type === 'reaction_add' ? 'react' : 'unreact'
  const last = messages.at(-1)
  const newest = last?.id === id ? last.after : -1
  return { ...step, kind, what: textOf(data['emoji']), on: firstOf(taken, id), newest }
}

function stepOf({ messages }: Taken, messageId: string): number | 'unknown' {
  return messages.find(({ id }) => id === messageId)?.step ?? 'unknown'
}

/** Clicks can be on any message of an answer; reactions and replies only on the first. */
function firstOf({ messages }: Taken, messageId: string): number | 'unknown' {
  const found = messages.find(({ id }) => id === messageId)
  return found?.isFirst ? (found.step ?? 'unknown') : 'unknown'
}

/** Takes a call of the bot: an action in response to a step. */
export function takeCall(taken: Taken, { method, path, sent, status, answer }: BotCall): void {
  if (status >= 300) return
  const { steps, options } = taken
  const [group, id = '', what, target = '', last, emoji = ''] = path
    .replace(/^\/v1\//, '')
    .replace(/\?.*$/, '')
    .split('/')
  const body = read(sent)
  if (!body) return
  if (group === 'interactions' && what !== undefined) return takeCallback(taken, { id, body, answer })
  if (group !== 'channels' || what !== 'messages') return
  const isPost = method === 'POST' && target === ''
  if (id !== options.channelId) {
    if (isPost) takePostElsewhere(taken, id, body)
  } else if (isPost) {
    const at = wentOnAt(
      taken,
      steps.findLastIndex(({ data }) => data['id'] === body['reply_to']),
    )
    add(taken, at >= 0 ? at : newestHere(taken), { kind: 'reply', body, messageId: madeBy(answer) })
  } else if (method === 'PATCH') {
    const at = steps.findLastIndex(({ data, kind }) => kind !== 'click' || data['message_id'] === target)
    const isUnknown = stepOf(taken, target) === 'unknown' && !taken.isNewestHere
    add(taken, isUnknown ? -1 : at, { kind: 'update', body, messageId: target })
  } else if (method === 'PUT' && last === 'reactions') {
    const at = steps.findLastIndex(({ data }) => data['id'] === target)
    const step = steps[at < 0 ? newestHere(taken) : at]
    step?.actions.push({ kind: 'react', content: '', embeds: [], buttons: [], emoji: decodeURIComponent(emoji) })
  }
}

function takePostElsewhere({ steps, options, isNewestHere }: Taken, channelId: string, body: Fields): void {
  const channel = options.channels?.get(channelId)?.name
  // A reply answers a message of its own channel.
  const isAnswer = textOf(body['reply_to']) !== ''
  if (isNewestHere && !isAnswer && channel !== undefined)
    steps.at(-1)!.actions.push({ ...shownBy(body, 'reply'), channel })
}

function takeCallback(taken: Taken, { id, body, answer }: { id: string; body: Fields; answer: string | null }): void {
  const at = taken.steps.findLastIndex(({ data, kind }) => kind === 'click' && data['id'] === id)
  const step = taken.steps[at]
  if (!step) return
  if (body['type'] === 'reply') add(taken, at, { kind: 'reply', body, messageId: madeBy(answer) })
  if (body['type'] === 'update') add(taken, at, { kind: 'update', body, messageId: textOf(step.data['message_id']) })
  if (body['type'] === 'ephemeral') add(taken, at, { kind: 'ephemeral', body, messageId: '' })
}

/**
 * The step after which a handler for a message continues: the message itself, or the author's later answer to a question of the
 * handler, by button or text. A test waits until the bot is idle, so it sees later output only after that step.
 */
function wentOnAt(taken: Taken, at: number): number {
  const { steps } = taken
  const asked = steps[at]
  if (asked?.kind !== 'message') return at
  let last = at
  for (let next = at + 1; next < steps.length; next++) {
    const { kind, data, username, what, actions } = steps[next]!
    const answers = kind === 'message' && username === asked.username && actions.length === 0 && !/^[/!]/.test(what)
    const clicks = kind === 'click' && stepOf(taken, textOf(data['message_id'])) === last
    if (clicks || (answers && hasShown(steps[last]!))) last = next
  }
  return last
}

/** The newest step, unless a newer event elsewhere may have caused the call; then -1. */
const newestHere = ({ steps, isNewestHere }: Taken): number => (isNewestHere ? steps.length - 1 : -1)

interface Shown {
  kind: BotAction['kind']
  body: Fields
  messageId: string
}

/** Adds an action to a step, and remembers its message. */
function add({ steps, messages }: Taken, at: number, { kind, body, messageId }: Shown): void {
  const step = steps[at]
  const buttons = buttonsOf(body['components'])
  const place = messages.findIndex(({ id }) => id === messageId)
  const known = kind === 'update' ? messages[place] : undefined
  // Buttons that were there before are not checked again.
  const fresh = [...buttons.values()].filter((label) => ![...(known?.buttons.values() ?? [])].includes(label))
  if (known && body['components'] !== undefined) known.buttons = buttons
  if (!known && messageId !== '') {
    // The page knows the current state of the message, not the state at that time.
    if (place >= 0) messages.splice(place, 1)
    messages.push({
      id: messageId,
      step: step && at,
      after: steps.length - 1,
      isFirst: step !== undefined && !hasShown(step),
      buttons,
    })
  }
  step?.actions.push({ ...shownBy(body, kind), buttons: fresh })
}

const shownBy = (body: Fields, kind: BotAction['kind']): BotAction => ({
  kind,
  content: textOf(body['content']),
  embeds: listOf(body['embeds']),
  buttons: [...buttonsOf(body['components']).values()],
  emoji: '',
})

const hasShown = ({ actions }: Step): boolean => actions.some(({ kind }) => kind !== 'react')
