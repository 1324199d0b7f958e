import { VirtualClock } from '@botwright/clock'
import { BotwrightError } from '@botwright/protocol/facts'
import type { Call } from '@botwright/rest'
import { expect, test } from 'vitest'
import { type Attempt, makeCall, postedBy } from './repeat-call.ts'

const me = 'bot'
const input = { channel_id: 'c', content: 'Reminder!' }

interface Posted {
  id: string
  author_id: string
  content: string
  created_at: string
}

/** A channel whose posts fail as planned: `lost` ones take effect, `refused` ones do not, and no response arrives for both. */
class Channel {
  readonly clock = new VirtualClock()
  readonly messages: Posted[] = []
  readonly calls: string[] = []
  /** The steps that have posted or adopted a message. */
  readonly #owners = new Map<string, object>()
  /** Whether no message can be read. */
  blind = false
  readonly plan: ('lost' | 'refused' | 'ok')[]

  constructor(...plan: ('lost' | 'refused' | 'ok')[]) {
    this.plan = plan
  }

  post(author_id: string, content = 'Reminder!'): Posted {
    const created_at = new Date(this.clock.now() + this.messages.length).toISOString()
    const message = { id: `m${this.messages.length}`, author_id, content, created_at }
    this.messages.push(message)
    return message
  }

  readonly call = (async (name: string, query: { after?: string; before?: string; limit: number }) => {
    this.calls.push(name)
    if (name === 'messages.list' && this.blind) throw new BotwrightError('ERR_NO_ANSWER', `${name}: no connection`)
    if (name === 'messages.list') {
      const { after, before = '3000', limit } = query
      const found = this.messages.filter(({ created_at }) => created_at > (after ?? '') && created_at < before)
      return { messages: after === undefined ? found.slice(-limit) : found.slice(0, limit) }
    }
    const outcome = this.plan.shift() ?? 'ok'
    const message = outcome === 'refused' ? undefined : this.post(me)
    if (outcome === 'ok') return message
    throw new BotwrightError('ERR_UNKNOWN_OUTCOME', `${name}: the service answered 503`)
  }) as unknown as Call

  /** `aheadMs`: how far the clock of the host was ahead when the step was issued. `sinceMs`: see `Attempt`. */
  async make({
    name = 'messages.create',
    repeats = false,
    aheadMs = 0,
    sinceMs = this.clock.now(),
    call = this.call,
  } = {}): Promise<unknown> {
    const step = {}
    const attempt: Attempt = {
      ...{ me, clock: this.clock, posted: postedBy(name, input, null), atMs: this.clock.now() + aheadMs, sinceMs },
      ownMessages: new Set<string>(),
      claims: async (id) => (this.#owners.has(id) ? this.#owners.get(id) === step : !!this.#owners.set(id, step)),
      held: async () => undefined,
      sentId: async () => undefined,
      made: (id) => void this.#owners.set(id, step),
    }
    const made = makeCall(call, attempt, [name, input, undefined], repeats)
    const ended = made.then(
      () => true,
      () => true,
    )
    while (!(await Promise.race([ended, this.clock.advance(1000)]))) void 0
    return made
  }
}

test('adopts a message whose response got lost, and sends one that was refused again', async () => {
  const lost = new Channel('lost')
  expect(await lost.make()).toBe(lost.messages[0])
  expect(lost.messages).toHaveLength(1)
  const refused = new Channel('refused', 'lost')
  expect(await refused.make()).toBe(refused.messages[0])
  expect(refused.calls).toEqual(['messages.create', 'messages.list', 'messages.create', 'messages.list'])
})

test('gives up after three attempts with an unknown outcome', async () => {
  const channel = new Channel('refused', 'refused', 'refused')
  await expect(channel.make()).rejects.toMatchObject({ code: 'ERR_UNKNOWN_OUTCOME' })
  expect(channel.messages).toEqual([])
})

test('does not send a message again that it cannot look up', async () => {
  const channel = new Channel('lost')
  channel.blind = true
  await expect(channel.make()).rejects.toMatchObject({
    code: 'ERR_UNKNOWN_OUTCOME',
    message: expect.stringContaining('its message cannot be looked up (messages.list: no connection)') as string,
  })
  expect(channel.messages).toHaveLength(1)
})

test('does not adopt the equal message of another step', async () => {
  const channel = new Channel('ok', 'refused')
  const first = await channel.make()
  const second = await channel.make()
  expect(channel.messages).toEqual([first, second])
  const both = new Channel('lost', 'lost')
  const made = await Promise.all([both.make(), both.make()])
  expect(new Set(made)).toEqual(new Set(both.messages))
})

test('finds its message behind many others', async () => {
  const channel = new Channel()
  for (let i = 0; i < 250; i++) channel.post('ann')
  const own = channel.post(me)
  for (let i = 0; i < 250; i++) channel.post('ann')
  expect(await channel.make({ repeats: true })).toBe(own)
})

test.each([
  ['ahead', 3_600_000],
  ['behind', -3_600_000],
])('finds its message if the clock of the host was %s', async (_, aheadMs) => {
  const channel = new Channel()
  const beganMs = channel.clock.now()
  for (let i = 0; i < 1050; i++) channel.post('ann')
  await channel.clock.advance(120_000)
  const sinceMs = aheadMs > 0 ? beganMs : channel.clock.now()
  const own = channel.post(me)
  for (let i = 0; i < 150; i++) channel.post('ann')
  expect(await channel.make({ repeats: true, aheadMs, sinceMs })).toBe(own)
  expect(channel.calls.length).toBeLessThan(5)
})

test('looks no further back than the last time of the service that it knows', async () => {
  const channel = new Channel()
  for (let i = 0; i < 350; i++) channel.post(me)
  await channel.clock.advance(60_000)
  const made = await channel.make({ repeats: true, aheadMs: 3_600_000 })
  expect(made).toBe(channel.messages.at(-1))
  expect(channel.calls).toEqual(['messages.list', 'messages.list', 'messages.create'])
})

test.each([
  ['messages.delete', 404, true],
  ['messages.delete', 403, false],
  ['messages.pin', 404, false],
  ['moderation.kick', 404, true],
  ['voice.disconnect', 404, true],
  ['voice.move', 404, false],
] as const)('%s that is refused with %d after a crash: it is done: %s', async (name, status, isDone) => {
  const channel = new Channel()
  const refused = Object.assign(new BotwrightError('ERR_REFUSED', 'refused'), { status })
  const call = (() => Promise.reject(refused)) as unknown as Call
  const outcome = await channel.make({ name, repeats: true, call }).catch((error: unknown) => error)
  expect(outcome).toEqual(isDone ? { ok: true } : refused)
  expect(await channel.make({ name, call }).catch((error: unknown) => error)).toBe(refused)
})

test('does not create a channel twice after a crash', async () => {
  for (const name of ['channels.create', 'categories.create']) {
    const channel = new Channel()
    await expect(channel.make({ name, repeats: true })).rejects.toMatchObject({
      code: 'ERR_UNKNOWN_OUTCOME',
      message: expect.stringContaining(`${name}: the process ended during this call`) as string,
    })
    expect(channel.calls).toEqual([])
  }
})
