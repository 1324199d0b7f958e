import type { BotCall, BotEvent } from '../people-api/resources.ts'

/** A reaction of the bot to a step. */
export interface BotAction {
  kind: 'reply' | 'update' | 'ephemeral' | 'react'
  content: string
  embeds: readonly Fields[]
  /** The labels of its buttons. */
  buttons: readonly string[]
  emoji: string
  /** The name of the channel, if it is not that of the conversation. */
  channel?: string
}

/** One action of a person, with the bot's reactions to it. */
export interface Step {
  kind: 'message' | 'click' | 'react' | 'unreact' | 'join' | 'leave'
  atMs: number
  username: string
  /** The text of a message, the label of a button, or an emoji. */
  what: string
  /** The step whose answer is clicked, reacted or replied to, if it is not the newest; `unknown` if no step matches. */
  on?: number | 'unknown'
  deeds: BotAction[]
}

/** A conversation between people and one bot in a channel. */
export interface Conversation {
  /** The channel's name; null for direct messages with the bot. */
  channel: string | null
  /** The name of the channel's server, at its own service. */
  server?: string
  steps: readonly Step[]
  /** The names of people whose ids occur in texts. */
  names: ReadonlyMap<string, string>
  /** Channels whose ids occur in texts, by id. */
  channels: ReadonlyMap<string, ChannelName>
}

/** The names of a channel and its server in a test's world. */
export interface ChannelName {
  server: string
  name: string
}

/** The input of `conversationOf`. */
export interface ConversationOptions {
  events: readonly BotEvent[]
  calls: readonly BotCall[]
  channelId: string
  channel: string | null
  serverId: string | null
  /** Other known messages of the channel, for the labels of older buttons. */
  messages?: readonly { id: string; components?: unknown }[]
  /** The names of people that texts may mention, by id. */
  people?: ReadonlyMap<string, string>
  /** Channels that texts may mention, by id. */
  channels?: ReadonlyMap<string, ChannelName>
  /** Starts with this message, or at this time. */
  from?: { messageId: string } | { atMs: number }
}

type Fields = Record<string, unknown>

interface StepWithData extends Step {
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

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Parses JSON; undefined for JSON that was truncated for display. */
function read(text: string | null): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(text ?? '{}'))
  } catch {
    return undefined
  }
}

/** The labels of buttons, by `custom_id`. */
const buttonsOf = (components: unknown): Map<string, string> =>
  new Map(
    listOf(components)
      .flatMap((row) => listOf(row['components']))
      .map((button) => [
        textOf(button['custom_id']) || textOf(button['url']),
        [textOf(button['emoji']), textOf(button['label'])].filter((part) => part !== '').join(' '),
      ]),
  )

/** Events in their order, with times that only increase: those from before the clock was set back get a time before the next event. */
function withIncreasingTimes(events: readonly BotEvent[]): BotEvent[] {
  let nextMs = Infinity
  return events
    .toReversed()
    .map((event) => {
      const atMs = Date.parse(event.at)
      if (atMs <= nextMs) {
        nextMs = atMs
        return event
      }
      nextMs--
      return { ...event, at: new Date(nextMs).toISOString() }
    })
    .toReversed()
}

/** Sorts by time. At equal times, an event comes before the calls that answer it and after the message that it is about. */
function inOrder(events: readonly BotEvent[], calls: readonly BotCall[]): (BotEvent | BotCall)[] {
  const line: (BotEvent | BotCall)[] = []
  const [waiting, pending] = [[...events], [...calls]]
  for (;;) {
    const [event, call] = [waiting[0], pending[0]]
    if (!event && !call) return line
    const apart = (event ? Date.parse(event.at) : Infinity) - (call ? Date.parse(call.at) : Infinity)
    const eventFirst = event && call && apart === 0 ? comesFirst(event, call) : apart < 0
    line.push(eventFirst ? waiting.shift()! : pending.shift()!)
  }

  function comesFirst(event: BotEvent, call: BotCall): boolean {
    const data = read(event.data) ?? {}
    const about = textOf(data['message_id']) || textOf(data['reply_to_id'])
    if (about !== '' && pending.some((one) => makesMessage(one) && madeBy(one.answer) === about)) return false
    const needed = `${call.path} ${call.sent ?? ''}`
    return line.length === 0 || waiting.some(({ data: text }) => needed.includes(textOf(read(text)?.['id']) || '\n'))
  }
}

const makesMessage = ({ method, path, sent }: BotCall): boolean =>
  method === 'POST' && (/\/messages$/.test(path) || read(sent)?.['type'] === 'reply')

/** The id of the message that a call created. */
const madeBy = (answer: string | null): string => {
  const body = read(answer) ?? {}
  return textOf(body['id']) || textOf(fieldsOf(body['message'])['id'])
}

/** Combines a bot's events in a channel with the calls that it made in response. A pure function. */
export function conversationOf(options: ConversationOptions): Conversation {
  const { channelId, channel, serverId, from, messages = [] } = options
  const names = new Map(options.people)
  const steps: StepWithData[] = []
  const made: BotMessage[] = messages.map(({ id, components }) => ({
    id,
    step: undefined,
    after: -1,
    isFirst: false,
    buttons: buttonsOf(components),
  }))
  /** Whether the newest event is a step: what the bot then sends to other channels belongs to it. */
  let isNewestHere = false
  for (const next of inOrder(withIncreasingTimes(options.events), options.calls)) {
    if ('type' in next) {
      const before = steps.length
      takeEvent(next)
      isNewestHere = steps.length > before
    } else takeCall(next)
  }
  const first =
    from === undefined
      ? 0
      : steps.findIndex(({ data, atMs }) => ('messageId' in from ? data['id'] === from.messageId : atMs >= from.atMs))
  const kept = first < 0 ? [] : steps.slice(first)
  const server = options.channels?.get(channelId)?.server
  return {
    channel,
    ...(server !== undefined && { server }),
    names,
    channels: options.channels ?? new Map(),
    steps: kept.map(({ data: _data, on, newest, ...step }) => {
      // Answers from before the start of the conversation do not exist in the test.
      const there = typeof on === 'number' && on >= first ? on - first : undefined
      if (on === undefined || newest >= first) return step
      return { ...step, on: there ?? 'unknown' }
    }),
  }

  function takeEvent({ type, data: text, at }: BotEvent): void {
    const data = read(text)
    const atMs = Date.parse(at)
    if (!data) return
    const username = textOf(data['username']) || textOf(data['author'])
    const userId = textOf(data['user_id']) || textOf(data['author_id'])
    if (userId !== '' && username !== '') names.set(userId, username)
    const here = data['channel_id'] === channelId
    const step = { atMs, username, deeds: [], data, newest: -1 }
    if (type === 'message' && here && data['author_bot'] !== true) {
      const to = textOf(data['reply_to_id'])
      steps.push({ ...step, kind: 'message', what: textOf(data['content']), ...(to !== '' && { on: firstOf(to) }) })
    } else if (type === 'interaction' && here) {
      const id = textOf(data['message_id'])
      const face = made.find((one) => one.id === id)?.buttons.get(textOf(data['custom_id']))
      const newest = made.findLast(({ buttons }) => face !== undefined && [...buttons.values()].includes(face))
      steps.push({
        ...step,
        kind: 'click',
        what: face ?? '',
        on: stepOf(id),
        newest: newest?.id === id ? newest.after : -1,
      })
    } else if ((type === 'reaction_add' || type === 'reaction_remove') && here) {
      const id = textOf(data['message_id'])
      const kind = type === 'reaction_add' ? 'react' : 'unreact'
      const newest = made.at(-1)?.id === id ? made.at(-1)!.after : -1
      steps.push({ ...step, kind, what: textOf(data['emoji']), on: firstOf(id), newest })
    } else if (
      (type === 'member_join' || type === 'member_leave') &&
      serverId !== null &&
      data['server_id'] === serverId
    )
      steps.push({ ...step, kind: type === 'member_join' ? 'join' : 'leave', what: '' })
  }

  function stepOf(messageId: string): number | 'unknown' {
    return made.find(({ id }) => id === messageId)?.step ?? 'unknown'
  }

  /** Clicks can be on any message of an answer; reactions and replies only on the first. */
  function firstOf(messageId: string): number | 'unknown' {
    const found = made.find(({ id }) => id === messageId)
    return found?.isFirst ? (found.step ?? 'unknown') : 'unknown'
  }

  /**
   * The step after which a handler for a message continues: the message itself, or the author's later answer to a question of the
   * handler, by button or text. A test waits until the bot is idle, so it sees later output only after that step.
   */
  function wentOnAt(at: number): number {
    const asked = steps[at]
    if (asked?.kind !== 'message') return at
    let last = at
    for (let next = at + 1; next < steps.length; next++) {
      const { kind, data, username, what, deeds } = steps[next]!
      const answers = kind === 'message' && username === asked.username && deeds.length === 0 && !/^[/!]/.test(what)
      const clicks = kind === 'click' && stepOf(textOf(data['message_id'])) === last
      if (clicks || (answers && hasShown(steps[last]!))) last = next
    }
    return last
  }

  function takeCall({ method, path, sent, status, answer }: BotCall): void {
    if (status >= 300) return
    const [group, id = '', what, target = '', last, emoji = ''] = path
      .replace(/^\/v1\//, '')
      .replace(/\?.*$/, '')
      .split('/')
    const body = read(sent)
    if (!body) return
    if (group === 'interactions' && what !== undefined) return takeCallback(id, body, answer)
    if (group !== 'channels' || what !== 'messages') return
    if (id !== channelId) {
      const channel = options.channels?.get(id)?.name
      // A reply answers a message of its own channel.
      const isAnswer = textOf(body['reply_to']) !== ''
      const isSent = method === 'POST' && target === '' && isNewestHere && !isAnswer && channel !== undefined
      if (isSent) steps.at(-1)!.deeds.push({ ...shownBy(body, 'reply'), channel })
    } else if (method === 'POST' && target === '') {
      const at = wentOnAt(steps.findLastIndex(({ data }) => data['id'] === body['reply_to']))
      add(at >= 0 ? at : newestHere(), 'reply', body, madeBy(answer))
    } else if (method === 'PATCH') {
      const at = steps.findLastIndex(({ data, kind }) => kind !== 'click' || data['message_id'] === target)
      add(stepOf(target) === 'unknown' && !isNewestHere ? -1 : at, 'update', body, target)
    } else if (method === 'PUT' && last === 'reactions') {
      const at = steps.findLastIndex(({ data }) => data['id'] === target)
      const step = steps[at < 0 ? newestHere() : at]
      step?.deeds.push({ kind: 'react', content: '', embeds: [], buttons: [], emoji: decodeURIComponent(emoji) })
    }
  }

  /** The newest step, unless a newer event elsewhere may have caused the call; then -1. */
  function newestHere(): number {
    return isNewestHere ? steps.length - 1 : -1
  }

  function takeCallback(id: string, body: Fields, answer: string | null): void {
    const at = steps.findLastIndex(({ data, kind }) => kind === 'click' && data['id'] === id)
    const step = steps[at]
    if (!step) return
    if (body['type'] === 'reply') add(at, 'reply', body, madeBy(answer))
    if (body['type'] === 'update') add(at, 'update', body, textOf(step.data['message_id']))
    if (body['type'] === 'ephemeral') add(at, 'ephemeral', body, '')
  }

  function add(at: number, kind: BotAction['kind'], body: Fields, messageId: string): void {
    const step = steps[at]
    const buttons = buttonsOf(body['components'])
    const place = made.findIndex(({ id }) => id === messageId)
    const known = kind === 'update' ? made[place] : undefined
    const faces = [...buttons.values()]
    // Buttons that were there before are not checked again.
    const fresh = faces.filter((face) => ![...(known?.buttons.values() ?? [])].includes(face))
    if (known && body['components'] !== undefined) known.buttons = buttons
    if (!known && messageId !== '') {
      // The page knows the current state of the message, not the state at that time.
      if (place >= 0) made.splice(place, 1)
      made.push({
        id: messageId,
        step: step && at,
        after: steps.length - 1,
        isFirst: step !== undefined && !hasShown(step),
        buttons,
      })
    }
    step?.deeds.push({ ...shownBy(body, kind), buttons: fresh })
  }
}

const shownBy = (body: Fields, kind: BotAction['kind']): BotAction => ({
  kind,
  content: textOf(body['content']),
  embeds: listOf(body['embeds']),
  buttons: [...buttonsOf(body['components']).values()],
  emoji: '',
})

const hasShown = ({ deeds }: Step): boolean => deeds.some(({ kind }) => kind !== 'react')
