import type { Embed } from '@botwright/protocol'
import { printableBlock } from '@botwright/protocol/facts'
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

/** Whether an object has these fields, recursively; others are ignored. */
function holds(state: State, actual: unknown, wanted: unknown): boolean {
  if (wanted instanceof RegExp) return typeof actual === 'string' && found(wanted, actual)
  if (Array.isArray(wanted))
    return (
      Array.isArray(actual) &&
      actual.length === wanted.length &&
      wanted.every((one, index) => holds(state, actual[index], one))
    )
  const plain = typeof wanted === 'object' && wanted !== null && Object.getPrototypeOf(wanted) === Object.prototype
  if (!plain) return state.equals(actual, wanted)
  return (
    typeof actual === 'object' &&
    actual !== null &&
    Object.entries(wanted).every(([key, value]) => holds(state, (actual as Record<string, unknown>)[key], value))
  )
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

function verdict(state: State, pass: boolean, expected: string, received: unknown): Verdict {
  return {
    pass,
    message: () =>
      // A bot echoes texts of people: they must not reach the terminal of the test run unescaped.
      printableBlock(`expected the bot ${state.isNot === true ? 'not ' : ''}${expected}; ${subject(received)}`),
  }
}

/** Matchers for a bot's actions; `@botwright/testing/matchers` adds them to vitest. */
export const matchers = {
  toHaveReplied(this: State, received: unknown, wanted?: MessageLike): Verdict {
    const { replies } = answerOf(received, 'toHaveReplied')
    const pass = wanted === undefined ? replies.length > 0 : replies.some((reply) => fits(this, reply, wanted))
    return verdict(this, pass, wanted === undefined ? 'to reply' : `to reply ${shown(wanted, this)}`, received)
  },
  toHaveUpdated(this: State, received: unknown, wanted?: MessageLike): Verdict {
    const { updates } = answerOf(received, 'toHaveUpdated')
    const pass = wanted === undefined ? updates.length > 0 : updates.some((update) => fits(this, update, wanted))
    const what = wanted === undefined ? 'to edit a message' : `to edit a message to ${shown(wanted, this)}`
    return verdict(this, pass, what, received)
  },
  toHaveReacted(this: State, received: unknown, emoji?: string): Verdict {
    const { reactions } = answerOf(received, 'toHaveReacted')
    const pass = reactions.some((reaction) => emoji === undefined || reaction.emoji === emoji)
    return verdict(this, pass, emoji === undefined ? 'to react' : `to react with ${emoji}`, received)
  },
  toBeEphemeral(this: State, received: unknown): Verdict {
    const [first] = messagesOf(received, 'toBeEphemeral')
    return verdict(this, first?.ephemeral === true, 'to reply to the clicker alone', received)
  },
  toHaveEmbed(this: State, received: unknown, wanted?: EmbedLike): Verdict {
    const embeds = messagesOf(received, 'toHaveEmbed').flatMap((message) => message.embeds)
    const pass = embeds.some((embed) => wanted === undefined || holds(this, embed, wanted))
    return verdict(this, pass, `to show a card${wanted ? ` with ${shown(wanted, this)}` : ''}`, received)
  },
  toHaveButton(this: State, received: unknown, wanted?: ButtonLike): Verdict {
    const buttons = messagesOf(received, 'toHaveButton').flatMap(buttonsOf)
    const pass = buttons.some((button) => {
      if (wanted === undefined) return true
      if (typeof wanted === 'string') return isCalled(button, wanted)
      return wanted instanceof RegExp ? found(wanted, faceOf(button)) : holds(this, button, wanted)
    })
    const name = typeof wanted === 'string' ? `[${wanted}]` : wanted === undefined ? '' : shown(wanted, this)
    return verdict(this, pass, `to show a button ${name}`.trimEnd(), received)
  },
}
