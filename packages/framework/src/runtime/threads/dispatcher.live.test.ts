import { join } from 'node:path'
import { VirtualClock } from '@botwright/clock'
import { Unfinished } from '@botwright/events'
import { describe, expect, test } from 'vitest'
import { Rig } from '../../tests/dispatcher-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

describe.each(['inline', 'worker'] as const)('the %s dispatcher', (kind) => {
  test('runs handlers concurrently and settles each when it has ended', async () => {
    await using rig = new Rig(kind)
    await rig.dispatcher.replace(rig.source())
    const slow = rig.say(1, 'held')
    await rig.say(2, 'hello')
    expect(rig.notes).toEqual(['start 1 v1', 'start 2 v1', 'end 2 v1'])
    rig.release()
    await slow
    expect(rig.notes.at(-1)).toBe('end 1 v1')
    expect(rig.dispatcher.running).toBe(0)
  })

  test('settles a handler that throws and runs the next one', async () => {
    await using rig = new Rig(kind)
    await rig.dispatcher.replace(rig.source())
    await rig.say(1, 'throw')
    await rig.say(2, 'hello')
    expect(rig.notes).toEqual(['start 1 v1', 'start 2 v1', 'end 2 v1'])
  })

  test('releases the queue of a handler that never ends, and names its file', async () => {
    await using rig = new Rig(kind, { handlerSeconds: 0.1 })
    await rig.dispatcher.replace(rig.source())
    await rig.say(1, 'never')
    expect(rig.logged('error').join()).toMatch(/events\/message\.ts: did not end within 0\.1 s \(event 1\)/)
    expect(rig.dispatcher.running).toBe(0)
  })

  test('keeps the old code when the new one throws at load', inAll, async () => {
    await using rig = new Rig(kind)
    await rig.dispatcher.replace(rig.source())
    await expect(rig.dispatcher.replace(rig.source('throw new Error("broken at load")'))).rejects.toThrow(
      /broken at load/,
    )
    await rig.say(1, 'hello')
    expect(rig.notes).toEqual(['start 1 v1', 'end 1 v1'])
  })

  test('runs new events on the new code while running handlers finish on the old', inAll, async () => {
    await using rig = new Rig(kind)
    await rig.dispatcher.replace(rig.source())
    const old = rig.say(1, 'held')
    await rig.dispatcher.replace(rig.source())
    await rig.say(2, 'hello')
    expect(rig.notes).not.toContain('end 1 v1')
    rig.release()
    await old
    expect(rig.notes).toHaveLength(4)
    expect(rig.notes).toEqual(expect.arrayContaining(['start 2 v2', 'end 2 v2', 'end 1 v1']))
  })

  test('of two loads at the same time, the later one runs in the end', inAll, async () => {
    await using rig = new Rig(kind)
    await rig.dispatcher.replace(rig.source())
    const slow = 'await new Promise((resolve) => setTimeout(resolve, 500)); export default () => {}'
    await Promise.all([rig.dispatcher.replace(rig.source(slow)), rig.dispatcher.replace(rig.source())])
    await rig.say(1, 'hello')
    expect(rig.notes).toEqual(['start 1 v3', 'end 1 v3'])
  })

  test.each(['ready', 'shutdown'] as const)(
    'waits for events/%s.ts for the time limit of a handler, and logs the timeout',
    inAll,
    async (moment) => {
      await using rig = new Rig(kind, { handlerSeconds: 0.1 })
      await rig.dispatcher.replace(rig.ofMoment(moment, 'export default () => new Promise(() => {})'))
      await rig.dispatcher.lifecycle(moment)
      expect(rig.logged('error').join()).toMatch(new RegExp(`^events/${moment}\\.ts: did not end within 0\\.1 s`))
    },
  )

  test('rejects code that is still loading when it closes, and runs its disposers', inAll, async () => {
    // A thread that loads for long is terminated: by this clock, it never does.
    await using rig = new Rig(kind, { clock: new VirtualClock() })
    await rig.dispatcher.replace(rig.source())
    const api = JSON.stringify(new URL('../../../dist/index.js', import.meta.url).pathname)
    const slow = `import { onDispose } from ${api}
import { appendFileSync, existsSync } from 'node:fs'
const note = (text) => appendFileSync(${JSON.stringify(join(rig.root, 'notes.txt'))}, text + '\\n')
onDispose(() => note('undone'))
note('loads')
while (!existsSync(${JSON.stringify(join(rig.root, 'notes.txt.released'))})) await new Promise((resolve) => setTimeout(resolve, 5))
export default () => {}`
    const replacing = rig.dispatcher.replace(rig.source(slow))
    const refused = expect(replacing).rejects.toThrow('the bot is stopping: it accepts no new code')
    await expect.poll(() => rig.notes).toEqual(['loads'])
    const closing = rig.dispatcher.close({ graceMs: 0 })
    rig.release()
    await closing
    await refused
    await expect.poll(() => rig.notes).toEqual(['loads', 'undone'])
  })

  test('runs no event once it is closed', async () => {
    await using rig = new Rig(kind)
    await rig.dispatcher.replace(rig.source())
    const closing = rig.dispatcher.close({ graceMs: 0 })
    await expect(rig.say(1, 'hello')).rejects.toThrow(Unfinished)
    await closing
    await expect(rig.say(2, 'hello')).rejects.toThrow(Unfinished)
    expect([rig.dispatcher.running, rig.notes]).toEqual([0, []])
  })

  test('returns how many handlers were unfinished when it closed', async () => {
    const clock = new VirtualClock()
    await using rig = new Rig(kind, { clock })
    await rig.dispatcher.replace(rig.source())
    void rig.say(1, 'never')
    void rig.say(2, 'sleep 50')
    const closing = rig.dispatcher.close({ graceMs: 300 })
    await expect.poll(() => rig.dispatcher.running).toBe(1)
    await clock.advance(300)
    expect(await closing).toEqual({ unfinished: 1 })
    expect(rig.notes).toContain('end 2 v1')
  })

  test('runs that it abandons give up, and later ones run', inAll, async () => {
    await using rig = new Rig(kind)
    await rig.dispatcher.replace(rig.source())
    const abandoned = rig.say(1, 'never').catch((error: unknown) => error)
    await expect.poll(() => rig.notes).toEqual(['start 1 v1'])
    await rig.dispatcher.abandon()
    expect(await Promise.race([abandoned, rig.say(2, 'hello')])).toBeInstanceOf(Unfinished)
    await rig.say(3, 'hello')
    expect(rig.notes).toContain('end 3 v1')
  })

  test(
    'a run that still waits for the switches counts as running, and gives up if it is abandoned',
    inAll,
    async () => {
      let read!: () => void
      let reading: Promise<void> | undefined
      await using rig = new Rig(kind, { switches: { off: undefined, refreshed: () => reading } })
      await rig.dispatcher.replace(rig.source())
      reading = new Promise((resolve) => (read = resolve))
      const abandoned = rig.say(1, 'hello').catch((error: unknown) => error)
      expect(rig.dispatcher.running).toBe(1)
      await rig.dispatcher.abandon()
      expect(rig.dispatcher.running).toBe(0)
      const later = rig.say(2, 'hello')
      reading = undefined
      read()
      expect(await abandoned).toBeInstanceOf(Unfinished)
      await later
      expect(rig.notes).toEqual(['start 2 v1', 'end 2 v1'])
      expect(rig.dispatcher.running).toBe(0)
    },
  )
})
