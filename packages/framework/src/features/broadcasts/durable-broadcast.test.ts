import type { Call } from '@botwright/rest'
import { expect, test } from 'vitest'
import { durable, Restarts, texts, turns } from '../durable/runs/restarts.test.fixture.ts'
import { id, message } from '../../tests/loaded-bot.test.fixture.ts'
import { Broadcaster } from './broadcaster.ts'

const ids = JSON.stringify(Array.from({ length: 120 }, (_, i) => id(2000 + i)))

/** Runs the handler; `news` is the started broadcast. */
async function play(code: string, options = '{}') {
  const rig = new Restarts()
  let posted = 0
  const call = (async () => {
    // The handler could read the progress after each message.
    await turns()
    return { id: id(1000 + posted++) }
  }) as unknown as Call
  const nothing = () => undefined
  const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
  const broadcasts = new Broadcaster({ call, store: rig.store, clock: rig.clock, log })
  const outbox = { broadcasts, budget: () => Promise.reject(new Error('not expected')) }
  const { bot, calls, logged } = await rig.start(
    { 'commands/go.ts': durable(`const news = await ctx.broadcast(${ids}, 'news', ${options}); ${code}`) },
    { outbox },
  )
  await bot.handle(message({ command: 'go' }))
  return { texts: texts(calls), logged, head: await rig.head(), stored: await rig.store.list('broadcast:') }
}

test('a durable handler waits for a broadcast to many channels in one step', async () => {
  const { head, texts, logged } = await play(
    "const { sent, state } = await news.done(); return state + ' ' + sent.length",
  )
  expect([texts, logged]).toEqual([['done 120'], []])
  expect(head.steps).toBe(3)
})

test('a durable handler reads each step of a broadcast to many channels, and records each message once', async () => {
  const { head, texts, logged } = await play(`
    let read = 0
    for await (const { done, sent, failed } of news.steps()) if (sent.length + failed.length === done) read++
    const { sent, state } = news.progress
    return [state, sent.length, new Set(sent.map((one) => one.channel_id)).size, read].join(' ')`)
  expect([texts, logged]).toEqual([['done 120 120 121'], []])
  expect(head.steps).toBe(122)
})

test('the result of a broadcast with an id is kept for good, and that of others for two weeks', async () => {
  const done = 'await news.done()'
  const [named] = (await play(done, "{ id: 'release 2.0' }")).stored
  expect(named).toMatchObject({ key: 'broadcast:release 2.0', value: { ended: 'done' } })
  expect(named).not.toHaveProperty('expiresAtMs')
  expect((await play(done)).stored).toMatchObject([{ expiresAtMs: expect.any(Number) as number }])
})
