import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startTest } from '../test-tools/driver.test.fixture.ts'
import { STREAMS_PER_PERSON } from './stream-route.ts'

let chat: Awaited<ReturnType<typeof startTest>>
beforeEach(async () => void (chat = await startTest({ controls: true })))
afterEach(() => chat.close())

const streamUrl = (name: string) =>
  `${chat.service.url}/people/v1/stream?token=${chat.service.world.people[name]!.token}`

/** Opens a stream and stops reading after its head; `rest` reads to the end. */
async function openUnread(name: string) {
  const { port, pathname, search, host } = new URL(streamUrl(name))
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  await once(socket, 'data')
  socket.pause()
  return {
    async rest() {
      let bytes = 0
      // A destroyed connection may end with a reset.
      socket.on('error', () => {})
      socket.on('data', (part: Buffer) => (bytes += part.byteLength)).resume()
      await once(socket, 'close')
      return bytes
    },
  }
}

/** This many messages of 5 kB each are 25 MB. */
const MOST_POSTED = 5000

/** Posts messages of 5 kB each. */
async function post(count: number) {
  const content = '🙂'.repeat(900)
  const load = { channel_id: chat.workshop.channels['general'], count, per_second: 10_000, content }
  expect((await chat.call('POST', '/controls/v1/load', { body: load })).status).toBe(200)
  await chat.clock.advance(12_000)
}

it('disconnects a page that does not read; a page that reads receives everything', async () => {
  const unread = await openUnread('ann')
  const reading = await fetch(streamUrl('bob'))
  let seen = 0
  let text = ''
  const reads = (async () => {
    for await (const part of reading.body!.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>) {
      const events = (text + part).split('event: message_create')
      seen += events.length - 1
      text = events.at(-1)!.slice(-100)
    }
  })().catch(() => {})
  const annIsOnline = async () => {
    const { members } = (await chat.person('bob', 'GET', chat.server)).body as {
      members: { username: string; presence: { status: string } }[]
    }
    return members.find(({ username }) => username === 'ann')!.presence.status === 'online'
  }
  let posted = 0
  while (await annIsOnline()) {
    // Everything beyond the kernel's buffers would accumulate in the service's memory.
    expect(posted).toBeLessThan(MOST_POSTED)
    posted += 100
    await post(100)
    await expect.poll(() => seen, { interval: 1 }).toBe(posted)
  }
  expect(await unread.rest()).toBeGreaterThan(0)
  await chat.close()
  await reads
})

it('limits the open streams per person; closing one allows another', async () => {
  const opened = await Promise.all(Array.from({ length: STREAMS_PER_PERSON }, () => fetch(streamUrl('ann'))))
  expect(opened.map(({ status }) => status)).toEqual(Array(STREAMS_PER_PERSON).fill(200))
  const refused = await fetch(streamUrl('ann'))
  expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
    429,
    '15',
    { error: `a person can have at most ${STREAMS_PER_PERSON} open streams; close one first; try again in 15 s` },
  ])
  const other = await fetch(streamUrl('bob'))
  expect(other.status).toBe(200)
  await opened[0]!.body!.cancel()
  await expect.poll(async () => (await fetch(streamUrl('ann'))).status).toBe(200)
})

it('a HEAD request opens no stream', async () => {
  for (let i = 0; i < STREAMS_PER_PERSON; i++) {
    expect((await fetch(streamUrl('ann'), { method: 'HEAD' })).status).toBe(200)
  }
  const opened = await fetch(streamUrl('ann'))
  expect(opened.status).toBe(200)
  await opened.body?.cancel()
})
