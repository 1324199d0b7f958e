import { ServiceError } from '@botwright/rest'
import { afterEach, expect, test } from 'vitest'
import { click, id, start } from '../tests/loaded-bot.test.fixture.ts'

const world = globalThis as { vote?: Promise<void> }
afterEach(() => {
  delete world.vote
})

test('the failure of a click that is over is posted as a message, without an answer that the service would refuse', async () => {
  let fail!: (error: Error) => void
  world.vote = new Promise<void>((_, reject) => (fail = reject))
  const files = { 'buttons/vote.ts': 'export default () => globalThis.vote' }
  const { bot, calls, clock } = await start(files, {}, { handlerSeconds: 3600 })
  const running = bot.handle(click('vote'))
  await clock.advance(15 * 60_000)
  fail(new Error('broken'))
  await running
  expect(calls).toEqual([
    [
      'messages.create',
      expect.objectContaining({ content: expect.stringMatching(`^<@${id(40)}> Something went wrong`) as string }),
    ],
  ])
})

test('a click without a file whose answer the service refuses is logged with the folder of the buttons', async () => {
  const refused = new ServiceError('ERR_FORBIDDEN', 'not allowed', { status: 403, endpoint: 'interactions.callback' })
  const { bot, logged } = await start({}, {}, { call: () => Promise.reject(refused) as never })
  await bot.handle(click('gone'))
  expect(logged[0]).toMatch(/^buttons\/: /)
})
