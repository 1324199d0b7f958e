import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AdvanceableClock, sleep, systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import type { Config } from '../../author/config/config.ts'
import type { StateStore } from '../../author/ports.ts'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { runProgram } from '../../cli/cli-program.ts'
import { captureIo } from '../../program/program-io.ts'
import { ChatRig, token } from '../../tests/chat-rig.test.fixture.ts'
import { History } from '../history/history.ts'
import { timelineOf } from '../history/timeline.ts'
import { switchOff, switchOn } from './change.ts'
import { StoredSwitches } from './stored-switches.ts'

// `framework off` and `framework on` next to a bot that runs or is stopped.

const framework = new URL('../../../dist/index.js', import.meta.url).href
const files = {
  'commands/roll.ts': "export default () => 'rolled'",
  'commands/team/add.ts': "export default () => 'added'",
  'commands/team/list.ts': "export default () => 'listed'",
  'commands/vote.ts': `export default () => ({ content: 'Vote!', components: [{ type: 'row', components: [
    { type: 'button', style: 'primary', label: 'Yes', custom_id: 'vote' }] }] })`,
  'commands/order.ts': `import { command } from '${framework}'
    export default command({ description: 'Orders', durable: true, run: async (ctx) => 'ordered ' + await ctx.ask('What?') })`,
  'buttons/vote.ts': "export default (ctx) => ctx.update('voted')",
  'events/message.ts': "export default (ctx) => ctx.content === 'hello' ? ctx.send(ctx.channel_id, 'hi') : undefined",
}

class Switches {
  readonly rig: ChatRig
  readonly stateDir: string
  readonly files: Record<string, string>

  constructor(rig: ChatRig, given: Record<string, string> = files) {
    this.rig = rig
    this.files = given
    this.stateDir = join(rig.root, 'state')
    for (const [file, text] of Object.entries(given)) {
      mkdirSync(dirname(join(rig.root, file)), { recursive: true })
      writeFileSync(join(rig.root, file), text)
    }
  }

  start = (dispatcher: 'inline' | 'worker' = 'inline') =>
    this.rig.startBot(this.files, { stateDir: this.stateDir, dispatcher, config: { record: true } })

  call = async (...args: string[]) => {
    const env = { ...process.env, NO_COLOR: '1', BOT_TOKEN: token, BOT_BASE_URL: this.rig.service.base_url }
    const io = captureIo({ cwd: this.rig.root, env })
    const code = await runProgram([...args, '--state', this.stateDir], io)
    return { code, stdout: io.stdout.text, stderr: io.stderr.text }
  }

  done = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await this.call(...args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout.trimEnd()
  }

  refused = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await this.call(...args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    return stderr.trimEnd()
  }

  /** The newest text in a channel after a message. */
  says = async (text: string, channel = 'general'): Promise<string> => {
    const before = (await this.rig.texts(channel)).length
    await this.rig.says('ann', text, channel)
    await this.rig.until(async () => (await this.rig.texts(channel)).length === before + 2)
    return (await this.rig.texts(channel)).at(-1)!
  }

  /** How the recording explains the newest event. */
  explained() {
    using history = new History(join(this.stateDir, 'history.db'))
    const [event] = history.events({ limit: 1 })
    return { result: event!.result, steps: timelineOf(event!).steps.map(({ text }) => text) }
  }
}

test('a command is off until it is switched on, also after a restart', async () => {
  await using rig = await ChatRig.start()
  const it = new Switches(rig)
  const bot = await it.start()
  expect(await it.says('/roll')).toBe('rolled')
  expect(await it.done('off')).toBe('nothing is switched off')
  expect(await it.done('off', '/roll', '--reason', 'the dice are being repaired')).toBe(
    '/roll is off: the dice are being repaired',
  )
  expect(await it.says('/roll')).toBe('This command is switched off for now: the dice are being repaired')
  await expect
    .poll(() => it.explained())
    .toEqual({
      result: 'refused',
      steps: expect.arrayContaining([expect.stringContaining('switched off: the dice are being repaired')]) as unknown,
    })
  expect(rig.logged('info')).toContain('/roll is switched off: the dice are being repaired')
  expect(await it.says('/team add')).toBe('added')

  await bot.stop()
  expect(await it.done('off')).toMatch(
    /^Name +Server +Since +Reason\n\/roll +everywhere +\d+ s ago +the dice are being repaired$/,
  )
  expect(await it.done('off', '/team')).toBe('/team is off')
  const logged = rig.lines.length
  await it.start()
  await rig.until(() => rig.lines.slice(logged).some(({ message }) => message === '/team is switched off'))
  expect(await it.says('/roll')).toBe('This command is switched off for now: the dice are being repaired')
  expect(await it.says('/team add')).toBe('This command is switched off for now.')
  expect(await it.done('on', '/roll')).toBe('/roll is on')
  expect(await it.says('/roll')).toBe('rolled')
  expect(rig.logged('info')).toContain('/roll is switched on')
})

test('a click on a button that is off is answered privately; an event file that is off does nothing', async () => {
  await using rig = await ChatRig.start()
  const it = new Switches(rig)
  await it.start()
  expect(await it.says('/vote')).toBe('Vote!')
  await it.done('off', 'buttons/vote.ts', '--reason', 'the poll is over')
  await it.done('off', 'events/message')
  await rig.clicks()
  await rig.until(async () => (await rig.callbacks()).length === 1)
  expect(await rig.callbacks()).toEqual(['ephemeral'])
  const [answer] = await rig.calls('POST', /\/callback$/)
  expect(JSON.stringify(answer!.body)).toContain('This button is switched off for now: the poll is over')
  await rig.says('ann', 'hello')
  expect(await it.says('/roll')).toBe('rolled')
  expect(await rig.texts()).not.toContain('hi')

  expect(await it.refused('off', 'vote')).toBe('"vote" is not unique: use buttons/vote or /vote')
  expect(await it.done('on', 'vote')).toBe('buttons/vote is on')
  await it.done('on', 'message')
  expect(await it.says('hello')).toBe('hi')
  await rig.clicks()
  await rig.until(async () => (await rig.texts()).includes('voted'))
})

test('a run that waits for an answer goes on', { tags: ['all/real-time'] }, async () => {
  await using rig = await ChatRig.start()
  const it = new Switches(rig)
  const bot = await it.start()
  expect(await it.says('/order')).toBe('What?')
  await rig.until(async () => (await it.done('runs', 'list')).includes('waiting'))
  await it.done('off', '/order')
  expect(await it.says('tea')).toBe('ordered tea')
  expect(await it.says('/order')).toBe('This command is switched off for now.')

  // Also after a restart.
  await it.done('on', '/order')
  expect(await it.says('/order')).toBe('What?')
  await rig.until(async () => (await it.done('runs', 'list')).includes('waiting'))
  await it.done('off', '/order')
  await bot.stop()
  await it.start()
  expect(await it.says('soup')).toBe('ordered soup')
})

test('off in one server', async () => {
  await using rig = await ChatRig.start()
  const it = new Switches(rig)
  await it.start()
  expect(await it.refused('off', '/roll', '--server', 'Workshp')).toBe(
    'the bot is not in a server "Workshp"; did you mean Workshop?',
  )
  expect(await it.done('off', '/roll', '--server', 'Workshop')).toBe('/roll is off in Workshop')
  expect(await it.says('/roll')).toBe('This command is switched off for now.')
  expect(await it.done('off')).toMatch(/^\/roll +Workshop /m)
  const { id } = rig.service.world.servers['Workshop']!
  const there = { server: { id, name: 'Workshop' }, sinceMs: 0 }
  expect(JSON.parse(await it.done('off', '--json'))).toEqual({
    off: [
      {
        ...{ name: '/roll', server_id: id, server: 'Workshop', reason: null },
        since: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        bot_id: expect.any(String) as string,
      },
    ],
  })
  expect(await it.refused('on', '/vote', '--server', id)).toBe('/vote is not off in Workshop')
  await expect(switchOff(new MemoryStore(systemClock), { ...there, name: 'POST /events/github' })).rejects.toThrow(
    'POST /events/github belongs to no server',
  )
  await expect(switchOff(new MemoryStore(systemClock), { ...there, name: 'tasks/events/x' })).rejects.toThrow(
    'tasks/events/x belongs to no server',
  )
  expect(await it.done('on', '/roll', '--server', id)).toBe('/roll is on in Workshop')
  expect(await it.says('/roll')).toBe('rolled')
})

test('names what is not possible', async () => {
  await using rig = await ChatRig.start()
  const it = new Switches(rig)
  expect(await it.call('off', '/roll')).toEqual({
    code: 78,
    stdout: '',
    stderr: expect.stringContaining('no bot has run with this folder yet; start the bot once') as unknown,
  })
  const bot = await it.start()
  const none = 'the bot has no command, button, event file, task or route'
  expect(await it.refused('off', '/rol')).toBe(`${none} "/rol"; did you mean /roll?`)
  expect(await it.refused('off', 'button/vote')).toBe(`${none} "button/vote"; did you mean buttons/vote?`)
  expect(await it.refused('on', '/roll')).toBe('/roll is not off')
  expect(JSON.parse(await it.done('off', 'roll', '--reason', ' being\nrepaired ', '--json'))).toMatchObject({
    state: 'off',
    changed: [{ name: '/roll', reason: 'being repaired', server: null }],
  })
  expect(await it.refused('off', '/roll')).toMatch(/^\/roll is already off since \S+Z \(being repaired\)$/)
  // Another reason changes only that.
  expect(await it.done('off', '/roll', '--reason', 'back at noon')).toBe('/roll is off: back at noon')
  expect(await it.says('/roll')).toBe('This command is switched off for now: back at noon')
  await it.done('off', '/team')
  expect(await it.refused('off', '/team add')).toMatch(/^\/team is already off since \S+Z, which includes \/team add$/)
  expect(await it.refused('on', '/team add')).toBe('/team add is off because of /team: switch that on')
  expect(await it.refused('off', '/vote', '--reason', 'x'.repeat(501))).toBe(
    'the reason has 501 characters: use at most 500',
  )
  // Files that are gone can still be switched on.
  await bot.stop()
  const gone = new Switches(rig, { 'commands/ping.ts': "export default () => 'pong'" })
  for (const name of ['roll.ts', 'team', 'order.ts', 'vote.ts'])
    rmSync(join(rig.root, 'commands', name), { recursive: true })
  expect(await gone.refused('off', '/roll')).toContain(none)
  expect(await gone.done('on', '/roll')).toBe('/roll is on')
})

test('in the store that bot.config.ts sets', async () => {
  await using rig = await ChatRig.start()
  const it = new Switches(rig)
  const [values, dist] = [join(rig.root, 'values.json'), join(rig.root, 'dist')]
  mkdirSync(dist)
  const manifest = { version: 1, entries: [], definitions: [], modules: {}, config: 'bot.config.js' }
  writeFileSync(join(dist, 'botwright.json'), JSON.stringify(manifest))
  writeFileSync(
    join(dist, 'bot.config.js'),
    `import { readFileSync, writeFileSync, existsSync } from 'node:fs'
    import { keyValueStore } from '${framework}'
    const file = ${JSON.stringify(values)}
    const read = () => existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
    const setItem = async (key, value) => writeFileSync(file, JSON.stringify({ ...read(), [key]: value }))
    const storage = {
      getItem: async (key) => read()[key] ?? null, setItem,
      removeItem: (key) => setItem(key, undefined), getKeys: async () => Object.keys(read()),
    }
    export default { store: ({ clock }) => keyValueStore(storage, clock) }`,
  )
  const url = pathToFileURL(join(dist, 'bot.config.js')).href
  const { default: config } = (await import(url)) as { default: Pick<Config, 'store'> }
  await rig.startBot(files, { stateDir: it.stateDir, dispatcher: 'inline', config })
  expect(await it.says('/roll')).toBe('rolled')
  expect(await it.done('off')).toBe('nothing is switched off')
  expect(await it.done('off', '/roll', '--reason', 'back at noon')).toBe('/roll is off: back at noon')
  expect(await it.says('/roll')).toBe('This command is switched off for now: back at noon')
  expect(await it.done('off')).toContain('back at noon')
  expect(await it.done('on', '/roll')).toBe('/roll is on')
  expect(await it.says('/roll')).toBe('rolled')
})

test('in workers, and after a reload', { tags: ['all/real-time'] }, async () => {
  await using rig = await ChatRig.start()
  const it = new Switches(rig)
  const bot = await it.start('worker')
  expect(await it.says('/roll')).toBe('rolled')
  await it.done('off', '/roll')
  expect(await it.says('/roll')).toBe('This command is switched off for now.')
  await bot.replace(rig.source({ ...files, 'commands/roll.ts': "export default () => 'rolled again'" }))
  expect(await it.says('/roll')).toBe('This command is switched off for now.')
  await it.done('on', '/roll')
  expect(await it.says('/roll')).toBe('rolled again')
})

test('a store in memory: at once, and in the language of the bot', async () => {
  await using rig = await ChatRig.start()
  const { store } = await rig.startBot(files, {
    ...{ stateDir: ':memory:', dispatcher: 'inline', config: { language: 'de' } },
  })
  const it = new Switches(rig)
  await switchOff(store, { name: '/roll', reason: 'Wartung', sinceMs: 0 })
  expect(await it.says('/roll')).toBe('Dieser Befehl ist zurzeit abgeschaltet: Wartung')
  await switchOn(store, '/roll')
  expect(await it.says('/roll')).toBe('rolled')
})

test('a store that fails keeps what was off, and is reported once', async () => {
  const clock = new AdvanceableClock(systemClock)
  const lines: string[] = []
  const note = (_facts: object, text: string) => void lines.push(text)
  const log = { debug: note, info: note, warn: note, error: note }
  const store = new MemoryStore(clock)
  let fails = false
  const get: StateStore['get'] = (key) => (fails ? Promise.reject(new Error('it is gone')) : store.get(key))
  const shared: StateStore = {
    get,
    set: store.set.bind(store),
    delete: store.delete.bind(store),
    list: store.list.bind(store),
  }
  const switches = new StoredSwitches({ store: shared, clock, log, isShared: true })
  await switches.refreshed!()
  expect(switches.off).toBeUndefined()
  await switchOff(store, { name: 'tasks/digest', sinceMs: 0 })
  expect(switches.refreshed, 'it is fresh').toBeUndefined()
  clock.advance(1000)
  expect(await switches.isOff('tasks/digest')).toBe(true)
  fails = true
  for (let i = 0; i < 3; i++) {
    clock.advance(1000)
    expect(await switches.isOff('tasks/digest')).toBe(true)
  }
  fails = false
  await switchOn(store, 'tasks/digest')
  clock.advance(1000)
  expect(await switches.isOff('tasks/digest')).toBe(false)
  expect(lines).toEqual([
    'tasks/digest is switched off',
    'the switches cannot be read (it is gone); trying again',
    'tasks/digest is switched on',
  ])
})

test('the runs of a task that is off wait until it is on', async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const bot = await rig.startBot(
    {
      'tasks/digest.ts': `import { task } from '${framework}'
        export default task({ every: '1h', missed: 'once', run: (ctx) => ctx.send('${rig.channel('general')}', 'digest') })`,
      'tasks/reminder.ts': `import { task } from '${framework}'
        export default task({ run: (ctx) => ctx.send('${rig.channel('random')}', 'reminder ' + ctx.payload) })`,
      'commands/remind.ts': `export default (ctx) => ctx.schedule('reminder', { in: 60_000 }, 'tea').then(() => 'scheduled')`,
    },
    { dispatcher: 'inline', clock, stateDir: ':memory:' },
  )
  for (const name of ['tasks/digest', 'tasks/reminder']) await switchOff(bot.store, { name, sinceMs: 0 })
  await rig.says('ann', '/remind')
  await rig.until(async () => (await rig.texts()).includes('scheduled'))
  for (let hours = 0; hours < 3; hours++) {
    clock.advance(3_600_000)
    await sleep(systemClock, 50)
  }
  expect(await rig.texts()).toEqual(['/remind', 'scheduled'])
  expect(await rig.texts('random')).toEqual([])
  for (const name of ['tasks/digest', 'tasks/reminder']) await switchOn(bot.store, name)
  clock.advance(1000)
  await rig.until(async () => (await rig.texts()).includes('digest'))
  await rig.until(async () => (await rig.texts('random')).includes('reminder tea'))
  await rig.says('ann', '/remind')
  await rig.until(async () => (await rig.texts()).filter((text) => text === 'scheduled').length === 2)
  // As with any other missed runs, it runs once.
  expect((await rig.texts()).filter((text) => text === 'digest')).toEqual(['digest'])
})

test('a route that is off refuses requests', async () => {
  await using rig = await ChatRig.start()
  const bot = await rig.startBot(
    {
      'routes/job.ts': `import { route } from '${framework}'
        export default route({ verify: false, respond: true, run: () => 'done' })`,
    },
    { dispatcher: 'inline', stateDir: ':memory:', config: { http: false } },
  )
  const post = async () => {
    const headers = { 'content-type': 'application/json' }
    const { status, headers: given } = await bot.fetch(
      new Request('http://bot.test/job', { method: 'POST', headers, body: '{}' }),
    )
    return [status, given.get('retry-after')]
  }
  await rig.until(async () => (await post())[0] === 200)
  await switchOff(bot.store, { name: 'POST /job', sinceMs: 0 })
  expect(await post()).toEqual([503, '10'])
  await switchOn(bot.store, 'POST /job')
  expect(await post()).toEqual([200, null])
})

test('one of several files of an event, and a command that a model calls', async () => {
  await using rig = await ChatRig.start()
  const tools = `import { commandTools } from '${framework}'
    export default async (ctx) => 'model: ' + (await commandTools(ctx, { only: ['roll'] })[0].call({})).text`
  const bot = await rig.startBot(
    {
      'events/message/one.ts': "export default (ctx) => ctx.send(ctx.channel_id, 'one')",
      'events/message/two.ts': "export default (ctx) => ctx.send(ctx.channel_id, 'two')",
      'commands/roll.ts': `import { command } from '${framework}'
        export default command({ description: 'Rolls', run: () => 'rolled' })`,
      'commands/model.ts': tools,
    },
    { dispatcher: 'inline', stateDir: ':memory:' },
  )
  for (const name of ['events/message/one', '/roll']) await switchOff(bot.store, { name, sinceMs: 0 })
  await rig.says('ann', 'hello')
  await rig.says('ann', '/model', 'random')
  await rig.until(async () => (await rig.texts('random')).includes('model: This command is switched off for now.'))
  await rig.until(async () => (await rig.texts()).includes('two'))
  expect(await rig.texts()).not.toContain('one')
})
