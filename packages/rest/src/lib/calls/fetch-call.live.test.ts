import { systemClock, VirtualClock } from '@botwright/clock'
import { describe, expect, test } from 'vitest'
import { answer, badService, cutOff, drive, hangUp, id } from '../bad-service.test.fixture.ts'
import { connectByFetch } from '../connection/fetch-transport.ts'
import { createFetchCall } from './fetch-call.ts'
import { rig as httpRig, TOKEN } from '../rig.test.fixture.ts'

const channel_id = id(9)
const post = { channel_id, content: 'hëllo' }
const rig: typeof httpRig = (behaviours, options) => httpRig(behaviours, { connect: connectByFetch, ...options })

describe('calls over the global fetch', () => {
  test('send path, query, headers and body, and read the answer', async () => {
    await using it = await rig([answer(200, { id: id(1) }), answer(200, { messages: [], authors: [] })])
    expect(await it.client.messages.create(post)).toMatchObject({ id: id(1) })
    await it.client.messages.list({ channel_id, limit: 7 })
    const [sent, list] = it.seen
    expect(sent).toMatchObject({ method: 'POST', path: `/v1/channels/${channel_id}/messages` })
    expect(sent!.headers).toMatchObject({ authorization: `Bot ${TOKEN}`, 'content-type': 'application/json' })
    expect(JSON.parse(sent!.body.toString())).toEqual({ content: 'hëllo' })
    expect(list!.path).toBe(`/v1/channels/${channel_id}/messages?limit=7`)
  })

  test('repeat what was refused for now, and wait as long as the service asks', async () => {
    await using it = await rig([answer(429, {}, { 'retry-after': '2' }), answer(200, { id: id(1) })])
    expect(await drive(it.clock, it.client.messages.create(post))).toMatchObject({ id: id(1) })
    expect(it.seen).toHaveLength(2)
  })

  test('do not repeat a message that may have arrived', async () => {
    for (const behaviour of [hangUp, cutOff]) {
      await using it = await rig([behaviour])
      expect(await drive(it.clock, it.client.messages.create(post))).toMatchObject({ code: 'ERR_UNKNOWN_OUTCOME' })
      expect(it.seen).toHaveLength(1)
    }
  })

  test('repeat a message after a refused connection', async () => {
    const gone = await badService([answer(200)])
    await gone[Symbol.asyncDispose]()
    const clock = new VirtualClock()
    await using call = createFetchCall({ baseUrl: gone.baseUrl, token: 't', clock, timeoutMs: 1e9, random: () => 1 })
    const error = await drive(clock, call('messages.create', post), 50)
    expect((error as Error).message).toMatch(/no connection to http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)/)
    expect(call.stats()).toMatchObject({ requests: 4, retries: 3, used: 0 })
  })

  test('do not follow a redirect', async () => {
    await using it = await rig([answer(302, '', { location: 'http://127.0.0.1:1/' })])
    expect(await drive(it.clock, it.call('me.get', {}))).toMatchObject({ code: 'ERR_BAD_ANSWER', status: 302 })
  })

  test('end at their time limit, by their signal, at the largest size, and when the client is closed', async () => {
    const silent = () => {}
    await using it = await rig([silent], { timeoutMs: 50 })
    await expect(drive(it.clock, it.client.messages.create(post), 50)).resolves.toMatchObject({
      code: 'ERR_UNKNOWN_OUTCOME',
    })
    await using large = await rig([answer(200, { text: 'x'.repeat(2000) })], { maxAnswerBytes: 1000 })
    expect(await drive(large.clock, large.call('me.get', {}))).toMatchObject({ code: 'ERR_BAD_ANSWER' })
    await using open = await badService([silent])
    const call = createFetchCall({ baseUrl: open.baseUrl, token: 't', clock: systemClock })
    const stop = new AbortController()
    const aborted = call('me.get', {}, { signal: stop.signal })
    const closed = call('events.list', { after: 1, wait: 25 })
    await expect.poll(() => open.seen.length).toBe(2)
    stop.abort()
    await expect(aborted).rejects.toMatchObject({ code: 'ERR_ABORTED' })
    const closing = call[Symbol.asyncDispose]()
    await expect(closed).rejects.toMatchObject({ code: 'ERR_ABORTED' })
    await closing
  })
})
