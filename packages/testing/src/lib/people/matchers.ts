import type { Embed } from '@botwright/protocol'
import { cut, printableBlock, printableLine, sameEmoji } from '@botwright/protocol/facts'
import { Answer } from './answer.ts'
import { describeMessage } from './describe.ts'
import { buttonsOf, faceOf, isCalled, type Seen } from './seen.ts'

/** The expected message: its whole text, a pattern in it, or some of its fields. */
export type MessageLike =
  | string
  | RegExp
  | {
      content?: string | RegExp
      embeds?: readonly EmbedLike[]
      components?: readonly unknown[] | null
      ephemeral?: boolean
      /** The name of the channel; null in direct messages. */
      channel_name?: string | null
    }

/** The expected card: some of its fields; texts may be patterns. */
export type EmbedLike = { [K in keyof Embed]?: Embed[K] extends string | undefined ? string | RegExp : Embed[K] }

/** The expected button: its label, emoji or both; a pattern; or some of its fields. */
export type ButtonLike =
  | string
  | RegExp
  | {
      label?: string | RegExp
      emoji?: string
      style?: string
      url?: string | RegExp
      disabled?: boolean
      custom_id?: string | RegExp
    }

/** The context that vitest passes to a matcher; jest's fits as well. */
interface State {
  isNot?: boolean
  equals(a: unknown, b: unknown, testers?: unknown[]): boolean
  utils: { stringify(value: unknown): string }
}

interface Verdict {
  pass: boolean
  message: () => string
}

/** A pattern with the flag `g` remembers its position: `test()` would not find the text a second time. */
const found = (pattern: RegExp, text: string): boolean => text.search(pattern) >= 0

/** A field that is not as it was expected to be: `embeds.0.title`. */
interface Difference {
  path: readonly string[]
  actual: unknown
  wanted: unknown
}

/** The first of the wanted fields, recursively, that an object does not have; others are ignored. */
function difference(
  state: State,
  actual: unknown,
  wanted: unknown,
  path: readonly string[] = [],
): Difference | undefined {
  const differs: Difference = { path, actual, wanted }
  if (wanted instanceof RegExp) return typeof actual === 'string' && found(wanted, actual) ? undefined : differs
  const isPlain = typeof wanted === 'object' && wanted !== null && Object.getPrototypeOf(wanted) === Object.prototype
  if (!Array.isArray(wanted) && !isPlain) return state.equals(actual, wanted) ? undefined : differs
  if (typeof actual !== 'object' || actual === null) return differs
  if (Array.isArray(wanted) && (!Array.isArray(actual) || actual.length !== wanted.length)) return differs
  for (const [key, value] of Object.entries(wanted)) {
    const inner = difference(state, (actual as Record<string, unknown>)[key], value, [...path, key])
    if (inner) return inner
  }
  return undefined
}

const holds = (state: State, actual: unknown, wanted: unknown): boolean => !difference(state, actual, wanted)

/** A difference of short texts is plain from the texts themselves. */
const LONG_TEXT = 60
const SHOWN = 80

/** In one line, the first difference between what was expected and the most similar of these values. Empty if it is plain anyway. */
function differenceLine(state: State, candidates: readonly unknown[], wanted: unknown): string {
  if (state.isNot === true || candidates.length === 0) return ''
  const isText = typeof wanted === 'string'
  if (wanted === undefined || wanted instanceof RegExp || (isText && wanted.length < LONG_TEXT)) return ''
  const fields = Object.entries(isText ? { content: wanted } : (wanted as object))
  const fitting = (one: unknown) =>
    fields.filter(([key, value]) => holds(state, (one as Record<string, unknown>)[key], value)).length
  const closest = candidates.reduce((best, one) => (fitting(one) > fitting(best) ? one : best))
  const first = difference(state, closest, Object.fromEntries(fields))
  return first ? `${printableLine(differenceWords(first, state))}\n` : ''
}

function differenceWords({ path, actual, wanted }: Difference, state: State): string {
  const name = path.join('.')
  if (Array.isArray(actual) && Array.isArray(wanted) && actual.length !== wanted.length)
    return `first difference: ${name} has ${actual.length} instead of ${wanted.length}`
  if (typeof actual !== 'string' || typeof wanted !== 'string')
    return `first difference: ${name} is ${short(shown(actual, state))} instead of ${short(shown(wanted, state))}`
  let at = 0
  while (at < actual.length && actual[at] === wanted[at]) at++
  // The texts from a little before the first character that differs.
  const from = at > SHOWN / 2 ? at - SHOWN / 4 : 0
  const part = (text: string) => `${from > 0 ? '…' : ''}${JSON.stringify(short(text.slice(from)))}`
  return `first difference: ${name} is ${part(actual)} instead of ${part(wanted)}`
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > SHOWN ? `${cut(line, SHOWN)}…` : line
}

const shown = (wanted: unknown, { utils }: State): string =>
  typeof wanted === 'string' ? `"${wanted}"` : wanted instanceof RegExp ? String(wanted) : utils.stringify(wanted)

const fits = (state: State, message: Seen, wanted: MessageLike): boolean =>
  typeof wanted === 'string'
    ? message.content === wanted
    : wanted instanceof RegExp
      ? found(wanted, message.content)
      : holds(state, message, wanted)

function answerOf(received: unknown, name: string): Answer {
  if (received instanceof Answer) return received
  const what =
    received instanceof Promise
      ? 'a promise: await it first'
      : isMessage(received)
        ? 'one message of it: use toHaveEmbed, toHaveButton or toBeEphemeral, or compare its .content'
        : typeof received === 'object' && received !== null
          ? 'something else'
          : String(received)
  throw new TypeError(
    `${name} takes the result of a person's action, as in expect(await ann.says('/ping')).${name}(); it got ${what}`,
  )
}

const isMessage = (received: unknown): received is Seen =>
  typeof received === 'object' && received !== null && 'content' in received && 'embeds' in received

/** The messages of an answer, or a message itself. */
function messagesOf(received: unknown, name: string): readonly Seen[] {
  if (received instanceof Answer) return received.messages
  if (isMessage(received)) return [received]
  return answerOf(received, name).messages
}

const subject = (received: unknown): string =>
  received instanceof Answer ? received.story : `the message is ${describeMessage(received as Seen)}`

/** `compared`: the values of which one should have been as `wanted`. */
interface Comparison {
  pass: boolean
  expected: string
  compared?: readonly unknown[]
  wanted?: unknown
}

function verdict(state: State, { pass, expected, compared = [], wanted }: Comparison, received: unknown): Verdict {
  return {
    pass,
    message: () =>
      // A bot echoes texts of people: they must not reach the terminal of the test run unescaped.
      `${pass ? '' : differenceLine(state, compared, wanted)}${printableBlock(
        `expected the bot ${state.isNot === true ? 'not ' : ''}${expected}; ${subject(received)}`,
      )}`,
  }
}

/** Matchers for a bot's actions; `@botwright/testing/matchers` adds them to vitest. */
export const matchers = {
  toHaveReplied(this: State, received: unknown, wanted?: MessageLike): Verdict {
    const { replies } = answerOf(received, 'toHaveReplied')
    const pass = wanted === undefined ? replies.length > 0 : replies.some((reply) => fits(this, reply, wanted))
    const expected = wanted === undefined ? 'to reply' : `to reply ${shown(wanted, this)}`
    return verdict(this, { pass, expected, compared: replies, wanted }, received)
  },
  toHaveUpdated(this: State, received: unknown, wanted?: MessageLike): Verdict {
    const { updates } = answerOf(received, 'toHaveUpdated')
    const pass = wanted === undefined ? updates.length > 0 : updates.some((update) => fits(this, update, wanted))
    const expected = wanted === undefined ? 'to edit a message' : `to edit a message to ${shown(wanted, this)}`
    return verdict(this, { pass, expected, compared: updates, wanted }, received)
  },
  toHaveReacted(this: State, received: unknown, emoji?: string): Verdict {
    const { reactions } = answerOf(received, 'toHaveReacted')
    const pass = reactions.some((reaction) => emoji === undefined || sameEmoji(reaction.emoji, emoji))
    return verdict(this, { pass, expected: emoji === undefined ? 'to react' : `to react with ${emoji}` }, received)
  },
  toBeEphemeral(this: State, received: unknown): Verdict {
    const [first] = messagesOf(received, 'toBeEphemeral')
    return verdict(this, { pass: first?.ephemeral === true, expected: 'to reply to the clicker alone' }, received)
  },
  toHaveEmbed(this: State, received: unknown, wanted?: EmbedLike): Verdict {
    const embeds = messagesOf(received, 'toHaveEmbed').flatMap((message) => message.embeds)
    const pass = embeds.some((embed) => wanted === undefined || holds(this, embed, wanted))
    const expected = `to show a card${wanted ? ` with ${shown(wanted, this)}` : ''}`
    return verdict(this, { pass, expected, compared: embeds, wanted }, received)
  },
  toHaveButton(this: State, received: unknown, wanted?: ButtonLike): Verdict {
    const buttons = messagesOf(received, 'toHaveButton').flatMap(buttonsOf)
    const pass = buttons.some((button) => {
      if (wanted === undefined) return true
      if (typeof wanted === 'string') return isCalled(button, wanted)
      return wanted instanceof RegExp ? found(wanted, faceOf(button)) : holds(this, button, wanted)
    })
    const name = typeof wanted === 'string' ? `[${wanted}]` : wanted === undefined ? '' : shown(wanted, this)
    const compared = typeof wanted === 'object' ? buttons : []
    return verdict(this, { pass, expected: `to show a button ${name}`.trimEnd(), compared, wanted }, received)
  },
}
