// @module-tag all/redis
// Durable handlers on many instances: `framework start --cluster` in processes of their own, a real service, a real Redis.

import { join } from 'node:path'
import { History, historyNames, timelineOf } from '@botwright/framework/replay'
import { expect } from 'vitest'
import { BotRig, framework, type InstanceProcess } from './bot-rig.test.fixture.ts'
import { describeWithRedis, testWithRedis as test } from './redis-rig.test.fixture.ts'

const signup = (note: string) => `${note}import { command } from '${framework}'
  export default command({
    description: 'Signs up',
    durable: true,
    run: async (ctx) => {
      const name = await ctx.ask('Name?', { timeout: '1h' })
      const step = await ctx.step('note', () => (note('step of ' + process.pid), name + '!'))
      const drink = await ctx.choose('Drink?', ['tea', 'coffee'], { timeout: '1h' })
      await ctx.react('👍')
      await ctx.sleep('1s')
      const count = await ctx.state.user.update('signups', (n) => (n ?? 0) + 1)
      return step + ' gets ' + drink + ', ' + count
    },
  })`
const whole = ['/signup', 'Name?', 'Ann', 'Drink?\n**tea**', 'Ann! gets tea, 1']

async function start(): Promise<BotRig> {
  const rig = await BotRig.start()
  const files = {
    'commands/signup.ts': signup(rig.note),
    'events/message.ts': "export default (ctx) => 'heard ' + ctx.content",
  }
  rig.build('bot', files, 'export default { messageBudget: false }')
  return rig
}

const last = (rig: BotRig, text: string) => rig.until(async () => (await rig.texts()).at(-1) === text)
const kill = async ({ child, ended }: InstanceProcess) => {
  child.kill('SIGKILL')
  await ended
}
const choose = async (rig: BotRig) => {
  const [question] = await rig.buttons(1)
  await rig.clicks(question!)
}

describeWithRedis('durable handlers on many instances', () => {
  test('another instance continues a run each time its owner is killed', async () => {
    await using rig = await start()
    await rig.instance('bot')
    await rig.instance('bot')
    await rig.says('/signup')
    await last(rig, 'Name?')
    await kill(await rig.owner())
    await rig.instance('bot')
    await rig.says('Ann')
    await last(rig, 'Drink?')
    await rig.until(() => rig.notes().length === 1)
    await kill(await rig.owner())
    await rig.instance('bot')
    await choose(rig)
    await rig.until(async () => (await rig.texts()).at(-1) === 'Drink?\n**tea**')
    await kill(await rig.owner())
    await last(rig, whole.at(-1)!)
    expect(await rig.texts()).toEqual(whole)
    expect(rig.notes()).toHaveLength(1)
    await rig.says('bye')
    await last(rig, 'heard bye')
  })

  test('each recording names the run to which an answer was passed, whichever instance continues it', async () => {
    await using rig = await BotRig.start()
    const files = { 'commands/signup.ts': signup(rig.note), 'events/message.ts': 'export default () => {}' }
    rig.build('bot', files, 'export default { messageBudget: false, record: true }')
    const states = ['a', 'b', 'c']
    const instance = (state: string) => rig.instance('bot', {}, ['--state', state])
    await instance('a')
    await instance('b')
    await rig.says('/signup')
    await last(rig, 'Name?')
    await kill(await rig.owner())
    await instance('c')
    await rig.says('Ann')
    await last(rig, 'Drink?')
    await choose(rig)
    await last(rig, whole.at(-1)!)
    const timelines = () =>
      states.flatMap((state) => {
        using history = new History(join(rig.root, state, historyNames.start))
        return history.events().map(timelineOf)
      })
    const isAnswer = ({ event }: ReturnType<typeof timelineOf>) =>
      event.data?.['content'] === 'Ann' || event.type === 'interaction'
    await rig.until(() =>
      Promise.resolve(
        timelines()
          .filter(isAnswer)
          .every(({ result }) => result === 'passed'),
      ),
    )
    const answers = timelines().filter(isAnswer)
    expect(answers.length).toBeGreaterThanOrEqual(2)
    for (const { file, steps } of answers) {
      expect(file).toBe('commands/signup.ts')
      expect(steps).toContainEqual(
        expect.objectContaining({
          reason: 'for_waiting_handler',
          to: expect.objectContaining({ file: 'commands/signup.ts', run: expect.any(String) as string }) as object,
        }),
      )
    }
    const continued = () =>
      timelines().find(({ result, steps }) => result === 'ok' && steps.some(({ kind }) => kind === 'continued'))
    await rig.until(() => Promise.resolve(continued() !== undefined))
    const run = continued()!
    expect(run).toMatchObject({ result: 'ok', event: { title: '/signup' }, file: 'commands/signup.ts' })
    expect(run.steps.map(({ text }) => text)).toEqual(expect.arrayContaining(['reply “Ann! gets tea, 1”', 'finished']))
  })

  test('a run continues while all instances are restarted one after another', async () => {
    await using rig = await start()
    let old = [await rig.instance('bot'), await rig.instance('bot')]
    const restart = async () => {
      const former = old
      old = []
      for (const instance of former) {
        instance.child.kill('SIGTERM')
        expect(await instance.ended).toBe(0)
        old.push(await rig.instance('bot'))
      }
    }
    await rig.says('/signup')
    await last(rig, 'Name?')
    await restart()
    await rig.says('Ann')
    await last(rig, 'Drink?')
    await restart()
    await choose(rig)
    await last(rig, whole.at(-1)!)
    expect(await rig.texts()).toEqual(whole)
    expect(rig.notes()).toHaveLength(1)
  })

  test('a frozen owner stops working on a run that another instance has taken over', async () => {
    await using rig = await start()
    await rig.instance('bot')
    await rig.instance('bot')
    await rig.says('/signup')
    await last(rig, 'Name?')
    const frozen = await rig.owner()
    frozen.child.kill('SIGSTOP')
    await rig.says('Ann')
    await last(rig, 'Drink?')
    frozen.child.kill('SIGCONT')
    await rig.until(() => frozen.output().includes('was disconnected for too long'))
    await choose(rig)
    await last(rig, whole.at(-1)!)
    expect(await rig.texts()).toEqual(whole)
    expect(rig.notes()).toHaveLength(1)
    expect(rig.notes()).not.toContain(`step of ${frozen.child.pid}`)
  })

  test('framework runs works on a cluster, whichever instance continues the run', async () => {
    await using rig = await start()
    await rig.instance('bot')
    await rig.instance('bot')
    await rig.says('/signup')
    await last(rig, 'Name?')
    await rig.owner()
    const runs = async (...args: string[]) => {
      const child = rig.run(['runs', ...args, '--json'], { BOT_CLUSTER_URL: rig.redis.url })
      expect(await child.ended, child.output()).toBe(0)
      return JSON.parse(child.output()) as { runs: { id: string; instance: string }[] }
    }
    // It is recorded after the question was posted.
    let waiting: { id: string; instance: string }[] = []
    await rig.until(async () => ({ runs: waiting } = await runs('list', '--status', 'waiting')).runs.length > 0)
    expect(waiting).toMatchObject([{ file: 'commands/signup.ts', waits_for: 'answer' }])
    const { id, instance } = waiting[0]!
    expect(rig.instances.filter(({ child }) => instance.includes(`-${child.pid}-`))).toHaveLength(1)
    expect(await runs('show', id)).toMatchObject({ id, log: [{ kind: 'call' }, { kind: 'answer', ended_at: null }] })
    expect(await runs('cancel', id)).toMatchObject({ id, done: true, status: 'cancelled' })
    await last(rig, 'This conversation was cancelled. To start again: /signup')
    expect(await runs('list')).toMatchObject({ runs: [{ id, status: 'cancelled' }], more: 0 })
  })
})
