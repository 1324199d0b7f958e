// @module-tag all/commands
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { startDev, startDevProcess, stop } from '../dev-process.test.fixture.ts'
import { startPerson } from '../test-person.fixture.ts'

const order = (rest: string, options = '') => `import { command } from '@botwright/framework'
export default command({
  description: 'Orders',
  durable: true, ${options}
  run: async (ctx) => { ${rest} },
})
`
const asking = "const size = await ctx.ask('Which size?', { timeout: '1h' });"

test('a save continues the durable handlers that wait, with the new code', async () => {
  await using draft = await BotDraft.make({ 'commands/order.ts': order(`${asking} return 'small ' + size`) })
  const dev = await startDev(draft)
  const { output } = dev
  const printed = (text: string) => expect.poll(output).toContain(text)
  const save = (code: string) => writeFile(join(draft.root, 'commands/order.ts'), code)
  try {
    await printed('/order')
    await expect.poll(output).toMatch(/Chat +http/)
    const ann = await startPerson(/http:\/\/127\.0\.0\.1:\d+/.exec(output())![0], 'ann')
    expect(await ann.answerTo('/order')).toBe('Which size?')
    await save(order(`${asking} return 'large ' + size`))
    await printed('↻ 1 waiting run continues\n')
    expect(await ann.answerTo('XL')).toBe('large XL')
    expect(await ann.answerTo('/order')).toBe('Which size?')
    await save(order(`await ctx.step('stock', () => 1); ${asking} return 'huge ' + size`))
    await expect
      .poll(output)
      .toMatch(
        /↻ 0 waiting runs continue, 1 did not match the new code \(commands\/order\.ts\); framework runs retry \d+ starts it again\n/,
      )
    const [, id] = /framework runs retry (\d+)/.exec(output())!
    expect(await draft.framework(['runs', 'retry', id!])).toMatchObject({ code: 0 })
    const runs = async () => (await draft.framework(['runs', 'list'])).stdout
    await expect.poll(runs).toMatch(new RegExp(`^${id} +waiting +`, 'm'))
    await save(order(`await ctx.step('shelf', () => 1); ${asking}`, 'version: 2,'))
    await printed('↻ 0 waiting runs continue, 1 did not match the new code (commands/order.ts)\n')
    await expect
      .poll(async () => (await ann.sees()).at(-1))
      .toBe('This bot was updated, so this conversation has ended. To start again: /order')
  } finally {
    await stop(dev)
  }
})

test(
  'the runs of a session that kept its data in memory end with it, and the next session deletes them',
  { tags: 'all/real-time' },
  async () => {
    await using draft = await BotDraft.make({ 'commands/order.ts': order(`${asking} return size`) })
    // The runs of a process that is alive have not ended.
    const session = async () => {
      const dev = startDevProcess(draft)
      const { output } = dev
      await expect.poll(output).toMatch(/Chat +http/)
      return { ann: await startPerson(/http:\/\/127\.0\.0\.1:\d+/.exec(output())![0], 'ann'), dev }
    }
    const list = async () => (await draft.framework(['runs', 'list'])).stdout
    const first = await session()
    let id: string
    try {
      expect(await first.ann.answerTo('/order')).toBe('Which size?')
      await expect.poll(list).toMatch(/^(\d+) +waiting +commands\/order\.ts .* an answer from ann in #general, /m)
      id = /^(\d+) +waiting/m.exec(await list())![1]!
    } finally {
      await stop(first.dev)
    }
    expect(await list()).toMatch(
      /^\d+ +ended +commands\/order\.ts .* its framework dev has exited, and its data was only in memory$/m,
    )
    expect((await draft.framework(['runs', 'list', '--status', 'waiting'])).stdout).toBe('no run is waiting\n')
    expect(await draft.framework(['runs', 'cancel', id])).toMatchObject({
      code: 1,
      stderr: `run ${id} cannot be cancelled: its framework dev has exited, and its data was only in memory\n`,
    })
    const second = await session()
    try {
      await expect.poll(list).toBe('no run is stored\n')
      expect(await second.ann.answerTo('/order')).toBe('Which size?')
      await expect.poll(list).toContain('waiting')
    } finally {
      await stop(second.dev)
    }
  },
)

test(
  'the verbs of people follow an answer to the run that has waited for it, also after a restart',
  { tags: 'all/real-time' },
  async () => {
    const code = order(`${asking}
    const color = await ctx.ask('Which color?', { timeout: '1h' })
    await ctx.sleep('3s')
    const { approved } = await ctx.approve({ in: '#general', by: guild, title: size + ' ' + color })
    return approved ? 'ordered' : 'declined'`).replace(
      'export default',
      "import { guard } from '@botwright/framework'\nconst guild = guard({ describe: 'anyone', check: () => true, refusal: 'no' })\nexport default",
    )
    await using draft = await BotDraft.make({ 'commands/order.ts': code })
    const world = ['--data', 'world.db']
    const start = async () => {
      const started = await startDev(draft, world)
      await expect.poll(started.output).toMatch(/Chat +http/)
      return started
    }
    const run = async (...args: string[]) => {
      const { code: exit, stdout, stderr } = await draft.framework(args)
      return { exit, output: stdout + stderr }
    }
    let running = await start()
    const restart = async () => {
      await stop(running)
      running = await start()
    }
    const file = String.raw`commands/order\.ts {2}event \d+`
    try {
      expect(await run('say', 'bob', '/order')).toEqual({
        exit: 0,
        output: expect.stringMatching(
          new RegExp(
            `${file}\n {2}reply “Which size\\?”\n… commands/order\\.ts:7 waits for an answer from bob in #general\n$`,
          ),
        ) as string,
      })
      await restart()
      expect(await run('say', 'bob', 'XL')).toEqual({
        exit: 0,
        output: expect.stringMatching(
          new RegExp(
            `${file}\n {2}reply “Which color\\?”\n… commands/order\\.ts:8 waits for an answer from bob in #general\n$`,
          ),
        ) as string,
      })
      await restart()
      expect((await run('say', 'bob', 'red')).output).toMatch(
        /… commands\/order\.ts:9 sleeps until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n$/,
      )
      await expect.poll(async () => (await run('explain', '--json')).output).toContain('[Approve] [Decline]')
      await restart()
      expect(await run('click', 'ann', 'Approve')).toEqual({
        exit: 0,
        output: expect.stringMatching(
          new RegExp(`${file} .*\n {2}update\n {4}XL red\n.*\n {2}reply “ordered”\n$`),
        ) as string,
      })
      const { output } = await run('explain', 'last')
      expect(output).toMatch(/^click Approve {2}ann.*\n/)
      expect(output).toMatch(/passed to run \d+ of commands\/order\.ts, which waited for it/)
      expect(output).toContain('reply “ordered”')
    } finally {
      await stop(running)
    }
  },
)
