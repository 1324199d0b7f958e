import { describe, expect, test } from 'vitest'
import { answer, type Behaviour, drive, id, until } from './bad-service.test.fixture.ts'
import { rig } from './rig.test.fixture.ts'

const [slow, other] = [id(1), id(2)]
const message = { id: id(9) }
const slowmode = { error: 'the channel is in slowmode' }

/** Refuses calls whose path matches, with this `Retry-After`, until `opens` is called. */
function limited(path: RegExp, seconds: string) {
  let isOpen = false
  const behaviour: Behaviour = (response, seen) =>
    path.test(seen.path) && !isOpen
      ? answer(429, slowmode, { 'retry-after': seconds })(response, seen)
      : answer(200, message)(response, seen)
  return { behaviour, opens: () => void (isOpen = true) }
}

describe('a 429 with Retry-After belongs to its place [spec: 7/429, decisions/50]', () => {
  test('only messages to the channel in slow mode wait; they hold no slot of the message budget', async () => {
    const { behaviour, opens } = limited(new RegExp(slow), '20')
    await using it = await rig([behaviour])
    const first = it.call('messages.create', { channel_id: slow, content: 'a' })
    await until(() => it.reports.length === 1)
    expect(it.reports[0]).toMatchObject({ code: 'rate-limited', waitMs: 20_000 })
    expect(it.reports[0]!.message).toContain('20 s (slow mode of this channel); only calls under this limit wait')
    expect(it.call.stats()).toMatchObject({ used: 0, waiting: 0 })
    const second = it.call('messages.create', { channel_id: slow, content: 'b' })
    const elsewhere = Array.from({ length: 30 }, (_, i) =>
      it.call('messages.create', { channel_id: other, content: `${i}` }),
    )
    await Promise.all(elsewhere)
    expect(it.seen.filter(({ path }) => path.includes(slow))).toHaveLength(1)
    expect(it.clock.monotonic()).toBe(0)
    opens()
    await it.clock.advance(19_999)
    expect(it.seen).toHaveLength(31)
    await drive(it.clock, Promise.all([first, second]))
    expect(it.seen.slice(31).map(({ body }) => JSON.parse(body.toString()) as unknown)).toEqual([
      { content: 'a' },
      { content: 'b' },
    ])
  })

  test('a call waits for a place no longer than it may, and a longer wait fails at once', async () => {
    const { behaviour } = limited(new RegExp(slow), '20')
    await using it = await rig([behaviour])
    const send = (longestWaitMs?: number) =>
      it.call(
        'messages.create',
        { channel_id: slow, content: 'a' },
        longestWaitMs === undefined ? {} : { longestWaitMs },
      )
    const code = 'ERR_RATE_LIMITED'
    // The answer to its own request, the place, and a call before it that waits for the place.
    await expect(send(19_999)).rejects.toMatchObject({ code, message: expect.stringContaining('20 s)') as string })
    const held = 'the service asked to wait, and 20 s are left (slow mode of this channel)'
    await expect(send(19_999)).rejects.toMatchObject({ code, message: `messages.create: not sent: ${held}` })
    const first = send().catch(() => {})
    await expect(send(19_999)).rejects.toMatchObject({ code, message: `messages.create: not sent: ${held}` })
    expect([it.seen.length, it.clock.monotonic()]).toEqual([1, 0])
    await it.call[Symbol.asyncDispose]()
    await first
  })

  test('a call waits for the calls before it no longer than it may', async () => {
    let answerFirst = () => {}
    await using it = await rig([(response, seen) => (answerFirst = () => answer(200, message)(response, seen))])
    const edit = (longestWaitMs?: number) =>
      it.call(
        'messages.update',
        { channel_id: slow, message_id: id(9), content: 'a' },
        longestWaitMs === undefined ? {} : { longestWaitMs },
      )
    const first = edit()
    const second = expect(edit(3000)).rejects.toMatchObject({
      code: 'ERR_RATE_LIMITED',
      message:
        'messages.update: not sent: it waited 3 s for earlier calls under a limit of this channel, and may wait no longer',
    })
    await until(() => it.seen.length === 1)
    await it.clock.advance(3000)
    await second
    expect(it.seen).toHaveLength(1)
    answerFirst()
    await first
  })

  test('a wait longer than the caller may wait fails at once, and the calls after it are not sent', async () => {
    const { behaviour, opens } = limited(new RegExp(slow), '3600')
    await using it = await rig([behaviour], { longestWaitMs: 60_000 })
    const send = () => it.call('messages.create', { channel_id: slow, content: 'a' }).catch((error: unknown) => error)
    const refused = { code: 'ERR_RATE_LIMITED', status: 429, endpoint: 'messages.create' }
    expect(await send()).toMatchObject({
      ...refused,
      retryAfterSeconds: 3600,
      message: expect.stringContaining('slowmode (slow mode of this channel, 3600 s)') as string,
    })
    await it.clock.advance(600_000)
    expect(await send()).toMatchObject({
      ...refused,
      retryAfterSeconds: 3000,
      message: 'messages.create: not sent: the service asked to wait, and 3000 s are left (slow mode of this channel)',
    })
    expect(it.seen).toHaveLength(1)
    await it.clock.advance(2_940_000)
    opens()
    // The last minute is short enough to wait.
    expect(await drive(it.clock, send())).toEqual(message)
  })

  test.each([
    ['channels.create', { server_id: slow, name: 'x' }, { server_id: other, name: 'x' }, 'server'],
    [
      'messages.update',
      { channel_id: slow, message_id: id(3), content: 'x' },
      { channel_id: other, message_id: id(4), content: 'x' },
      'channel',
    ],
    [
      'reactions.add',
      { channel_id: slow, message_id: id(3), emoji: '👍' },
      { channel_id: other, message_id: id(4), emoji: '👍' },
      'channel',
    ],
    [
      'voice.move',
      { server_id: slow, user_id: id(4), channel_id: id(5) },
      { server_id: other, user_id: id(4), channel_id: id(5) },
      'server',
    ],
  ] as const)('%s: other places do not wait', async (name, here, there, noun) => {
    const { behaviour, opens } = limited(new RegExp(slow), '20')
    await using it = await rig([behaviour])
    const call = it.call as unknown as (name: string, input: object) => Promise<unknown>
    const first = call(name, here).catch((error: unknown) => error)
    await until(() => it.reports.length === 1)
    expect(it.reports[0]!.message).toContain(`a limit of this ${noun}`)
    const second = call(name, here).catch((error: unknown) => error)
    await call(name, there).catch((error: unknown) => error)
    expect(it.clock.monotonic()).toBe(0)
    expect(it.seen).toHaveLength(2)
    opens()
    await drive(it.clock, Promise.all([first, second]))
    expect(it.seen).toHaveLength(4)
  })

  test('messages that were sent at once are accepted one by one, in their order', async () => {
    let freeAtMs = 0
    const accepted: unknown[] = []
    const slowly: Behaviour = (response, seen) => {
      if (seen.atMs < freeAtMs)
        return answer(429, slowmode, { 'retry-after': `${(freeAtMs - seen.atMs) / 1000}` })(response, seen)
      freeAtMs = seen.atMs + 5000
      accepted.push((JSON.parse(seen.body.toString()) as { content: string }).content)
      return answer(200, message)(response, seen)
    }
    await using it = await rig([slowly], { connections: 1 })
    const contents = Array.from({ length: 12 }, (_, n) => `${n}`)
    const sent = contents.map((content) => it.call('messages.create', { channel_id: slow, content }))
    expect(await drive(it.clock, Promise.all(sent))).toEqual(contents.map(() => message))
    expect(accepted).toEqual(contents)
  })

  test('a caller that aborts, or a closed client, ends the wait', async () => {
    const { behaviour } = limited(/./, '20')
    const it = await rig([behaviour])
    const aborter = new AbortController()
    const input = { channel_id: slow, content: 'a' }
    const results = [it.call('messages.create', input)]
    await until(() => it.reports.length === 1)
    results.push(it.call('messages.create', input, { signal: aborter.signal }), it.call('messages.create', input))
    const ended = Promise.all(results.map((one) => one.catch((error: unknown) => error)))
    aborter.abort()
    await it[Symbol.asyncDispose]()
    for (const error of await ended) expect(error).toMatchObject({ code: 'ERR_ABORTED', endpoint: 'messages.create' })
    expect(it.clock.waiting).toBe(0)
  })
})

describe('writes to one message', () => {
  const edit = (n: number) => ({ channel_id: slow, message_id: id(3), content: `step ${n}` })

  test('keep their order when one of them is retried', async () => {
    const fails: Behaviour = answer(500, {})
    await using it = await rig([answer(200, message), fails, answer(200, message)])
    const edits = Array.from({ length: 8 }, (_, n) => it.call('messages.update', edit(n + 1)))
    await drive(it.clock, Promise.all(edits))
    expect(it.seen.map(({ body }) => (JSON.parse(body.toString()) as { content: string }).content)).toEqual(
      [1, 2, 2, 3, 4, 5, 6, 7, 8].map((n) => `step ${n}`),
    )
  })

  test('go on after one that fails; those to other messages do not wait', async () => {
    await using it = await rig([answer(403, {}), answer(200, message)])
    const first = it.call('messages.update', edit(1))
    const second = it.call('messages.update', edit(2))
    const reaction = it.call('reactions.add', { channel_id: slow, message_id: id(3), emoji: '👍' })
    await expect(first).rejects.toMatchObject({ code: 'ERR_FORBIDDEN' })
    await Promise.all([second, reaction])
    expect(it.seen.map(({ method }) => method)).toEqual(['PATCH', 'PATCH', 'PUT'])
  })
})

describe('answers to one click', () => {
  const answerOf = (content: string) => ({ interaction_id: id(5), token: 'x', type: 'reply' as const, content })

  test('keep their order; an ack does not wait for them', async () => {
    await using it = await rig([answer(429, {}, { 'retry-after': '20' }), answer(200, { ok: true })])
    const replies = ['a', 'b', 'c'].map((content) => it.call('interactions.callback', answerOf(content)))
    await until(() => it.reports.length === 1)
    await it.call('interactions.callback', { interaction_id: id(5), token: 'x', type: 'ack' })
    expect(it.clock.monotonic()).toBe(0)
    await drive(it.clock, Promise.all(replies))
    const bodies = it.seen.map(({ body }) => JSON.parse(body.toString()) as { type: string; content?: string })
    expect(bodies.map(({ type, content }) => content ?? type)).toEqual(['a', 'ack', 'a', 'b', 'c'])
  })
})
