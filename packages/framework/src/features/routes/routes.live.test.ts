import { expect, test } from 'vitest'
import type { Outcome } from '../../link/ports.ts'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { runAgain, setAsideRequests } from './set-aside-requests.ts'
import { post, signed, startBot } from './route-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/live' } as const

const github = {
  'routes/github.ts': `export default route({
    verify: hmac({ header: 'x-hub-signature-256', secret: 'GITHUB_SECRET' }),
    id: header('x-github-delivery'),
    body: z.object({ action: z.string(), release: z.object({ name: z.string() }) }),
    run: (ctx) => ctx.body.action === 'published' && ctx.send(ctx.env.CHANNEL, ctx.body.release.name + ' is out'),
  })`,
}
const release = (name: string, action = 'published') => ({ action, release: { name } })

test.each(['inline', 'worker'] as const)('a signed request is accepted and runs (%s)', async (dispatcher) => {
  await using rig = await ChatRig.start()
  const outcomes: Outcome[] = []
  await startBot(rig, github, { dispatcher, observer: { outcome: (one) => void outcomes.push(one) } })
  const body = release('v1')
  const response = await post(rig, '/github', body, signed(body))
  expect([response.status, await response.json()]).toEqual([202, { accepted: true }])
  await rig.until(async () => (await rig.texts()).includes('v1 is out'))
  await rig.until(() => outcomes.length > 0)
  expect(outcomes).toMatchObject([{ type: 'route', file: 'routes/github.ts', result: 'ok' }])
  expect(rig.logged('error')).toEqual([])
})

test('an accepted request whose bot stops before it runs, runs at the next start', async () => {
  await using rig = await ChatRig.start()
  const files = {
    'routes/slow.ts': `export default route({
      verify: false,
      run: async (ctx) => {
        if (!ctx.redelivered) await new Promise(() => {})
        await ctx.send(ctx.env.CHANNEL, 'done ' + ctx.body.n)
      },
    })`,
  }
  const bot = await startBot(rig, files, { dispatcher: 'inline' })
  expect((await post(rig, '/slow', { n: 1 })).status).toBe(202)
  await rig.until(() => bot.busy)
  await bot.stop({ graceMs: 0 })
  await startBot(rig, files, { dispatcher: 'inline' })
  await rig.until(async () => (await rig.texts()).includes('done 1'))
  expect(rig.logged('warn')).toEqual([
    expect.stringMatching(/^routes\/slow\.ts: its request of .* was interrupted and runs again$/),
  ])
})

test('a request survives the death of its thread', inAll, async () => {
  await using rig = await ChatRig.start()
  await startBot(rig, {
    'routes/crash.ts': `export default route({
      verify: false,
      run: async (ctx) => {
        if (!ctx.redelivered) process.exit(3)
        await ctx.send(ctx.env.CHANNEL, 'survived')
      },
    })`,
  })
  expect((await post(rig, '/crash', {})).status).toBe(202)
  await rig.until(async () => (await rig.texts()).includes('survived'))
})

test('a request with the id of an earlier one does not run again', async () => {
  await using rig = await ChatRig.start()
  await startBot(rig, github, { dispatcher: 'inline' })
  const send = (name: string, id: string) =>
    post(rig, '/github', release(name), { ...signed(release(name)), 'x-github-delivery': id })
  const statuses = await Promise.all([send('v1', 'a'), send('v1', 'a'), send('v1', 'a')])
  await rig.until(async () => (await rig.texts()).includes('v1 is out'))
  statuses.push(await send('v1', 'a'), await send('v2', 'b'))
  await rig.until(async () => (await rig.texts()).includes('v2 is out'))
  expect(statuses.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202])
  expect((await rig.texts()).filter((text) => text === 'v1 is out')).toHaveLength(1)
})

test('requests of one key run in order, and others meanwhile', async () => {
  await using rig = await ChatRig.start()
  const bot = await startBot(
    rig,
    {
      'routes/job.ts': `let free
      export default route({
        verify: false,
        key: ({ body }) => body.key,
        run: async (ctx) => {
          const { name } = ctx.body
          if (name === 'first') await new Promise((resolve) => (globalThis.freeFirst = resolve))
          await ctx.send(ctx.env.CHANNEL, name)
        },
      })`,
    },
    { dispatcher: 'inline' },
  )
  await post(rig, '/job', { key: 'a', name: 'first' })
  await rig.until(() => bot.busy)
  await post(rig, '/job', { key: 'a', name: 'second' })
  await post(rig, '/job', { key: 'a', name: 'third' })
  await post(rig, '/job', { key: 'b', name: 'other' })
  await rig.until(async () => (await rig.texts()).includes('other'))
  expect(await rig.texts()).toEqual(['other'])
  ;(globalThis as unknown as { freeFirst: () => void }).freeFirst()
  await rig.until(async () => (await rig.texts()).length === 4)
  expect(await rig.texts()).toEqual(['other', 'first', 'second', 'third'])
})

test('a request whose run fails is set aside, and those after it run', async () => {
  await using rig = await ChatRig.start()
  const files = {
    'routes/job.ts': `export default route({
      verify: false,
      run: (ctx) => {
        if (ctx.body.fails) throw new Error('no such repository')
        return ctx.send(ctx.env.CHANNEL, 'fine')
      },
    })`,
  }
  const bot = await startBot(rig, files, { dispatcher: 'inline' })
  await post(rig, '/job', { fails: true })
  await post(rig, '/job', { fails: false })
  await rig.until(async () => (await rig.texts()).includes('fine'))
  expect(rig.logged('error')).toEqual([
    expect.stringMatching(/routes\/job\.mjs:\d+: no such repository$/),
    expect.stringMatching(
      /^routes\/job\.ts: its request of .* is set aside: .*no such repository; framework requests lists it$/,
    ),
  ])
  expect(await bot.store.list('route:aside:')).toMatchObject([{ value: { route: 'POST /job' } }])
  await rig.until(async () => (await bot.store.list('route:row:')).length === 0)
})

test('a request that was set aside runs again on request', { tags: ['all/real-time'] }, async () => {
  await using rig = await ChatRig.start()
  const files = {
    'routes/job.ts': `export default route({
      verify: false,
      run: (ctx) => {
        if (!globalThis.isFixed) throw new Error('not fixed')
        return ctx.send(ctx.env.CHANNEL, 'fixed ' + ctx.redelivered)
      },
    })`,
  }
  const bot = await startBot(rig, files, { dispatcher: 'inline' })
  await post(rig, '/job', {})
  await rig.until(async () => (await setAsideRequests(bot.store)).length === 1)
  const [aside] = await setAsideRequests(bot.store)
  expect(aside).toMatchObject({
    route: 'POST /job',
    path: '/job',
    reason: expect.stringContaining('not fixed') as string,
  })
  Object.assign(globalThis, { isFixed: true })
  expect([await runAgain(bot.store, aside!.id), await runAgain(bot.store, aside!.id)]).toEqual([true, false])
  await rig.until(async () => (await rig.texts()).includes('fixed false'))
})

test('events/error.ts receives the failures of the checks of a route, with the reference of the response', async () => {
  await using rig = await ChatRig.start()
  const failing = (name: string, value: string) => `export default route({
    verify: false,
    ${name}: () => { throw Object.assign(new TypeError('${name} failed'), { code: 'ERR_OWN' }) },
    ${value}
  })`
  const files = {
    'routes/verify.ts': failing('verify', 'run: () => {},'),
    'routes/id.ts': failing('id', 'run: () => {},'),
    'routes/key.ts': failing('key', 'run: () => {},'),
    'routes/run.ts': failing('run', 'respond: true,'),
    'events/error.ts': `export default (ctx) => {
      const { kind, file, line, reference } = ctx.failure
      const { name, code, message } = ctx.error
      return ctx.send(ctx.env.CHANNEL, JSON.stringify([kind, file, line, name, code, message, reference]))
    }`,
  }
  await startBot(rig, files, { dispatcher: 'inline' })
  for (const [i, name] of ['verify', 'id', 'key', 'run'].entries()) {
    const response = await post(rig, `/${name}`, {})
    expect(response.status).toBe(500)
    const { error, reference } = (await response.json()) as { error: string; reference: string }
    expect([error, reference]).toEqual(['the route failed', expect.stringMatching(/^\w{4}$/)])
    await rig.until(async () => (await rig.texts()).length > i)
    expect(JSON.parse((await rig.texts())[i]!)).toEqual([
      ...['route', `routes/${name}.ts`, 5, 'TypeError', 'ERR_OWN', `${name} failed`, reference],
    ])
    const line = rig.lines.find(({ level, message }) => level === 'error' && message.endsWith(`: ${name} failed`))
    expect(line).toMatchObject({ facts: { reference }, message: expect.stringMatching(/routes\/\w+\.mjs:5: /) })
  }
})

test('a route schedules a task, and events/error.ts receives the failures of both', async () => {
  await using rig = await ChatRig.start()
  await startBot(
    rig,
    {
      'routes/twice.ts': `export default route({
        verify: false,
        run: async (ctx) => {
          await ctx.schedule('report', { in: 1 })
          throw new Error('no route')
        },
      })`,
      'tasks/report.ts': "export default () => { throw new Error('no report') }",
      'events/error.ts': `export default (ctx) => {
        const { kind, file, line, type, eventId } = ctx.failure
        return ctx.send(ctx.env.CHANNEL, JSON.stringify([kind, file, line, type, eventId, ctx.error.message]))
      }`,
    },
    { dispatcher: 'inline' },
  )
  const failures = async () => (await rig.texts()).filter((text) => text.startsWith('['))
  await post(rig, '/twice', {})
  await rig.until(async () => (await failures()).length === 2)
  expect((await failures()).sort()).toEqual([
    '["route","routes/twice.ts",7,null,null,"no route"]',
    '["task","tasks/report.ts",3,null,null,"no report"]',
  ])
})
