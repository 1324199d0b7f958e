import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '@botwright/clock'
import type { BotProfile, EndpointName } from '@botwright/protocol/shapes'
import { BotwrightError } from '@botwright/protocol/facts'
import { type Call, checkCall } from '@botwright/rest'
import { isRead } from '../history/call-words.ts'
import type { RecordedCall, RecordedEvent } from '../history/recorded-event.ts'

export interface DryCallOptions {
  me: BotProfile
  clock: Clock
  /** Performs reads that were not recorded. Undefined if no service is reachable. */
  live: Call | undefined
  /** The event whose handler makes the call. */
  current: () => RecordedEvent | undefined
}

type Input = Record<string, unknown>

/**
 * Creates a `Call` that sends nothing. Writes return what the service would return. Messages get their recorded ids, so that later
 * clicks find them. Reads are answered from the recording, then by the service.
 */
export function createDryCall(options: DryCallOptions): Call {
  const recording = new DryService(options)
  return (async (name: EndpointName, input: Input = {}) => {
    await checkCall(name, input)
    return isRead(name) ? recording.read(name, input) : recording.write(name, input)
  }) as unknown as Call
}

class DryService {
  readonly #o: DryCallOptions
  /** The messages of the replay, by id. */
  readonly #made = new Map<string, Input>()
  readonly #used = new Set<RecordedCall>()

  constructor(options: DryCallOptions) {
    this.#o = options
  }

  /** The recorded call that this one repeats: one with the same input or, for writes, the next with the same name. */
  #recorded(name: string, input: Input): RecordedCall | undefined {
    const left = (this.#o.current()?.calls ?? []).filter(
      (call) => call.name === name && !this.#used.has(call) && !call.code,
    )
    const found = left.find((call) => isDeepStrictEqual(call.input, withoutToken(input)))
    const call = found ?? (isRead(name) ? undefined : left[0])
    if (call) this.#used.add(call)
    return call
  }

  async read(name: string, input: Input): Promise<unknown> {
    const own = name === 'messages.get' ? this.#made.get(String(input['message_id'])) : undefined
    if (own) return own
    const known = this.#recorded(name, input)
    if (known?.answer !== undefined) return known.answer
    if (name === 'me.get') return this.#o.me
    const { live } = this.#o
    if (live) return live(name as 'me.get', input as object)
    throw new BotwrightError(
      'ERR_NO_ANSWER',
      `${name}: its response was not recorded, and no service is reachable; set BOT_TOKEN and BOT_BASE_URL in .env`,
    )
  }

  #message(input: Input, id: string | undefined): Input {
    const { channel_id, content, embeds, components, reply_to } = input
    const one = {
      id: id ?? randomUUID(),
      channel_id: channel_id ?? this.#o.current()?.data?.['channel_id'] ?? null,
      channel_name: this.#o.current()?.data?.['channel_name'] ?? '',
      server_id: this.#o.current()?.data?.['server_id'] ?? null,
      author_id: this.#o.me.id,
      author: this.#o.me.username,
      author_bot: true,
      content: content ?? '',
      attachment: null,
      reply_to_id: reply_to ?? null,
      created_at: new Date(this.#o.clock.now()).toISOString(),
      mentioned: false,
      embeds: embeds ?? [],
      components: components ?? [],
      pinned: false,
      edited_at: null,
      reactions: [],
    }
    this.#made.set(one.id, one)
    return one
  }

  #edited(id: string, input: Input): Input {
    const before = this.#made.get(id) ?? this.#message(input, id)
    const { content, embeds, components } = input
    const after = {
      ...before,
      ...(content !== undefined && content !== null && { content }),
      ...(embeds !== undefined && { embeds: embeds ?? [] }),
      ...(components !== undefined && { components: components ?? [] }),
    }
    this.#made.set(id, after)
    return after
  }

  write(name: string, input: Input): unknown {
    const id = this.#recorded(name, input)?.created
    switch (name) {
      case 'messages.create':
        return this.#message(input, id)
      case 'messages.update':
        return this.#edited(String(input['message_id']), input)
      case 'interactions.callback': {
        if (input['type'] === 'update')
          return { ok: true, message: this.#edited(String(this.#o.current()?.data?.['message_id']), input) }
        return input['type'] === 'reply' ? { ok: true, message: this.#message(input, id) } : { ok: true }
      }
      case 'users.dm':
        return { channel_id: id ?? randomUUID() }
      case 'messages.bulkDelete':
        return { deleted: input['ids'], skipped: [] }
      case 'channels.create':
      case 'channels.update':
        return { channel: channel(input) }
      case 'categories.create':
        return { category: { id: randomUUID(), name: input['name'], position: 0 } }
      case 'me.update':
        return { ...this.#o.me, ...input }
      case 'me.setStatus':
        return { ok: true, status: input['status'], activity: input['activity'] ?? null }
      case 'commands.replace':
        return { ok: true, commands: input['commands'] }
      case 'moderation.timeout': {
        const minutes = Number(input['minutes'])
        return {
          ok: true,
          timeout_until: minutes > 0 ? new Date(this.#o.clock.now() + minutes * 60_000).toISOString() : null,
        }
      }
      default:
        return { ok: true }
    }
  }
}

const withoutToken = (input: Input): Input => {
  const { token: _token, ...rest } = input
  return JSON.parse(JSON.stringify(rest)) as Input
}

const channel = (input: Input): Input => ({
  id: input['channel_id'] ?? randomUUID(),
  server_id: input['server_id'] ?? null,
  name: input['name'] ?? '',
  type: input['kind'] ?? 'text',
  position: 0,
  category: null,
  category_id: input['category_id'] ?? null,
  private: input['private'] ?? false,
  read_only: input['read_only'] ?? false,
  slowmode: input['slowmode'] ?? 0,
})
