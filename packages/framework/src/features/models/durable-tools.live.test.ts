import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

const framework = JSON.stringify(new URL('../../../dist/index.js', import.meta.url).href)

test('a command that a durable handler calls as a tool does not run again after a restart', async () => {
  await using rig = await ChatRig.start()
  const agent = (call: string) => `import { command, commandTools } from ${framework}
    export default command({ description: 'x', durable: true, run: async (ctx) => {
      const [roll] = commandTools(ctx, { only: ['roll'] })
      const { text } = await ${call}
      const both = await Promise.all([roll.call({}), roll.call('{}')])
      const answer = await ctx.ask('Again?', { timeout: '1h' })
      return [answer, text, ...both.map((one) => one.text)].join(' ')
    } })`
  const files = {
    'commands/plain.ts': agent('roll.call({})'),
    'commands/stepped.ts': agent("ctx.step('roll', () => roll.call({}))"),
    'commands/roll.ts': "export default () => 'roll ' + (globalThis.rolls = (globalThis.rolls ?? 0) + 1)",
  }
  const options = { stateDir: join(rig.root, 'state'), dispatcher: 'inline' } as const
  for (const [at, word] of ['plain', 'stepped'].entries()) {
    const rolls = [1, 2, 3].map((n) => `roll ${3 * at + n}`)
    const before = (await rig.texts()).length
    const bot = await rig.startBot(files, options)
    await rig.says('ann', `/${word}`)
    await rig.until(async () => (await rig.texts()).at(-1) === 'Again?')
    await bot.stop()
    const next = await rig.startBot(files, options)
    await rig.says('ann', 'no')
    await rig.until(async () => (await rig.texts()).at(-1)?.startsWith('no ') === true)
    expect((await rig.texts()).slice(before)).toEqual([
      ...[`/${word}`, ...rolls, 'Again?', 'no'],
      `no ${rolls.join(' ')}`,
    ])
    await next.stop()
  }
  expect(rig.logged('error')).toEqual([])
})

test.each(['plain', 'stepped'])('each call does its own work of ctx.once, also after a crash (%s)', async (word) => {
  await using rig = await ChatRig.start()
  const notes = JSON.stringify(join(rig.root, 'notes'))
  const agent = (call: string) => `import { command, commandTools } from ${framework}
    export default command({ description: 'x', durable: true, run: async (ctx) => {
      const [pay] = commandTools(ctx, { only: ['pay'] })
      for (const what of ['a', 'b']) await ${call}
      return 'all paid'
    } })`
  const files = {
    'commands/plain.ts': agent('pay.call({ what })'),
    'commands/stepped.ts': agent("ctx.step('pay ' + what, () => pay.call({ what }))"),
    'commands/pay.ts': `import { appendFileSync, readFileSync } from 'node:fs'
      import { command, text } from ${framework}
      const note = (line) => appendFileSync(${notes}, line + '\\n')
      export default command({ description: 'x', args: { what: text() }, run: async (ctx) => {
        const { what } = ctx.args
        if (what === 'b' && !readFileSync(${notes}, 'utf8').includes('crash')) {
          note('crash')
          process.exit(1)
        }
        await ctx.once('pay', () => note('paid ' + what))
        return 'paid ' + what
      } })`,
  }
  await rig.startBot(files, { dispatcher: 'worker' })
  await rig.says('ann', `/${word}`)
  await rig.until(async () => (await rig.texts()).includes('all paid'))
  expect(rig.read('notes')).toEqual(['paid a', 'crash', 'paid b'])
})
