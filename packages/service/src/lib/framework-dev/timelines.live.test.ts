import { expect, it } from 'vitest'
import { startTest } from '../test-tools/driver.test.fixture.ts'
import { openPage } from '../test-tools/stream-page.test.fixture.ts'
import type { TimelineSummary } from '../people-api/resources.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

type Chat = Awaited<ReturnType<typeof startTest>>

const timeline = (id: number, more: object = {}) => ({
  version: 1,
  event: {
    ...{ seq: id, id, type: 'message', title: '/roll', who: 'bob → #general', received_at: '2026-01-01T00:00:00.000Z' },
    data: { id: `message-${id}`, channel_id: 'general' },
  },
  result: 'error',
  file: 'commands/roll.ts',
  ms: 2,
  steps: [{ kind: 'of another release', atMs: 0, text: 'did something', more: true }],
  failure: { message: 'no sides', at: 'commands/roll.ts:4', causes: [], link: 'vscode://file/x/commands/roll.ts:4' },
  ...more,
})

async function publish(chat: Chat, timelines: readonly object[]) {
  const response = await fetch(`${chat.service.url}/dev/v1/timelines`, {
    method: 'PUT',
    headers: { authorization: 'Bot token-of-pollster', 'content-type': 'application/json' },
    body: JSON.stringify({ timelines }),
  })
  return { status: response.status, body: (await response.json()) as { error?: string } }
}
const summaries = async (chat: Chat, name = 'ann') =>
  ((await chat.person(name, 'GET', '/timelines')).body as { timelines: TimelineSummary[] }).timelines

it('shows the timelines of a bot to its owner only, in short and in full, and sends new ones', async () => {
  await using chat = await startTest()
  const page = await openPage(chat, 'ann')
  expect(await publish(chat, [timeline(7)])).toMatchObject({ status: 200 })
  const summary = {
    ...{ bot_id: chat.botId, event_id: 7, type: 'message', title: '/roll', who: 'bob → #general', result: 'error' },
    ...{ file: 'commands/roll.ts', ms: 2, error: 'no sides', at: 'commands/roll.ts:4' },
    ...{ received_at: '2026-01-01T00:00:00.000Z', channel_id: 'general', message_id: 'message-7' },
  }
  expect((await page.until('bot_timeline')).data).toMatchObject({ timeline: summary })
  expect(await summaries(chat)).toEqual([summary])
  const path = `/bots/${chat.botId}/timelines`
  expect((await chat.person('ann', 'GET', `${path}/7`)).body).toEqual(timeline(7))
  expect(await summaries(chat, 'bob')).toEqual([])
  expect((await chat.person('bob', 'GET', `${path}/7`)).status).toBe(404)
  for (const id of ['8', 'x', '1e1']) expect((await chat.person('ann', 'GET', `${path}/${id}`)).status).toBe(404)
  // The event has gone on.
  await publish(chat, [timeline(8), timeline(7, { result: 'ok' })])
  expect((await summaries(chat)).map(({ event_id, result }) => [event_id, result])).toEqual([
    [7, 'ok'],
    [8, 'error'],
  ])
  page.close()
})

it(
  'keeps the newest 1,000 timelines and 8 MB of each bot, and refuses a longer timeline than 128 KB',
  slow,
  async () => {
    await using chat = await startTest()
    for (let from = 1; from <= 1050; from += 50)
      expect(
        (
          await publish(
            chat,
            Array.from({ length: 50 }, (_, at) => timeline(from + at)),
          )
        ).status,
      ).toBe(200)
    const ids = (await summaries(chat)).map(({ event_id }) => event_id)
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([1000, 51, 1050])
    const long = (characters: number) =>
      Array.from({ length: characters / 4000 }, () => ({ kind: 'call', atMs: 0, text: 'x'.repeat(4000) }))
    for (let id = 2000; id < 2100; id += 5)
      await publish(
        chat,
        [0, 1, 2, 3, 4].map((at) => timeline(id + at, { steps: long(120_000) })),
      )
    const left = await summaries(chat)
    expect(left.length).toBeLessThan(75)
    expect(left.at(-1)!.event_id).toBe(2099)
    expect(await publish(chat, [timeline(1, { steps: long(140_000) })])).toMatchObject({
      status: 413,
      body: { error: 'timelines: the timeline of event 1 is longer than 131072 characters of JSON' },
    })
  },
)

it('keeps failures longer than events that did not fail, and requests to routes beside events', slow, async () => {
  await using chat = await startTest()
  await publish(chat, [timeline(1), timeline(2, { result: 'ok' }), timeline(3, { result: 'none' })])
  for (let from = 4; from < 1004; from += 50)
    await publish(
      chat,
      Array.from({ length: 50 }, (_, at) => timeline(from + at, { result: 'none' })),
    )
  const request = { ...timeline(-1), event: { ...timeline(-1).event, type: 'route', title: 'POST /github' } }
  expect((await publish(chat, [request])).status).toBe(200)
  const ids = (await summaries(chat)).map(({ event_id }) => event_id)
  expect([ids.length, ids[0], ids[1], ids.at(-1)]).toEqual([1000, 1, 6, -1])
  const path = `/bots/${chat.botId}/timelines/-1`
  expect((await chat.person('ann', 'GET', path)).body).toEqual(request)
  expect(await chat.person('ann', 'POST', `${path}/replay`)).toMatchObject({ status: 400 })
})

it('shows new events although all earlier ones have failed', slow, async () => {
  await using chat = await startTest()
  const some = (from: number, more?: object) => Array.from({ length: 50 }, (_, at) => timeline(from + at, more))
  for (let from = 1; from <= 1000; from += 50) await publish(chat, some(from))
  await publish(chat, some(2001, { result: 'ok' }))
  const ids = (await summaries(chat)).map(({ event_id }) => event_id)
  expect([ids.length, ids[0], ids.filter((id) => id > 2000).length]).toEqual([1000, 51, 50])
})

it('refuses links that run code, and other invalid timelines; a reset forgets all', async () => {
  await using chat = await startTest({ controls: true })
  for (const link of [
    'javascript://%0aalert(1)',
    'JavaScript://x',
    'data:text/html,x',
    'commands/roll.ts',
    ' vscode://x',
  ])
    expect((await publish(chat, [timeline(1, { failure: { message: '', causes: [], link } })])).status, link).toBe(400)
  const wrong = [timeline(1, { version: 2 }), timeline(0), timeline(1, { steps: [{}] }), { version: 1 }]
  for (const one of wrong) expect((await publish(chat, [one])).status).toBe(400)
  expect(
    (
      await publish(
        chat,
        Array.from({ length: 101 }, () => timeline(1)),
      )
    ).status,
  ).toBe(400)
  expect(await summaries(chat)).toEqual([])
  await publish(chat, [timeline(1)])
  expect(await summaries(chat)).toHaveLength(1)
  expect((await chat.call('POST', '/controls/v1/reset')).status).toBe(200)
  expect(await summaries(chat)).toEqual([])
})

it('passes a request to run an event again to the program of the bot, and its result to the owner', async () => {
  await using chat = await startTest()
  await publish(chat, [timeline(7)])
  const page = await openPage(chat, 'ann')
  const path = `/bots/${chat.botId}/timelines`
  const request = (name: string, id: number) => chat.person(name, 'POST', `${path}/${id}/replay`)
  const dev = async (at: string, init?: RequestInit) => {
    const headers = { authorization: 'Bot token-of-pollster', 'content-type': 'application/json' }
    const response = await fetch(`${chat.service.url}/dev/v1/replays${at}`, { ...init, headers })
    return { status: response.status, body: (await response.json()) as object }
  }
  expect(await request('ann', 7)).toMatchObject({
    status: 400,
    body: { error: 'not possible: framework dev does not run this bot at the moment, or has too many requests' },
  })
  const polled = dev('')
  await expect.poll(async () => (await request('ann', 7)).status).toBe(200)
  expect(await polled).toEqual({ status: 200, body: { event_ids: [7] } })
  expect((await request('bob', 7)).status).toBe(404)
  expect((await request('ann', 8)).status).toBe(404)
  // Twice the same event is one request, also between two polls.
  expect([(await request('ann', 7)).status, (await request('ann', 7)).status]).toEqual([200, 200])
  expect((await dev('')).body).toEqual({ event_ids: [7] })
  const replay = { verdict: 'fixed', was: ['error: no sides'], now: ['reply: 6'] }
  expect((await dev('/7', { method: 'PUT', body: JSON.stringify(replay) })).status).toBe(200)
  expect((await page.until('bot_replay')).data).toMatchObject({ bot_id: chat.botId, event_id: 7, replay })
  expect((await dev('/8', { method: 'PUT', body: JSON.stringify(replay) })).status).toBe(404)
  expect((await dev('/7', { method: 'PUT', body: '{"verdict":"x"}' })).status).toBe(400)
  page.close()
})

it('shows why a request to a route was refused', async () => {
  await using chat = await startTest()
  const steps = [
    { kind: 'finished', atMs: 0, text: 'refused: 401: no token', result: 'refused', error: '401: no token' },
  ]
  await publish(chat, [timeline(-3, { result: 'refused', failure: undefined, steps })])
  expect(await summaries(chat)).toMatchObject([{ event_id: -3, result: 'refused', error: '401: no token' }])
})

it('a request to run an event fails if framework dev ends before it answers', { tags: ['all/live'] }, async () => {
  await using chat = await startTest()
  const page = await openPage(chat, 'ann')
  const headers = { authorization: 'Bot token-of-pollster', 'content-type': 'application/json' }
  await publish(chat, [timeline(7)])
  const taken = fetch(`${chat.service.url}/dev/v1/replays`, { headers })
  const request = () => chat.person('ann', 'POST', `/bots/${chat.botId}/timelines/7/replay`)
  await expect.poll(async () => (await request()).status).toBe(200)
  expect(await (await taken).json()).toEqual({ event_ids: [7] })
  // It never polls again.
  const { data } = await page.until('bot_replay')
  expect(data).toMatchObject({ bot_id: chat.botId, event_id: 7, replay: { verdict: 'failed', was: [] } })
  page.close()
})

it('a request fails that framework dev no longer runs, such as after a restart', { tags: ['all/live'] }, async () => {
  await using chat = await startTest()
  const page = await openPage(chat, 'ann')
  const headers = { authorization: 'Bot token-of-pollster' }
  await publish(chat, [timeline(7), timeline(8)])
  const poll = async (running: string) =>
    (await fetch(`${chat.service.url}/dev/v1/replays?running=${running}`, { headers })).json()
  const request = (id: number) => chat.person('ann', 'POST', `/bots/${chat.botId}/timelines/${id}/replay`)
  const taken = poll('')
  await expect.poll(async () => (await request(7)).status).toBe(200)
  expect(await taken).toEqual({ event_ids: [7] })
  await request(8)
  expect(await poll('7')).toEqual({ event_ids: [8] })
  // The program has started again: it polls within the time in which it counts as running.
  const again = poll('')
  const failed = { verdict: 'failed', now: ['framework dev ended before it had run the event'] }
  expect((await page.until('bot_replay')).data).toMatchObject({ event_id: 7, replay: failed })
  expect((await page.until('bot_replay')).data).toMatchObject({ event_id: 8, replay: failed })
  await request(7)
  expect(await again).toEqual({ event_ids: [7] })
  page.close()
})
