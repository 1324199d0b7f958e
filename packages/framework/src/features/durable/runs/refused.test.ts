import { expect, test } from 'vitest'
import { message, start } from '../../../tests/loaded-bot.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/large' } as const

// Uses of durable handlers that cannot work, with an error that names the file, the fact and the fix.

const framework = JSON.stringify(new URL('../../../../dist/index.js', import.meta.url).href)
const durable = (run: string) =>
  `import { command } from ${framework}
  export default command({ description: 'x', durable: true, run: async (ctx) => { ${run} } })`

test('events/ready.ts cannot be durable', async () => {
  const ready = `import { event } from ${framework}
    export default event('ready', { durable: true, run: () => {} })`
  await expect(start({ 'events/ready.ts': ready })).rejects.toMatchObject({
    code: 'ERR_DEFINITION',
    message: expect.stringMatching(/^events\/ready\.ts: durable has no effect on "ready"/) as string,
  })
})

test('a durable handler cannot stream', async () => {
  const { bot, logged } = await start({ 'commands/go.ts': durable('await ctx.stream([])') })
  await bot.handle(message({ command: 'go' }))
  expect(logged[0]).toContain('ctx.stream does not work in a durable handler: read the whole text in ctx.step')
})

test('a run whose results are too large ends with ERR_RUN_TOO_LONG', async () => {
  const { bot, logged } = await start({
    'commands/go.ts': durable("for (let i = 0; i < 300; i++) await ctx.step('s', () => 'x'.repeat(1024))"),
  })
  await bot.handle(message({ command: 'go' }))
  expect(logged[0]).toContain('a run has at most 1000 steps and 256 KiB of recorded results')
})

test.each([
  ["for (let i = 0; i < 1001; i++) await ctx.step('s' + i, () => i)", 'steps'],
  ["for (let i = 0; i < 300; i++) await ctx.step('s', () => 'x'.repeat(1024))", 'bytes'],
  ["for (let i = 0; i < 1000; i++) await ctx.step('s' + i, () => i); return 'done'", 'the answer of the handler'],
  ["await Promise.all(Array.from({ length: 1500 }, (_, i) => ctx.step('s' + i, () => i)))", 'parallel steps'],
])('a run that ends at the limits notifies its user (%#)', slow, async (run) => {
  const { bot, calls } = await start({ 'commands/go.ts': durable(run) })
  await bot.handle(message({ command: 'go' }))
  expect(calls.map(([, { content }]) => content)).toEqual([expect.stringMatching(/^Something went wrong \(ref /)])
})
