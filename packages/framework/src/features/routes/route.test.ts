import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { discover } from '../../author/files/manifest.ts'
import { bearer, hmac, mountPlugins, route } from '../../index.ts'
import { start } from '../../tests/loaded-bot.test.fixture.ts'
import { RouteTable } from './route-table.ts'

const names = (...files: string[]) => discover(files).entries.map(({ kind, name }) => `${kind} ${name}`)

test('the name of a file is the method and the path of its route', () => {
  expect(
    names('routes/github.ts', 'routes/status.get.ts', 'src/routes/[team]/deploy.put.ts', 'routes/(ops)/restart.ts'),
  ).toEqual(['route POST /restart', 'route POST /github', 'route GET /status', 'route PUT /[team]/deploy'])
  expect(names('routes/github.get.test.ts', 'routes/_lib.ts')).toEqual([])
})

test.each([
  [
    'routes/GitHub.ts',
    "routes/GitHub.ts: a route's name is 1 to 32 lowercase letters, digits, - or _; rename it to git-hub.ts",
  ],
  [
    'routes/A.get.ts',
    "routes/A.get.ts: a route's name is 1 to 32 lowercase letters, digits, - or _; rename it to a.get.ts",
  ],
  ['routes/middleware.ts', 'routes/middleware.ts: middleware does not run around routes; move it out of routes/'],
  ['route/github.ts', 'route/github.ts: route/ is not a folder of a bot; rename it to routes/'],
])('rejects %s with the fix', (file, message) => {
  expect(() => discover([file])).toThrow(expect.objectContaining({ message }))
})

test('two files of one path conflict, whatever the names of their params', () => {
  expect(() => discover(['routes/[a]/x.ts', 'routes/[b]/x.post.ts'])).toThrow(
    'routes/[a]/x.ts and routes/[b]/x.post.ts both define POST /[b]/x; rename one',
  )
  expect(names('routes/x.ts', 'routes/x.get.ts')).toHaveLength(2)
})

test('the routes of a plugin are below its name', () => {
  const plugin = { name: 'shop', package: 'shop', files: ['routes/order.get.ts'], data: [] }
  const { entries } = mountPlugins({ entries: [] }, [], [plugin])
  expect(entries).toMatchObject([{ kind: 'route', name: 'GET /shop/order' }])
})

test.each([
  ...['', 'verify: null, ', 'verify: true, ', "verify: '', "].map((verify) => [
    `route({ ${verify}run: () => {} })`,
    'has no verify: add hmac(…) or bearer(…), or verify: false if anyone may send requests',
  ]),
  [
    "route('/other', { verify: false, run: () => {} })",
    "defines route('/other', …): rename it, or write route('/x', …)",
  ],
  [
    'route({ verify: false, respond: true, retry: true, run: () => {} })',
    'retry has no effect with respond: true, which stores no request; remove it',
  ],
  ['route({ verify: false, respnd: true, run: () => {} })', 'unknown field "respnd"; did you mean respond?'],
  ['() => {}', 'has a default export of another kind: export default route({ verify: …, run: (ctx) => … })'],
])('rejects %s', async (code, fact) => {
  const files = { 'routes/x.ts': `import { route } from 'botwright'\nexport default ${code}` }
  await expect(start(files)).rejects.toThrow(fact)
})

test('a GET route needs a response', async () => {
  const files = {
    'routes/x.get.ts': "import { route } from 'botwright'\nexport default route({ verify: false, run: () => {} })",
  }
  await expect(start(files)).rejects.toThrow('routes/x.get.ts: is a GET route without a response: add respond: true')
})

test('a fixed part of a path comes before a param, and params are decoded', () => {
  const facts = { limit: 1, respond: false, retry: false }
  const of = (name: string) => ({ kind: 'route' as const, name, file: name, facts })
  const table = new RouteTable([of('POST /[team]/deploy'), of('POST /ops/deploy'), of('GET /[team]/deploy')])
  expect(table.find('POST', '/ops/deploy')).toMatchObject({ route: { name: 'POST /ops/deploy' }, params: {} })
  expect(table.find('GET', '/ops/deploy')).toMatchObject({ params: { team: 'ops' } })
  expect(table.find('POST', '/a%2Fb/deploy')).toMatchObject({ params: { team: 'a/b' } })
  expect(table.find('PUT', '/ops/deploy')).toEqual({ methods: ['GET', 'POST'] })
  for (const path of ['/', '/deploy', '//deploy', '/%ff/deploy', '/ops/deploy/', '/constructor/x'])
    expect(table.find('POST', path)).toBeUndefined()
})

test('ctx.body and ctx.params have the types of the declaration', () => {
  route({
    verify: hmac({ header: 'x-signature', secret: 'SECRET' }),
    body: z.object({ name: z.string() }),
    id: ({ body }) => body.name,
    run: (ctx) => {
      expectTypeOf(ctx.body).toEqualTypeOf<{ name: string }>()
      expectTypeOf(ctx.params).toEqualTypeOf<Readonly<Record<string, string>>>()
    },
  })
  route('/[team]/[job]', {
    verify: bearer('TOKEN'),
    run: (ctx) => {
      expectTypeOf(ctx.params).toEqualTypeOf<Readonly<Record<'team' | 'job', string>>>()
      expectTypeOf(ctx.body).toBeUnknown()
    },
  })
  route({ verify: false, body: 'bytes', run: (ctx) => expectTypeOf(ctx.body).toEqualTypeOf<Uint8Array>() })
  route({ verify: ({ body }) => body.length > 0, body: 'text', run: (ctx) => expectTypeOf(ctx.body).toBeString() })
  // @ts-expect-error Property 'verify' is missing
  route({ run: () => {} })
})
