import { get } from 'node:http'
import { readFileSync, writeFileSync } from 'node:fs'
import { AdvanceableClock, systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { ChatRig } from '../../../tests/chat-rig.test.fixture.ts'
import { switchOff } from '../../switches/change.ts'
import { controlToken, files, framework, startControlled } from './control-rig.test.fixture.ts'
import { fixes } from '../../problems/problems.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

// The faults of production, told apart by the state alone. packages/cluster tests a Redis that is gone.

test('shows the counts of a bot, and the error of each file', async () => {
  await using rig = await ChatRig.start()
  const { bot, state } = await startControlled(rig)
  for (const text of ['/ping a', '/ping b', '/boom']) await rig.says('ann', text)
  await rig.until(() => bot.stats().finished === 3)
  expect(await state()).toMatchObject({
    bot: { username: 'helper' },
    state: 'running',
    problems: [{ code: 'handler_failing' }],
    cluster: null,
    local: [],
    unavailable: {},
    events: { received: 3, finished: 3, waiting: 0 },
    budget: { limit: 30, used: 3, waiting: 0, minutes: [{ sent: 3, used: 3, waiting: 0 }] },
    files: [
      { file: 'commands/ping.ts', runs: 2, results: { ok: 2 }, blocked: 0, last_failure: null },
      {
        file: 'commands/boom.ts',
        runs: 1,
        results: { error: 1 },
        // Messages of errors may quote a secret.
        last_failure: { result: 'error', message: 'boom of [secret]', line: expect.stringContaining('commands/boom') },
      },
    ],
    dead_letters: { total: 0, newest: [] },
    tasks: [],
    requests: { set_aside: 0 },
  })
  expect((await state()).files[0]!.p99_ms).toBeGreaterThan(0)
})

test('a bot whose commands work has no problems', async () => {
  await using rig = await ChatRig.start()
  const { bot, state } = await startControlled(rig)
  await rig.says('ann', '/ping a')
  await rig.until(() => bot.stats().finished === 1)
  expect(await state()).toMatchObject({ problems: [], files: [{ file: 'commands/ping.ts', last_failure: null }] })
})

test('counts the requests to routes that were set aside', inAll, async () => {
  await using rig = await ChatRig.start()
  const { bot, state } = await startControlled(rig, {
    config: { http: false },
    more: {
      'routes/job.ts': `import { route } from '${framework}'
        export default route({ verify: false, run: () => { throw new Error('no job') } })`,
    },
  })
  for (let n = 0; n < 2; n++) {
    const headers = { 'content-type': 'application/json' }
    const request = new Request('http://bot.test/job', { method: 'POST', headers, body: '{}' })
    expect((await bot.fetch(request)).status).toBe(202)
  }
  await rig.until(async () => (await state()).requests?.set_aside === 2)
})

test('the token was replaced: the reason can be read before the process ends', async () => {
  await using rig = await ChatRig.start()
  const { bot, problems, state, url } = await startControlled(rig)
  await rig.person('ann').bots.newToken({ bot_id: bot.me.id })
  await rig.until(async () => (await problems()).includes('token_refused'))
  expect(await state()).toMatchObject({ state: 'stopping', ready: false })
  expect(await problems(), 'the stop is its effect').toEqual(['token_refused'])
  const readiness = (await (await fetch(url.replace('/control', '/readyz'))).json()) as { reasons: string[] }
  expect(readiness.reasons).toEqual(["the service rejects the bot's token (401), so the bot stops"])
  await bot.stop()
  expect((await bot.ended).reason).toBe('unauthorized')
  await expect(fetch(url)).rejects.toThrow()
})

test('the token was replaced: the reason is shown while running handlers finish', inAll, async () => {
  await using rig = await ChatRig.start()
  const goOn = `${rig.root}/go-on`
  const more = {
    'commands/slow.ts': `import { existsSync } from 'node:fs'
      export default async () => { while (!existsSync('${goOn}')) await new Promise((end) => setTimeout(end, 5)) }`,
  }
  const { bot, problems, state } = await startControlled(rig, { more })
  await rig.says('ann', '/slow')
  await rig.until(async () => (await state()).events.running === 1)
  await rig.person('ann').bots.newToken({ bot_id: bot.me.id })
  await rig.until(async () => (await problems()).includes('token_refused'))
  expect((await state()).events.running).toBe(1)
  writeFileSync(goOn, '')
  await bot.stop()
})

test('names the file of a blocking handler', { tags: 'all/real-time' }, async () => {
  await using rig = await ChatRig.start()
  const { problems, state } = await startControlled(rig, { blockSeconds: 2 })
  await rig.says('ann', '/block')
  await rig.until(async () => (await problems()).length > 0)
  expect(await state()).toMatchObject({
    ready: true,
    problems: [{ code: 'handler_blocked', text: expect.stringContaining('commands/block.ts blocked its thread') }],
    workers: { restarts: 1 },
    files: expect.arrayContaining([
      expect.objectContaining({
        file: 'commands/block.ts',
        blocked: 1,
        results: expect.objectContaining({ crashed: 1 }),
      }),
    ]),
  })
})

test('shows the waiting messages when the budget is used up', inAll, async () => {
  await using rig = await ChatRig.start()
  const { problems, state } = await startControlled(rig, { config: { messageBudget: { requests: 2, seconds: 60 } } })
  for (const text of ['a', 'b', 'c', 'd']) await rig.says('ann', `/ping ${text}`, text === 'a' ? 'random' : 'general')
  await rig.until(async () => (await problems()).length > 0)
  const { budget, ...others } = await state()
  const { ann } = rig.service.world.people
  expect(others).toMatchObject({
    ready: true,
    problems: [
      {
        code: 'budget_used_up',
        text: expect.stringContaining(
          `commands/ping.ts sent the most messages: 2 within the last minute, most of them for the user ${ann!.id}`,
        ) as string,
      },
    ],
  })
  expect(budget).toMatchObject({ limit: 2, used: 2 })
  expect(budget.waiting).toBeGreaterThan(0)
  expect(budget.free_in_seconds).toBeGreaterThan(0)
  expect(budget.minutes.at(-1)!.waiting).toBeGreaterThan(0)
})

test('a poison event is a dead letter, and runs again on request', inAll, async () => {
  await using rig = await ChatRig.start()
  const { problems, state, call, bot } = await startControlled(rig, { actions: true })
  await rig.says('ann', '/exit secretly')
  // The last attempt is observed once the next thread has reported which file handles the event.
  await rig.until(async () => (await state()).files[0]?.results.dead_lettered === 1)
  expect((await problems()).toSorted()).toEqual(['dead_letters', 'handler_crashed'])
  const { dead_letters, files: runs, problems: found } = await state()
  expect(found[0]!.text).toContain('commands/exit.ts ended its thread')
  expect(runs[0]).toMatchObject({ results: { crashed: 2, dead_lettered: 1 }, blocked: 0 })
  expect(dead_letters).toMatchObject({
    total: 1,
    newest: [{ type: 'message', reason: expect.stringContaining('3 times') }],
  })
  const { id } = dead_letters!.newest[0]!
  expect(JSON.stringify(await state()), 'the content of an event is not shown').not.toContain('secretly')

  await bot.replace(rig.source({ ...files, 'commands/exit.ts': "export default () => 'fixed'" }))
  const replayed = await call(`/events/${id}/replay`, { method: 'POST' })
  expect([replayed.status, await replayed.json()]).toEqual([200, { replayed: id }])
  await rig.until(async () => (await rig.texts()).includes('fixed'))
  expect((await state()).dead_letters).toEqual({ total: 0, newest: [] })
  const again = await call(`/events/${id}/replay`, { method: 'POST' })
  expect([again.status, await again.json()]).toEqual([404, { error: `event ${id} is not set aside` }])
})

test('lists a waiting durable run, and cancels it on request', inAll, async () => {
  await using rig = await ChatRig.start()
  const { state, call, url } = await startControlled(rig, {
    actions: true,
    more: {
      'commands/order.ts': `import { command } from '${framework}'
        export default command({ description: 'Orders', durable: true, run: async (ctx) => {
          await ctx.ask('What?', { timeout: '2h' })
        } })`,
    },
  })
  const metrics = async () => {
    const text = await (await fetch(url.replace('/control', '/metrics'))).text()
    return [...text.matchAll(/^botwright_runs_(\w+) (\d+)$/gm)].map(([, name, value]) => `${name} ${value}`)
  }
  const counts = (waiting: number, cancelled: number) => [
    `waiting ${waiting}`,
    `resumed_total ${cancelled}`,
    'done_total 0',
    'failed_total 0',
    `cancelled_total ${cancelled}`,
  ]
  expect(await metrics()).toEqual(counts(0, 0))
  await rig.says('ann', '/order')
  await rig.until(async () => (await state()).runs?.waiting.length === 1)
  await rig.until(async () => (await metrics())[0] === 'waiting 1')
  expect(await metrics()).toEqual(counts(1, 0))
  const { runs } = await state()
  expect(runs).toMatchObject({ waiting: [{ file: 'commands/order.ts', waits_for: 'answer' }], more: false })
  const [run] = runs!.waiting
  expect(Date.parse(run!.due_at!) - Date.parse(run!.since)).toBeGreaterThan(7_000_000)
  const cancelled = await call(`/runs/${run!.id}/cancel`, { method: 'POST' })
  expect([cancelled.status, await cancelled.json()]).toEqual([200, { cancelled: run!.id }])
  await rig.until(async () => (await state()).runs?.waiting.length === 0)
  // Its row is deleted after the end of the run is stored.
  await rig.until(async () => (await metrics())[0] === 'waiting 0')
  expect(await metrics()).toEqual(counts(0, 1))
  expect((await call(`/runs/${run!.id}/cancel`, { method: 'POST' })).status).toBe(404)
  expect((await call('/runs/%zz/cancel', { method: 'POST' })).status).toBe(404)
})

test('switches files off and on', async () => {
  await using rig = await ChatRig.start()
  const { bot, call, state } = await startControlled(rig, { actions: true })
  const { id } = rig.service.world.servers['Workshop']!
  await switchOff(bot.store, { name: '/exit', server: { id, name: 'Workshop' }, sinceMs: 0 })
  const post = async (path: string) => {
    const response = await call(`/switches/${path}`, { method: 'POST' })
    return [response.status, await response.json()] as const
  }
  const row = { server_id: null, server: null, reason: 'back at noon', since: expect.any(String) as string }
  const exit = { name: '/exit', server_id: id, server: 'Workshop', reason: null, since: '1970-01-01T00:00:00.000Z' }
  const ping = { name: '/ping', ...row }
  expect(await post('off?name=%2Fping&reason=back%20at%20noon')).toEqual([200, { state: 'off', changed: [ping] }])
  expect((await state()).switches).toEqual({ off: [exit, ping], names: ['/block', '/boom', '/exit', '/ping'] })
  await rig.says('ann', '/ping a')
  await rig.until(async () => (await rig.texts()).includes('This command is switched off for now: back at noon'))
  expect((await post('off?name=%2Fping'))[0]).toBe(409)
  expect(await post('off?name=%2Fpng')).toEqual([409, { error: expect.stringContaining('did you mean /ping?') }])
  expect(await post('off')).toEqual([400, { error: 'name is missing: add ?name=' }])
  expect(await post(`off?name=%2Fblock&server_id=${id}`)).toEqual([
    400,
    { error: 'server_id is only for switches/on: use "framework off --server" for one server' },
  ])
  expect((await call('/switches/off?name=%2Fping')).status).toBe(405)
  expect(await post('on?name=%2Fping')).toEqual([200, { state: 'on', changed: [ping] }])
  expect((await post('on?name=%2Fping'))[0]).toBe(409)
  expect((await post('on?name=%2Fexit&server_id=no'))[0]).toBe(409)
  expect(await post(`on?name=%2Fexit&server_id=${id}`)).toEqual([200, { state: 'on', changed: [exit] }])
  await rig.says('ann', '/ping a')
  await rig.until(async () => (await rig.texts()).includes('pong a'))
  expect(rig.logged('info')).toContain('/ping switched off from the control room')
})

test('with the inline dispatcher, and with tasks', inAll, async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const { state, url } = await startControlled(rig, {
    dispatcher: 'inline',
    clock,
    more: {
      'tasks/yearly.ts': `import { task } from '${framework}'
        export default task({ cron: '0 0 1 1 *', timezone: 'Europe/Berlin', run: () => {} })`,
      'tasks/beat.ts': `import { task } from '${framework}'
        export default task({ every: '1h', run: () => {} })`,
      'tasks/later.ts': `import { task } from '${framework}'
        export default task({ run: () => {} })`,
      'commands/later.ts': `import later from '../tasks/later.mjs'
        export default (ctx) => later.schedule(ctx, { in: '2h' }).then(() => 'scheduled')`,
    },
  })
  await rig.says('ann', '/later')
  await rig.until(async () => (await rig.texts()).includes('scheduled'))
  clock.advance(3_600_000)
  await rig.until(async () => (await state()).tasks?.[0]?.last?.state === 'done')
  const { tasks } = await state()
  expect(tasks).toEqual([
    {
      name: 'beat',
      file: 'tasks/beat.ts',
      schedule: 'every 1 h',
      timezone: null,
      last: expect.anything(),
      last_error: null,
      next_at: expect.any(String),
      reason: null,
      scheduled: 0,
      set_aside: 0,
    },
    {
      name: 'later',
      file: 'tasks/later.ts',
      schedule: null,
      timezone: null,
      last: null,
      last_error: null,
      next_at: expect.any(String),
      reason: 'its first run is not due yet',
      scheduled: 1,
      set_aside: 0,
    },
    {
      name: 'yearly',
      file: 'tasks/yearly.ts',
      schedule: '0 0 1 1 *',
      timezone: 'Europe/Berlin',
      last: null,
      last_error: null,
      next_at: expect.stringContaining('-12-31T23:00:00'),
      reason: 'its first run is not due yet',
      scheduled: 0,
      set_aside: 0,
    },
  ])
  expect(Date.parse(tasks![0]!.next_at!) - Date.parse(tasks![0]!.last!.at)).toBe(3_600_000)
  const metrics = await (await fetch(url.replace('/control', '/metrics'))).text()
  for (const [which, time] of [
    ['last', tasks![0]!.last!.at],
    ['next', tasks![0]!.next_at!],
  ] as const)
    expect(metrics).toContain(
      `botwright_task_${which}_run_timestamp_seconds{file="tasks/beat.ts"} ${Date.parse(time) / 1000}\n`,
    )
})

test('the state requires the token, and actions a permission for them', inAll, async () => {
  await using rig = await ChatRig.start()
  const { call, url } = await startControlled(rig)
  const status = async (path: string, init: RequestInit) => (await fetch(url + path, init)).status
  const authorization = `Bearer ${controlToken}`
  expect(await status('/state', {})).toBe(401)
  for (const wrong of ['Bearer ', `Bearer ${controlToken}x`, controlToken, `Basic ${controlToken}`])
    expect(await status('/state', { headers: { authorization: wrong } }), wrong).toBe(401)
  expect(await status(`/state?token=${controlToken}`, {})).toBe(401)
  expect(await status('/state', { headers: { authorization, origin: 'http://evil.example' } })).toBe(403)
  expect(await status('/state', { headers: { authorization, origin: new URL(url).origin } })).toBe(200)
  expect(await status('/state', { method: 'POST', headers: { authorization } })).toBe(405)
  expect(await status('/events/1/replay', { method: 'POST' })).toBe(401)
  expect(await status('/nothing', { headers: { authorization } })).toBe(404)
  const refused = await call('/events/1/replay', { method: 'POST' })
  expect([refused.status, await refused.json()]).toEqual([403, { error: expect.stringContaining('--control-actions') }])
  expect(rig.logged('warn').filter((line) => line.includes('wrong token'))).toHaveLength(1)
  expect(JSON.stringify(rig.lines)).not.toContain(controlToken)
})

test('rejects requests that name another host, even with the token', async () => {
  await using rig = await ChatRig.start()
  const { url } = await startControlled(rig)
  const status = (path: string) =>
    new Promise((resolve, reject) => {
      const headers = { host: 'evil.example', authorization: `Bearer ${controlToken}` }
      get(`${url}${path}`, { headers }, (response) => resolve(response.resume().statusCode)).on('error', reject)
    })
  for (const path of ['', '/control.js', '/state']) expect(await status(path), path).toBe(403)
})

test('the page needs no token and runs only its own script', async () => {
  await using rig = await ChatRig.start()
  const { url } = await startControlled(rig)
  for (const [path, type] of [
    ['', 'text/html'],
    ['/control.js', 'text/javascript'],
    ['/elements.js', 'text/javascript'],
    ['/sections.js', 'text/javascript'],
    ['/control.css', 'text/css'],
    ['/palette.css', 'text/css'],
  ]) {
    const response = await fetch(url + path)
    expect(response.headers.get('content-type')).toContain(type)
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'")
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.text()).not.toMatch(/https?:\/\/(?!www\.w3\.org)|<script>|\son\w+=|innerHTML =/)
  }
})

test('without a token there is no control room', async () => {
  await using rig = await ChatRig.start()
  await rig.startBot(files, { config: { health: { port: 0 } } })
  const url = rig.logged('info').flatMap((line) => /^health endpoint listening on (http:\S+)$/.exec(line)?.[1] ?? [])[0]
  expect((await fetch(`${url}/control`)).status).toBe(404)
  expect((await fetch(`${url}/control/state`)).status).toBe(404)
})

/** `events.lag_seconds`, `files[].file`: the names in the documentation. */
const fieldsOf = (value: unknown, path = ''): string[] => {
  if (Array.isArray(value)) return value.flatMap((one) => fieldsOf(one, `${path}[]`))
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([name, inner]) => fieldsOf(inner, path === '' ? name : `${path}.${name}`))
}

/** The rows of a page's tables whose first cell is code, by that code. */
const rowsOf = (page: string) => {
  const text = readFileSync(new URL(`../../../../docs/${page}.md`, import.meta.url), 'utf8')
  return new Map([...text.matchAll(/^\| `([^`]+)` +\|(.*)\|$/gm)].map(([, name, rest]) => [name!, rest!]))
}

test('docs/control-room.md has each problem with its fix, and docs/control-room-reference.md each field', async () => {
  const problems = rowsOf('control-room')
  for (const [code, fix] of Object.entries(fixes)) expect(problems.get(code), code).toContain(fix)
  const rows = rowsOf('control-room-reference')
  await using rig = await ChatRig.start()
  const { bot, state } = await startControlled(rig)
  for (const text of ['/ping a', '/boom']) await rig.says('ann', text)
  await rig.until(() => bot.stats().finished === 2)
  // The results of a file have the names of the metric's label.
  const fields = new Set(fieldsOf(await state()).map((field) => field.replace(/(results)\..*/, '$1')))
  expect([...fields].filter((field) => !rows.has(field))).toEqual([])
})
