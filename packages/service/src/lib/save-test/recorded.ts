import type { BotCall, BotEvent } from '../people-api/resources.ts'

/** The fields of a JSON object. */
export type Fields = Record<string, unknown>

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Parses JSON; undefined for JSON that was truncated for display. */
export function read(text: string | null): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(text ?? '{}'))
  } catch {
    return undefined
  }
}

/** The labels of buttons, by `custom_id`. */
export const buttonsOf = (components: unknown): Map<string, string> =>
  new Map(
    listOf(components)
      .flatMap((row) => listOf(row['components']))
      .map((button) => [
        textOf(button['custom_id']) || textOf(button['url']),
        [textOf(button['emoji']), textOf(button['label'])].filter((part) => part !== '').join(' '),
      ]),
  )

/** Events in their order, with times that only increase: those from before the clock was set back get a time before the next event. */
export function withIncreasingTimes(events: readonly BotEvent[]): BotEvent[] {
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
export function inOrder(events: readonly BotEvent[], calls: readonly BotCall[]): (BotEvent | BotCall)[] {
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
export const madeBy = (answer: string | null): string => {
  const body = read(answer) ?? {}
  return textOf(body['id']) || textOf(fieldsOf(body['message'])['id'])
}
