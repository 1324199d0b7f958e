import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'

const start = () => startTestBot(new URL('.', import.meta.url))

/** The real time of some work, in milliseconds. */
async function took(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now()
  await work()
  return performance.now() - startMs
}

test('an action waits for a call that is repeated while the clock advances', async () => {
  await using chat = await start()
  await chat.faults({ endpoint: 'reactions.add', status: 503 })
  const late = chat.person('ann').says('/thanks')
  await chat.clock.advance({ seconds: 5 })
  expect(await late).toHaveReacted('👍')
})

test('names a handler that waits for the next attempt of a call, and moving the clock takes no second', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await chat.faults({ endpoint: 'reactions.add', status: 503, times: 3 })
  const answer = await ann.says('/thanks')
  expect(() => expect(answer).toHaveReacted('👍')).toThrow(
    'ann said "/thanks", and commands/thanks.ts still runs: it waits for the next attempt of reactions.add after the answer 503; time does not pass in a test by itself: call await chat.clock.advance({ seconds: 61 })',
  )
  const ms = await took(async () => {
    for (let step = 0; step < 10; step++) await chat.clock.advance(10)
  })
  // Ten seconds, if each took one.
  expect(ms).toBeLessThan(8000)
  expect(await ann.watches(() => chat.clock.advance({ seconds: 5 }))).toHaveReacted('👍')
})

test('names a handler that waits for the message budget', { tags: 'all/real-time' }, async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  for (let i = 0; i < 30; i++) expect(await chat.person(`p${i % 5}`).says('/slow')).toHaveReplied()
  const answer = await ann.says('/slow')
  expect(() => answer.first).toThrow(
    'commands/slow.ts still runs: it waits for a slot, because the message budget is used up',
  )
  expect(await ann.watches(() => chat.clock.advance({ seconds: 61 }))).toHaveReplied('At last.')
})

test('names a handler whose call the service has not answered', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await chat.faults({ endpoint: 'reactions.add', latency: '10s', times: 5 })
  expect((await ann.says('/thanks')).story).toContain('the bot reacted with 👍')
  // Four seconds, if each took one.
  const fourTimes = async (work: () => Promise<unknown>) => {
    for (let time = 0; time < 4; time++) await work()
  }
  expect(await took(() => fourTimes(() => ann.says('/thanks')))).toBeLessThan(3900)
  await chat.faults({ endpoint: 'messages.create', then: 'stall' })
  const stalled = await ann.in('random').says('/slow')
  expect(stalled.story).toContain('At last.')
  expect(await took(() => fourTimes(() => chat.clock.advance({ seconds: 1 })))).toBeLessThan(3900)
})

test('waits for a handler that works for more than a second', async () => {
  await using chat = await start()
  expect(await chat.person('ann').says('/work')).toHaveReplied('Done.')
})

test('waits for a handler that waits for the first message of a thread', async () => {
  await using chat = await start()
  expect(await chat.person('ann').says('/think')).toHaveReplied('Thought about it.')
})

test('waits for a handler that occupies its thread for more than a second', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url), { workers: true })
  expect(await chat.person('ann').says('/compute')).toHaveReplied('Computed.')
})

test('does not wait long for a thread that starts again only when the clock advances', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url), { workers: true })
  const ms = await took(() => chat.person('ann').says('/exit'))
  expect(ms).toBeLessThan(8000)
})

test('does not wait long for a thread that ends while the test asks it for its files', async () => {
  await using chat = await startTestBot(new URL('.', import.meta.url), { workers: true })
  const ms = await took(() => chat.person('ann').says('/late-exit'))
  expect(ms).toBeLessThan(15_000)
})

test('waits for a handler that waits for another server', async () => {
  const server = createServer((_, response) => void setTimeout(() => response.end('Slow.'), 1300).unref())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    await using chat = await start()
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    expect(await chat.person('ann').says(`/download ${url}`)).toHaveReplied('Slow.')
  } finally {
    server.close()
  }
})

test('names a handler that never ends, and waits for it only once', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  const answer = await ann.says('/hang')
  expect(() => answer.first).toThrow(
    'ann said "/hang", and commands/hang.ts still runs: it waits for something other than the service and the clock',
  )
  const ms = await took(async () => {
    for (let step = 0; step < 5; step++) await chat.clock.advance(10)
  })
  // Five seconds, if it waited each time.
  expect(ms).toBeLessThan(4500)
})
