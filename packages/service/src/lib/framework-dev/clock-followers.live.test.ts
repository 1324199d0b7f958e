import { AdvanceableClock, systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { ClockFollowers } from './clock-followers.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))
const HOUR = 3_600_000
const connected = () => {}
const none = [] as const

function followers() {
  const clock = new AdvanceableClock(systemClock)
  return { clock, all: new ClockFollowers(clock) }
}

/** A bot that moves its clock in two steps, and then polls again. */
async function follow(all: ClockFollowers, id: string, fromMs = 0): Promise<void> {
  const aheadMs = await all.poll(id, fromMs, connected)
  if (aheadMs === fromMs) return
  all.moves(id, (fromMs + aheadMs) / 2, undefined)
  all.moves(id, aheadMs, undefined)
  await turn()
  all.moves(id, aheadMs, none)
  void all.poll(id, aheadMs, connected)
}

/** A bot that polls again and again, and never moves its clock. */
async function onlyPoll(all: ClockFollowers, id: string, until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    await all.poll(id, 0, connected)
    await turn()
  }
}

test('a bot that polls again instead of moving its clock delays neither the move nor the clock of the service', async () => {
  const { clock, all } = followers()
  const stopping = new AbortController()
  const polling = onlyPoll(all, 'stuck', stopping.signal)
  const following = follow(all, 'good')
  expect(await all.move(HOUR)).toEqual([
    { id: 'stuck', ran: undefined, follows: false },
    { id: 'good', ran: none, follows: true },
  ])
  expect(clock.aheadMs).toBe(HOUR)
  // The next move does not wait for it either.
  const again = follow(all, 'good', HOUR)
  expect(await all.move(HOUR)).toEqual([{ id: 'good', ran: none, follows: true }])
  expect(clock.aheadMs).toBe(2 * HOUR)
  stopping.abort()
  await Promise.all([polling, following, again])
  all.clear()
})

test('a bot whose call has failed once polls again, and follows', async () => {
  const { clock, all } = followers()
  const failing = all.poll('bot', 0, connected).then(() => follow(all, 'bot'))
  expect(await all.move(HOUR)).toEqual([{ id: 'bot', ran: none, follows: true }])
  expect(clock.aheadMs).toBe(HOUR)
  await failing
  all.clear()
})

test('a bot that did not follow follows again as soon as it moves its clock', async () => {
  const { clock, all } = followers()
  const stopping = new AbortController()
  const polling = onlyPoll(all, 'bot', stopping.signal)
  await all.move(HOUR)
  stopping.abort()
  await polling
  await follow(all, 'bot')
  const following = follow(all, 'bot', HOUR)
  expect(await all.move(HOUR)).toEqual([{ id: 'bot', ran: none, follows: true }])
  expect(clock.aheadMs).toBe(2 * HOUR)
  await following
  all.clear()
})

test('a move that begins while a bot still moves waits until it has moved the whole way', async () => {
  const { clock, all } = followers()
  const first = all.poll('bot', 0, connected)
  const moves = [all.move(HOUR)]
  expect(await first).toBe(HOUR)
  moves.push(all.move(HOUR))
  all.moves('bot', HOUR, undefined)
  all.moves('bot', HOUR, none)
  expect(clock.aheadMs).toBe(HOUR)
  await follow(all, 'bot', HOUR)
  expect(await Promise.all(moves)).toEqual([
    [{ id: 'bot', ran: none, follows: true }],
    [{ id: 'bot', ran: none, follows: true }],
  ])
  expect(clock.aheadMs).toBe(2 * HOUR)
  all.clear()
})

test(
  'bots that have ended, before or after they received the time, delay a move no longer than a step may take',
  { tags: 'all/real-time' },
  async () => {
    const { clock, all } = followers()
    let disconnect = connected
    const ended = all.poll('ended', 0, (end) => (disconnect = end))
    const silent = all.poll('silent', 0, connected)
    disconnect()
    await ended
    const beganMs = performance.now()
    expect(await all.move(HOUR)).toEqual([
      { id: 'ended', ran: undefined, follows: false },
      { id: 'silent', ran: undefined, follows: false },
    ])
    expect(performance.now() - beganMs).toBeLessThan(25_000)
    expect(clock.aheadMs).toBe(HOUR)
    await silent
    all.clear()
  },
)
