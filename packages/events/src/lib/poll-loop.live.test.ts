import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { type Clock, systemClock, VirtualClock } from '@botwright/clock'
import { openJournal, type ListEvents } from '../index.ts'
import { message, testFeed, turns } from './rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const failure = (status?: number, retryAfterSeconds?: number) =>
  Object.assign(new Error('refused'), {
    ...(status && { status }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
const never = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))

/** A feed whose polls return these responses in turn, then wait forever. */
function scripted(...answers: (() => unknown)[]) {
  const asked: { after: number; atMs: number }[] = []
  const clock = new VirtualClock()
  const listEvents: ListEvents = async ({ after }, signal) => {
    const answer = answers[asked.length]
    asked.push({ after, atMs: clock.monotonic() })
    return answer ? answer() : never(signal)
  }
  const t = testFeed({ clock, listEvents })
  t.feed.start()
  return { ...t, asked }
}

/** Arrays in arrays, so deep that `JSON.stringify` would overflow the stack. */
const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown

describe('unusable responses', () => {
  it.each([
    [null],
    [undefined],
    [{}],
    [[]],
    ['<html>'],
    [{ events: null, last: 3 }],
    [{ events: {}, last: 3 }],
    [{ events: [] }],
    [{ events: [message(5)], last: '5' }],
    [{ events: [], last: -1 }],
    [{ events: [], last: 1.5 }],
    [{ events: [], last: null }],
  ])('%j: reported, asked again within 1 s from the same place', async (answer) => {
    const t = scripted(
      () => answer,
      () => ({ events: [message(5)], last: 5 }),
    )
    await t.clock.advance(1000)
    expect(t.asked.map(({ after }) => after)).toEqual([1, 1, 5])
    expect(t.ids()).toEqual([5])
    expect(t.codes()).toEqual(['starting_kept', 'bad_answer', 'poll_recovered'])
    await t.feed.stop({ graceMs: 0 })
  })

  it('skips, counts and reports invalid events of a valid page', async () => {
    const bad = [
      null,
      7,
      {},
      { ...message(3), id: '3' },
      { ...message(4), id: -4 },
      { ...message(5), type: 7 },
      { ...message(6), data: [] },
      { ...message(8), data: { deep: nested(20_000) } },
    ]
    const t = scripted(() => ({
      events: [...bad, { ...message(7), data: null, created_at: undefined, extra: 1 }],
      last: 9,
    }))
    await turns()
    expect(t.ids()).toEqual([7])
    expect(t.ran[0]!.event).toMatchObject({ data: {}, extra: 1, created_at: '2026-01-01T00:00:00.000Z' })
    expect(t.feed.stats()).toMatchObject({ malformed: 8, received: 1 })
    expect(t.codes().filter((code) => code === 'event_malformed')).toHaveLength(8)
    expect(t.asked[1]?.after).toBe(9)
    await t.feed.stop({ graceMs: 0 })
  })

  it('continues when `last` is below the events of its page', async () => {
    const t = scripted(
      () => ({ events: [message(9), message(5), message(9)], last: 2 }),
      () => ({ events: [message(9)], last: 1 }),
      () => ({ events: [message(12)], last: 12 }),
    )
    await turns()
    expect(t.ids()).toEqual([5, 9, 12])
    expect(t.asked.map(({ after }) => after)).toEqual([1, 9, 9, 12])
    expect(t.codes()).toEqual(['starting_kept'])
    await t.feed.stop({ graceMs: 0 })
  })
})

describe('failures', () => {
  it('waits longer each time, up to 30 s, for a whole day; and reports once a minute at most', slow, async () => {
    const clock = new VirtualClock()
    const at: number[] = []
    const t = testFeed({
      clock,
      random: Math.random,
      listEvents: async () => {
        at.push(clock.monotonic())
        throw failure(503)
      },
    })
    t.feed.start()
    await clock.advance(86_400_000)
    expect(at.length).toBeLessThan(3500)
    expect(at[1]! - at[0]!).toBeLessThan(1000)
    const gaps = at.slice(1).map((ms, n) => ms - at[n]!)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(30_000)
    expect(Math.min(...gaps.slice(10))).toBeGreaterThanOrEqual(20_000)
    expect(t.codes().filter((code) => code === 'poll_failed').length).toBeLessThan(1445)
    await t.feed.stop({ graceMs: 0 })
  })

  it('reports a gap after an outage of more than a day', async () => {
    const clock = new VirtualClock()
    let down = false
    const t = testFeed({
      clock,
      listEvents: async ({ after }, signal): Promise<unknown> => {
        if (down) throw failure(502)
        if (t.clock.monotonic() > 86_400_000) return after === 5 ? { events: [], last: 6 } : never(signal)
        if (after === 1) return { events: [message(5)], last: 5 }
        down = true
        return never(signal)
      },
    })
    t.feed.start()
    await clock.advance(86_400_000 + 120_000)
    expect(t.codes()).not.toContain('events_may_have_expired')
    down = false
    await clock.advance(30_000)
    expect(t.feed.stats().cursor).toBe(6)
    await t.feed.stop({ graceMs: 0 })
    const [, ...later] = t.codes().filter((code) => code !== 'poll_failed')
    expect(later).toEqual(['events_may_have_expired', 'poll_recovered'])
  })

  it('respects the wait that the service sends', async () => {
    const t = scripted(
      () => Promise.reject(failure(429, 7)),
      () => Promise.reject(failure(429, 1e9)),
      () => Promise.reject(failure(429, -1)),
    )
    await t.clock.advance(400_000)
    const at = t.asked.map(({ atMs }) => atMs)
    expect(at[1]).toBe(7000)
    expect(at[2]).toBe(307_000)
    expect(at[3]! - at[2]!).toBeLessThan(30_000)
    await t.feed.stop({ graceMs: 0 })
  })

  it('ends after one 401, and lets running events finish', async () => {
    let finish!: () => void
    const t = testFeed({
      run: () => new Promise((resolve) => (finish = resolve)),
      listEvents: async ({ after }) => {
        if (after === 1) return { events: [message(5)], last: 5 }
        throw failure(401)
      },
    })
    t.feed.start()
    expect(await t.feed.ended).toMatchObject({ reason: 'unauthorized', error: { name: 'Unauthorized' } })
    expect(t.codes()).toEqual(['starting_kept', 'unauthorized'])
    expect(t.feed.stats()).toMatchObject({ polls: 2, running: 1 })
    finish()
    await t.feed.whenIdle()
    expect(t.feed.stats().finished).toBe(1)
    await t.feed.stop({ graceMs: 0 })
  })

  it('aborts a poll after wait + 10 s, even if the caller ignores the signal', async () => {
    let asked = 0
    const t = testFeed({
      waitSeconds: 20,
      listEvents: ({ after }) => {
        asked++
        return asked === 1
          ? new Promise(() => {})
          : asked === 2
            ? Promise.resolve({ events: [message(5)], last: 5 + after * 0 })
            : new Promise(() => {})
      },
    })
    t.feed.start()
    await t.clock.advance(29_900)
    expect(asked).toBe(1)
    await t.clock.advance(500)
    expect(t.ids()).toEqual([5])
    expect(t.codes()).toEqual(['starting_kept', 'poll_failed', 'poll_recovered'])
    await t.feed.stop({ graceMs: 0 })
  })
})

describe('over real sockets', () => {
  const bad: [string, (res: ServerResponse) => void][] = [
    ['500 with JSON', (res) => void res.writeHead(500).end('{"error":"x"}')],
    ['502 with HTML', (res) => void res.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway')],
    ['200 with HTML', (res) => void res.writeHead(200).end('<h1>Hello')],
    ['204', (res) => void res.writeHead(204).end()],
    ['200, empty', (res) => void res.writeHead(200).end()],
    ['a redirect', (res) => void res.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['a closed connection', (res) => void res.destroy()],
    [
      'a body cut in the middle',
      (res) => {
        res.writeHead(200, { 'content-length': 1000 })
        res.write('{"events":[')
        setTimeout(() => res.destroy(), 10)
      },
    ],
    [
      'half a chunk',
      (res) => {
        res.writeHead(200, { 'transfer-encoding': 'chunked' })
        res.socket!.end('ff\r\n{"ev')
      },
    ],
    ['cut JSON', (res) => void res.writeHead(200).end('{"events":[{"id":5')],
    ['null', (res) => void res.writeHead(200).end('null')],
    ['nothing at all', () => {}],
  ]
  /** The wait of the polls below, and the 10 s of their watchdog. */
  const watchdogMs = 11_000

  it.each(bad)('%s: recovers without losing events', async (name, fault) => {
    const isSilent = name === 'nothing at all'
    let giveUp = () => {}
    let asked = 0
    const server = createServer((req, res) => {
      const after = Number(new URL(req.url!, 'http://x').searchParams.get('after'))
      if (asked++ === 0) {
        fault(res)
        return isSilent && giveUp()
      }
      if (after === 1) return void res.end(JSON.stringify({ events: [message(5)], last: 5 }))
      // The long poll: stays open until the feed stops.
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const listEvents: ListEvents = ({ after, wait }, signal) =>
      new Promise((resolve, reject) => {
        const req = request(
          { port, host: '127.0.0.1', path: `/events?after=${after}&wait=${wait}`, signal, agent: false },
          (res) => {
            let text = ''
            res.setEncoding('utf8')
            res.on('data', (chunk: string) => (text += chunk))
            res.on('error', reject)
            res.on('end', () => {
              if (res.statusCode !== 200) return reject(failure(res.statusCode))
              try {
                resolve(JSON.parse(text))
              } catch (cause) {
                reject(new Error('the body is no JSON', { cause }))
              }
            })
          },
        )
        req.on('error', reject)
        req.end()
      })
    // "Nothing at all" takes the watchdog: its time is over once the request has arrived. All others recover without a timer of more than 1 s.
    const clock: Clock = {
      ...systemClock,
      after: (ms, fire, options) => {
        if (ms <= 1000) return systemClock.after(ms, fire, options)
        if (ms === watchdogMs) giveUp = fire
        return { cancel() {} }
      },
    }
    const journal = openJournal({ file: ':memory:', baseUrl: 'x', botId: 'b', clock })
    const t = testFeed({ clock, journal, listEvents, waitSeconds: 1 })
    t.feed.start()
    await expect.poll(() => t.ids(), { interval: 5 }).toEqual([5])
    expect(t.feed.stats().pollFailures).toBe(1)
    await t.feed.stop({ graceMs: 0 })
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
})
