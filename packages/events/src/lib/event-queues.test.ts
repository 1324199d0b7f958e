import { expect, it } from 'vitest'
import type { Delivery } from './bot-event.ts'
import { type EventQueue, EventQueues } from './event-queues.ts'
import { message } from './rig.test.fixture.ts'

/** Queues, what has ended, and the running handlers, which the test ends. */
function rig() {
  const ended: [number, unknown][] = []
  let continued = 0
  const open = new Map<number, { resolve: () => void; reject: (error: unknown) => void }>()
  const queues = new EventQueues(
    ({ event: { id } }, error) => ended.push([id, error]),
    () => (continued += 1),
  )
  const push = (key: string, ...ids: number[]) => {
    for (const id of ids) queues.push(key, { event: message(id), attempt: 1 })
  }
  const run = ({ event: { id } }: Delivery) => new Promise<void>((resolve, reject) => open.set(id, { resolve, reject }))
  const start = (limit = Infinity) => {
    const ready = queues.takeReady(limit)
    for (const queue of ready) queues.start(queue, run)
  }
  const end = async (id: number, error?: { reason: unknown }) => {
    const { resolve, reject } = open.get(id)!
    open.delete(id)
    if (error) reject(error.reason)
    else resolve()
    await Promise.resolve()
  }
  const counts = () => ({ waiting: queues.waiting, running: queues.running, hasReady: queues.hasReady })
  return { queues, push, start, end, ended, counts, running: () => [...open.keys()], continued: () => continued }
}

const idsOf = (ready: EventQueue[]) => ready.map(({ current }) => current!.event.id)

it('runs the events of one queue one after the other, and queues concurrently', async () => {
  const t = rig()
  t.push('a', 1, 3, 4)
  t.push('b', 2)
  expect(t.counts()).toEqual({ waiting: 4, running: 0, hasReady: true })
  t.start()
  expect(t.running()).toEqual([1, 2])
  expect(t.counts()).toEqual({ waiting: 2, running: 2, hasReady: false })
  t.start()
  expect(t.running()).toEqual([1, 2])
  await t.end(1)
  t.start()
  expect(t.running()).toEqual([2, 3])
  await t.end(2)
  await t.end(3)
  t.push('a', 5)
  t.start()
  await t.end(4)
  expect(t.counts()).toEqual({ waiting: 1, running: 0, hasReady: true })
  t.start()
  await t.end(5)
  expect(t.ended).toEqual([1, 2, 3, 4, 5].map((id) => [id, undefined]))
  expect(t.counts()).toEqual({ waiting: 0, running: 0, hasReady: false })
})

it('takes at most as many queues as allowed, in order, and takes released ones first', () => {
  const t = rig()
  for (const id of [1, 2, 3]) t.push(`${id}`, id)
  expect(t.queues.takeReady(0)).toEqual([])
  expect(t.queues.takeReady(-1)).toEqual([])
  const taken = t.queues.takeReady(2)
  expect(idsOf(taken)).toEqual([1, 2])
  expect(t.queues.hasReady).toBe(true)
  t.queues.release(taken)
  expect(idsOf(t.queues.takeReady(3))).toEqual([1, 2, 3])
  expect(t.queues.hasReady).toBe(false)
})

it('ends an event whose handler throws or rejects with its error, even without one', async () => {
  const t = rig()
  t.push('a', 1, 2, 3)
  t.queues.start(t.queues.takeReady(1)[0]!, () => {
    throw new Error('thrown')
  })
  t.start()
  await t.end(2, { reason: new Error('rejected') })
  t.start()
  await t.end(3, { reason: undefined })
  expect(t.ended).toEqual([
    [1, new Error('thrown')],
    [2, new Error('rejected')],
    [3, new Error('rejected without a reason')],
  ])
  expect(t.counts()).toEqual({ waiting: 0, running: 0, hasReady: false })
})

it('ends an event at once if its handler returns nothing', () => {
  const t = rig()
  t.push('a', 1, 2)
  for (const id of [1, 2]) {
    t.queues.start(t.queues.takeReady(1)[0]!, () => {})
    expect(t.ended.at(-1)).toEqual([id, undefined])
  }
  expect(t.queues.running).toBe(0)
})

it('keeps idle queues for their next event, up to a limit', () => {
  const t = rig()
  const queueOf = (key: string) => {
    t.push(key, 1)
    const [queue] = t.queues.takeReady(1)
    t.queues.start(queue!, () => {})
    return queue!
  }
  const first = queueOf('0')
  for (let n = 1; n < 1024; n++) queueOf(`${n}`)
  expect(queueOf('0')).toBe(first)
  const further = queueOf('1024')
  expect(queueOf('1024')).not.toBe(further)
  expect(queueOf('0')).toBe(first)
})

it('a queue that is never empty runs all events in order, and counts those that wait', () => {
  const { queues, push } = rig()
  push('a', 1, 2, 3)
  const order: number[] = []
  for (let id = 4; id < 10_000; id++) {
    const [queue] = queues.takeReady(1)
    queues.start(queue!, (delivery) => void order.push(delivery.event.id))
    push('a', id)
  }
  expect(order).toEqual(Array.from({ length: 9996 }, (_, i) => i + 1))
  expect(queues.waiting).toBe(3)
})

/** The order in which the events of one queue run. Each is `person` or `person/command`, and `>n` is a reaction to the event with this number. */
async function orderOf(...events: string[]) {
  const t = rig()
  for (const [i, event] of events.entries()) {
    const [author_id = '', command] = event.split('/')
    const { data, ...envelope } = message(i + 1)
    if (event.startsWith('>'))
      t.queues.push('a', {
        event: { ...envelope, type: 'reaction_add', data: { message_id: `m${event.slice(1)}` } },
        attempt: 1,
      })
    else t.queues.push('a', { event: { ...envelope, data: { ...data, author_id, command } }, attempt: 1 })
  }
  const order = []
  for (t.start(); t.running().length > 0; t.start()) {
    order.push(...t.running())
    await t.end(t.running()[0]!)
  }
  expect(t.counts()).toEqual({ waiting: 0, running: 0, hasReady: false })
  return order
}

it('lets people take turns: many commands of one person do not delay those of others', async () => {
  expect(await orderOf('ann/a', 'ann/b', 'ann/c', 'ann/d', 'bob/a', 'bob/b', 'eve/a')).toEqual([1, 2, 5, 7, 3, 6, 4])
  expect(await orderOf('ann/a', 'bob/a', 'ann/b', 'bob/b', 'eve/a')).toEqual([1, 2, 3, 5, 4])
})

it('keeps the order of one command for each person, and of all other events', async () => {
  expect(await orderOf('ann/a', 'bob/a', 'eve', 'bob', 'eve/a', 'ann', 'ann/b')).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(await orderOf('ann/a', 'ann/b', 'ann/c', 'bob', 'eve', '>3', 'bob')).toEqual([1, 2, 4, 5, 7, 3, 6])
  expect(await orderOf('ann/a', 'ann/b', 'ann/c', 'ann', 'bob', 'ann/d', 'ann')).toEqual([1, 2, 5, 3, 4, 6, 7])
  expect(await orderOf('ann/a', 'ann/b', 'ann/c', 'ann', '>4', 'bob')).toEqual([1, 2, 6, 3, 4, 5])
})

it('lets people take turns while further commands arrive, and forgets those who have had theirs', async () => {
  const t = rig()
  let id = 0
  const send = (author_id: string) => {
    const { data, ...envelope } = message(++id)
    t.queues.push('a', { event: { ...envelope, data: { ...data, author_id, command: 'x' } }, attempt: 1 })
    return id
  }
  for (let i = 0; i < 5; i++) send('ann')
  const ran: number[] = []
  const next = async () => {
    t.start()
    ran.push(t.running()[0]!)
    await t.end(ran.at(-1)!)
  }
  for (let before = 0, round = 0; round < 50; round++) {
    const bob = send('bob')
    send('ann')
    await next()
    await next()
    if (before > 0) expect(ran).toContain(before)
    before = bob
  }
})

it('continues after an event that is gathered, which ends with its burst', async () => {
  const t = rig()
  t.push('a', 1, 2)
  let begin!: () => void
  let end!: () => void
  const begins = new Promise<void>((resolve) => (begin = resolve))
  const ends = new Promise<void>((resolve) => (end = resolve))
  t.queues.start(t.queues.takeReady(1)[0]!, () => Promise.resolve({ begins, ends }))
  await Promise.resolve()
  expect([t.counts(), t.queues.open, t.continued()]).toEqual([{ waiting: 1, running: 0, hasReady: true }, 1, 1])
  begin()
  await begins
  expect([t.queues.running, t.queues.open]).toEqual([1, 1])
  expect(t.ended).toEqual([])
  end()
  await ends
  await Promise.resolve()
  expect(t.ended).toEqual([[1, undefined]])
  expect([t.queues.running, t.queues.open]).toEqual([0, 0])
})

it('reports why the burst of a gathered event has not run', async () => {
  const t = rig()
  t.push('a', 1)
  const error = new Error('stops')
  const ends = Promise.reject(error)
  t.queues.start(t.queues.takeReady(1)[0]!, () => Promise.resolve({ begins: new Promise(() => {}), ends }))
  for (let i = 0; i < 3; i++) await Promise.resolve()
  expect([t.ended, t.queues.open]).toEqual([[[1, error]], 0])
})

it('lists the longest queues, and those with the oldest events', () => {
  const t = rig()
  t.push('old', 1)
  t.push('long', 2, 3, 4)
  t.push('new', 5, 6)
  t.start(2)
  const firstOf = (limit: number) =>
    t.queues.busiest(limit).map(({ current, isRunning, waiting }) => [current.event.id, isRunning, waiting])
  const [old, long, recent] = [
    [1, true, 0],
    [2, true, 2],
    [5, false, 2],
  ]
  expect(firstOf(1)).toEqual([long, old])
  expect(firstOf(10)).toEqual([long, recent, old])
})
