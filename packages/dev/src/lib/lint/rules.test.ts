import { readFile } from 'node:fs/promises'
import { parse } from 'acorn'
import { expect, test } from 'vitest'
import plugin from '../../lint.ts'
import { ofCell, promised } from './unawaited-calls.ts'

/** The findings of a rule in a module, as `line: message`. */
function findings(rule: string, code: string, filename = '/bot/commands/go.js'): string[] {
  const found: string[] = []
  const program = parse(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true })
  const report = ({ node, message }: { node: { loc?: { start: { line: number } } | null }; message: string }) =>
    void found.push(`${node.loc!.start.line}: ${message}`)
  plugin.rules[rule]!.create({ filename, report }).Program(program)
  return found
}
const lines = (rule: string, code: string, filename?: string) =>
  findings(rule, code, filename).map((text) => Number(text.split(':')[0]))

test('calls of ctx without await are found wherever a statement ends with one', () => {
  const code = `export default async (ctx) => {
  ctx.reply('a')
  if (ctx.user) ctx.ack()
  ctx.redelivered || ctx.react('👍')
  ctx?.update?.('b')
  ctx.api.messages.send('c', {})
  ctx.state.user.set('d', 1)
  list.forEach(() => { ctx.send('e', 'f') })
  ctx.user ? ctx.reply('g') : await ctx.reply('h')
}`
  expect(lines('await-context', code)).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
  expect(findings('await-context', code)[0]).toBe(
    '2: nothing waits for ctx.reply(): write await before it, or void if the handler may end first',
  )
})

test('calls of ctx that are awaited, returned, passed on or have no promise are not found', () => {
  const code = `export default async (ctx) => {
  await ctx.reply('a')
  void ctx.react('b')
  ctx.log.info('c')
  ctx.send('d', 'e').catch(() => {})
  ctx.api.messages.send('f', {}).then(() => {})
  const later = ctx.ack()
  await Promise.all([later, ctx.dm('g', 'h')])
  other.reply('i')
  ctx.isClick()
  return ctx.reply('j')
}
export const short = (ctx) => ctx.reply('k')`
  expect(lines('await-context', code)).toEqual([])
})

test('calls of states and tasks that get ctx are found without await', () => {
  const code = `export default async (ctx) => {
  hugs.of(ctx).update((n) => n + 1)
  hugs.of(ctx, { user_id: 'u' }).set(1)
  if (ctx.user) stored.tickets.at(ctx, 'k').delete()
  hugs?.of(ctx)?.get()
  hugs.of(ctx).updateWith((n) => ({ result: n }))
  nag.schedule(ctx, { in: '1h' }, 'a')
}`
  expect(lines('await-context', code)).toEqual([2, 3, 4, 5, 6, 7])
  expect(findings('await-context', code).map((text) => /for (.*): /.exec(text)![1])).toEqual([
    'hugs.of(ctx).update()',
    'hugs.of(ctx).set()',
    'stored.tickets.at(ctx).delete()',
    'hugs.of(ctx).get()',
    'hugs.of(ctx).updateWith()',
    'nag.schedule()',
  ])
})

test('calls of states and tasks that are awaited, and other functions that get ctx, are not found', () => {
  const code = `export default async (ctx) => {
  await hugs.of(ctx).update((n) => n + 1)
  void hugs.of(ctx).set(1)
  hugs.of(ctx).get().catch(() => {})
  await nag.schedule(ctx, { in: '1h' })
  const cell = hugs.of(ctx)
  note(ctx)
  helper.note(ctx, 1)
  known.of(ctx)
  known.of(ctx).note()
  known.of(list).set(1)
  cache.get(ctx)
  cache.set(ctx, 1)
  seen.delete(ctx)
  schedule(ctx, 1)
  planner.schedule(job)
  for (const one of known.of(ctx)) one.set(1)
}`
  expect(lines('await-context', code)).toEqual([])
})

test('the rule knows every method of a stored value that returns a promise', async () => {
  const source = await readFile(new URL('../../../../framework/src/author/state/cell.ts', import.meta.url), 'utf8')
  const methods = [...source.matchAll(/^ {2}(?:async )?(?<name>\w+)(?:<[^(]*>)?\(.*\): Promise</gm)]
  expect(new Set(methods.map(({ groups }) => groups!['name']!))).toEqual(ofCell)
})

test('the rule knows every method of a context that returns a promise', async () => {
  const source = await Promise.all(
    ['context.ts', 'durable.ts'].map((file) =>
      readFile(new URL(`../../../../framework/src/author/${file}`, import.meta.url), 'utf8'),
    ),
  )
  const methods = [
    ...source.join('\n').matchAll(/^ {2}(?<name>\w+)(?:<[^(]*>)?\((?:[^)]|\n {4})*?\)*[^\n]*\): Promise</gm),
  ]
  const names = new Set(methods.map(({ groups }) => groups!['name']!))
  expect([...names].filter((name) => !promised.has(name))).toEqual([])
  expect(names.size).toBeGreaterThan(15)
})

test('only files that declare durable handlers are searched for clocks', () => {
  const body = "run: () => { fetch('https://example.com'); return String(Date.now()) }"
  expect(findings('durable-code', `export default command({ durable: true,\n ${body} })`)).toEqual([
    '2: fetch() differs, or acts again, when the durable handler runs again; put it into ctx.step',
    '2: Date.now() differs, or acts again, when the durable handler runs again; use ctx.now()',
  ])
  expect(lines('durable-code', 'export const durable = true\nexport default () => Math.random()')).toEqual([2])
  // A button that refers to itself has a name.
  expect(lines('durable-code', `const again = button({ durable: true, ${body} })\nexport default again`)).toEqual([
    1, 1,
  ])
  expect(
    lines('durable-code', `const again = button({ durable: true, ${body} })\nexport { again as default }`),
  ).toEqual([1, 1])
  expect(lines('durable-code', `export default command({ durable: false, ${body} })`)).toEqual([])
  expect(lines('durable-code', `export default command({ ${body} })`)).toEqual([])
})

test('connections and timers are found where the file opens them', () => {
  const code = `import pg from 'pg'
const pool = new pg.Pool()
export const client = createClient({ url })
await client.connect()
server.listen(0)
export default () => { server.listen(0); return new Pool() }`
  expect(lines('no-module-resources', code)).toEqual([2, 3, 4, 5])
  expect(lines('no-module-resources', code, 'C:\\bot\\resources\\db.ts')).toEqual([])
  expect(lines('no-module-resources', code, '/bot/resources/db.ts')).toEqual([])
  expect(lines('no-module-resources', code, '/bot/events/ready.ts')).toEqual([2, 3, 4, 5, 6, 6])
})

test('fields of instances open nothing while the file loads; those of a class do', () => {
  const code = `class Db {
  pool = new Pool()
  static shared = new Pool()
  static { createServer() }
}`
  expect(lines('no-module-resources', code)).toEqual([3, 4])
})
