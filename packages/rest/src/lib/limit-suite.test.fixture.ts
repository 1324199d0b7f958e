import { describe, expect, test } from 'vitest'
import type { LimitStore, Priority } from './limit-store.ts'

/** A budget of 30 under test, and its clock. */
export interface LimitRig {
  seconds: number
  /** A new budget. */
  make(more?: { queueLimit?: number }): LimitStore | Promise<LimitStore>
  /** Lets time pass, virtual or real. */
  pass(ms: number): Promise<void>
  nowMs(): number
  /** Waits as a sender does. Time passes through `pass`, or by itself. */
  wait(ms: number): Promise<void>
}

/** A limit may reject immediately or a moment later. */
const taking = async (limits: LimitStore, priority: Priority, signal?: AbortSignal): Promise<void> =>
  limits.take(priority, signal)

/** The conformance suite of message budgets (§8), for one process or for many. */
export function limitSuite(name: string, start: () => LimitRig): void {
  describe(name, () => {
    const filled = async (more: { queueLimit?: number } = {}) => {
      const rig = start()
      const limits = await rig.make(more)
      for (let i = 0; i < 30; i++) await taking(limits, 'reply')
      return { rig, limits, windowMs: rig.seconds * 1000 }
    }
    /** A rejected sender waits. */
    const waiting = (limits: LimitStore, count: number) => expect.poll(() => limits.waiting).toBe(count)

    test('sends answers before replies before broadcasts, each in order', async () => {
      const { rig, limits, windowMs } = await filled()
      for (let i = 0; i < 30; i++) limits.release(true)
      const order: string[] = []
      const wanted: [Priority, string][] = [
        ['broadcast', 'c1'],
        ['reply', 'b1'],
        ['answer', 'a1'],
        ['reply', 'b2'],
        ['answer', 'a2'],
        ['broadcast', 'c2'],
      ]
      const all = wanted.map(async ([priority, name]) => {
        await taking(limits, priority)
        order.push(name)
        limits.release(true)
      })
      await waiting(limits, 6)
      expect(limits.waitMs).toBeGreaterThan(0)
      expect(order).toEqual([])
      await rig.pass(windowMs + 1)
      await Promise.all(all)
      expect(order).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'c2'])
      limits.close()
    })

    test('reserves five slots that broadcasts cannot use', async () => {
      const limits = await start().make()
      expect(limits.limit).toBe(30)
      let went = 0
      const waits = Array.from({ length: 40 }, () => taking(limits, 'broadcast').then(() => went++))
      await waiting(limits, 15)
      expect([went, limits.used]).toEqual([25, 25])
      const replies = Array.from({ length: 6 }, (_, i) => taking(limits, i % 2 ? 'reply' : 'answer'))
      const ended = Promise.allSettled([...waits, ...replies])
      await expect.poll(() => limits.used).toBe(30)
      await waiting(limits, 16)
      limits.close()
      expect((await ended).map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(16)
    })

    test('an aborted sender leaves the queue', async () => {
      const { rig, limits, windowMs } = await filled()
      const controller = new AbortController()
      const turn = taking(limits, 'reply', controller.signal)
      await waiting(limits, 1)
      controller.abort()
      await expect(turn).rejects.toMatchObject({ code: 'ERR_ABORTED' })
      expect(limits.waiting).toBe(0)
      await expect(taking(limits, 'reply', controller.signal)).rejects.toMatchObject({ code: 'ERR_ABORTED' })
      for (let i = 0; i < 30; i++) limits.release(true)
      await rig.pass(windowMs + 200)
      await expect.poll(() => limits.used).toBe(0)
      limits.close()
    })

    test('a message that was not sent frees its slot immediately', async () => {
      const { limits } = await filled()
      const turn = taking(limits, 'reply')
      await waiting(limits, 1)
      limits.release(false)
      await turn
      await expect.poll(() => limits.used).toBe(30)
      limits.close()
    })

    test('a full or closed queue rejects messages', async () => {
      const { limits } = await filled({ queueLimit: 2 })
      const turns = Promise.allSettled([taking(limits, 'reply'), taking(limits, 'broadcast')])
      await expect(taking(limits, 'answer')).rejects.toMatchObject({
        code: 'ERR_QUEUE_FULL',
        message: expect.stringMatching(
          /^messages\.create: 2 messages are already waiting, and the limit is 30 per [\d.]+ s/,
        ),
      })
      limits.close()
      expect(await turns).toMatchObject([{ reason: { code: 'ERR_ABORTED' } }, { reason: { code: 'ERR_ABORTED' } }])
      await expect(taking(limits, 'reply')).rejects.toMatchObject({ code: 'ERR_ABORTED' })
    })

    test('no window has more than 30 arrivals, with any latency', async () => {
      const rig = start()
      const limits = await rig.make()
      const windowMs = rig.seconds * 1000
      const arrivals: number[] = []
      const send = async (i: number) => {
        await taking(limits, (['answer', 'reply', 'broadcast'] as const)[i % 3]!)
        await rig.wait((windowMs / 60) * Math.random())
        arrivals.push(rig.nowMs())
        await rig.wait((windowMs / 60) * Math.random())
        limits.release(true)
      }
      const all = Promise.all(Array.from({ length: 100 }, (_, i) => send(i)))
      await rig.pass(5 * windowMs)
      await all
      for (const [i, time] of arrivals.slice(30).entries()) expect(time - arrivals[i]!).toBeGreaterThanOrEqual(windowMs)
      limits.close()
    })
  })
}
