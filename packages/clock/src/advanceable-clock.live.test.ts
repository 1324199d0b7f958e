import { expect, test } from 'vitest'
import { AdvanceableClock, elapsedOf, isMovable, VirtualClock } from './index.ts'

function start() {
  const base = new VirtualClock(0)
  const clock = new AdvanceableClock(base)
  const fired: string[] = []
  const after = (ms: number, name: string) => clock.after(ms, () => fired.push(`${name} at ${clock.now()}`))
  return { base, clock, fired, after }
}

test('timers that are due fire in their order and at their own time', () => {
  const { clock, fired, after } = start()
  after(30, 'second')
  after(10, 'first')
  after(31, 'later')
  expect(clock.nextMs).toBe(10)
  clock.advance(30)
  expect(fired).toEqual(['first at 10', 'second at 30'])
  expect([clock.now(), clock.aheadMs, clock.nextMs]).toEqual([30, 30, 1])
})

test('the other timers fire that much sooner', async () => {
  const { base, clock, fired, after } = start()
  after(100, 'timer')
  clock.advance(60)
  await base.advance(39)
  expect(fired).toEqual([])
  await base.advance(1)
  expect(fired).toEqual(['timer at 100'])
  expect(clock.nextMs).toBeUndefined()
})

test('a timer that sets another one, and one that cancels another one', () => {
  const { clock, fired, after } = start()
  clock.after(10, () => after(10, 'set'))
  const cancelled = after(20, 'cancelled')
  clock.after(15, () => cancelled.cancel())
  clock.advance(100)
  expect(fired).toEqual(['set at 20'])
})

test('listeners receive the new offset before it moves', () => {
  const { clock, fired, after } = start()
  after(5, 'timer')
  const end = clock.onMove((aheadMs) => fired.push(`ahead ${aheadMs}, now ${clock.now()}`))
  clock.advance(10)
  end()
  clock.advance(10)
  expect(fired).toEqual(['ahead 10, now 0', 'timer at 5'])
})

test('its base measures the time that really passes', () => {
  const { base, clock } = start()
  clock.advance(1000)
  expect([isMovable(clock), isMovable(base)]).toEqual([true, false])
  expect([elapsedOf(clock), elapsedOf(base)]).toEqual([base, base])
  expect(elapsedOf(clock).now()).toBe(0)
})

test('its time is a whole number', () => {
  const { clock } = start()
  clock.advance(0.75)
  expect(clock.now()).toBe(0)
})
