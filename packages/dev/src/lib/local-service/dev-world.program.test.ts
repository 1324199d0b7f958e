import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchPeople, peopleRequest } from '@botwright/service/people'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { startDev, startDevProcess, stop } from '../dev-process.test.fixture.ts'
import { start } from '../program.test.fixture.ts'
import { startPerson } from '../test-person.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const files = { 'commands/who.ts': 'export default (ctx) => `I am ${ctx.me.username}`' }

test('framework dev --world runs the first bot of a custom world', async () => {
  const world = {
    people: [{ username: 'zoe' }, { username: 'yan' }],
    bots: [{ username: 'porter', owner: 'zoe' }],
    servers: [{ name: 'Station', owner: 'zoe', members: ['yan', 'porter'], channels: [{ name: 'general' }] }],
  }
  await using draft = await BotDraft.make({ ...files, 'worlds/station.json': JSON.stringify(world) })
  const dev = await startDev(draft, ['--world', 'worlds/station.json'])
  const { output } = dev
  try {
    await expect.poll(output).toContain('/who')
    expect(output()).toContain('as zoe or yan; a new name')
    const zoe = await startPerson(/http:\/\/127\.0\.0\.1:\d+/.exec(output())![0], 'zoe')
    expect(await zoe.answerTo('/who')).toBe('I am porter')
  } finally {
    await stop(dev)
  }
})

test(
  'the banner shows the people of the data file, and states that --world is ignored, also with its token',
  { tags: ['all/processes'] },
  async () => {
    const station = {
      people: [{ username: 'zoe' }, { username: 'yan' }],
      bots: [{ username: 'porter', owner: 'zoe', token: 'token-of-porter' }],
      servers: [{ name: 'Station', owner: 'zoe', members: ['porter'], channels: [{ name: 'general' }] }],
    }
    const [porter] = station.bots
    const bots = [{ ...porter!, token: 'token-of-another-porter' }]
    const other = { ...station, people: [{ username: 'zoe' }, { username: 'xin' }], bots }
    await using draft = await BotDraft.make({
      ...files,
      'station.json': JSON.stringify(station),
      'other.json': JSON.stringify(other),
    })
    const note = 'chat.db already contains a world, so other.json is ignored; pass another file with --data to use it'
    for (const [world, noted] of [
      [['--world', 'station.json'], false],
      [[], false],
      [['--world', 'station.json'], false],
      [['--world', 'other.json', '--key'], true],
      [['--world', 'other.json', '--key'], false],
      [[], false],
    ] as const) {
      const dev = await startDev(draft, ['--data', 'chat.db', ...world])
      const { output } = dev
      try {
        await expect.poll(output).toContain('/who')
        expect(output()).toContain('as zoe or yan; a new name')
        expect(output().includes(note)).toBe(noted)
      } finally {
        await stop(dev)
      }
    }
  },
)

test('--data :memory: keeps the data in memory, with dev and alone', slow, async () => {
  await using draft = await BotDraft.make(files)
  const data = ['--port', '0', '--data', ':memory:']
  const dev = await startDev(draft, data)
  const service = await start(['service', ...data], { cwd: draft.root })
  try {
    await expect.poll(service.output).toContain('"ready":true')
    await expect.poll(dev.output).toMatch(/Data +in memory/)
    expect(existsSync(join(draft.root, ':memory:'))).toBe(false)
  } finally {
    await stop(dev)
    expect(service.signal('SIGTERM')).toBe(true)
    await service.ended
  }
})

test('the banner shows "ready" only when the bot is ready', slow, async () => {
  await using draft = await BotDraft.make({ 'commands/who.ts': 'export default (' })
  const dev = await startDev(draft)
  const { output } = dev
  try {
    await expect.poll(output).toContain('no version is running; waiting for a save')
    await expect.poll(output).toMatch(/Botwright v\S+ {2}not ready yet\n/)
    expect(output()).not.toContain('ready in')
    await draft.write(files)
    await expect.poll(output).toContain('✓ the bot is running')
  } finally {
    await stop(dev)
  }
})

test(
  'the local service posts event webhooks to this machine, and requires a key, only on request',
  { tags: 'all/real-time' },
  async () => {
    const event_webhook = { url: 'http://127.0.0.1:9/', secret: 'a secret of the webhook' }
    const world = { people: [{ username: 'zoe' }], bots: [{ username: 'porter', owner: 'zoe', event_webhook }] }
    await using draft = await BotDraft.make({ ...files, 'world.json': JSON.stringify(world) })
    for (const [flags, warned] of [
      [[], true],
      [['--allow-loopback-webhooks', '--key'], false],
    ] as const) {
      const dev = await startDev(draft, ['--world', 'world.json', ...flags])
      const { output } = dev
      try {
        await expect.poll(output).toContain('/who')
        expect(output().includes('event webhook of porter')).toBe(warned)
        const page = new URL(/http:\/\/127\.0\.0\.1:\d+\/\S*/.exec(output())![0])
        const people = await fetchPeople(peopleRequest('sessions.list'), { origin: page.origin })
        expect([page.hash.startsWith('#key='), people.status]).toEqual(warned ? [false, 200] : [true, 401])
      } finally {
        await stop(dev)
      }
    }
  },
)

test.each([
  ['missing.json', 'missing.json: no such file (from --world)'],
  ['broken.json', 'broken.json: is not JSON'],
  ['utf16.json', 'utf16.json: is in UTF-16; save it as UTF-8'],
  ['marked.json', 'marked.json: the first bot in "bots" must be the running bot'],
  ['empty.json', 'empty.json: the first bot in "bots" must be the running bot'],
  ['text.json', 'text.json: the first bot in "bots" must be the running bot'],
])('a world in %s is refused with the file and the fix', async (file, told) => {
  await using draft = await BotDraft.make({
    ...files,
    'broken.json': '{ "bots": [{ "username": "porter", "token": "a-secret-of-somebody" ] }',
    'empty.json': '{}',
    'text.json': '{ "bots": "porter" }',
    'marked.json': '\uFEFF{}',
  })
  await writeFile(join(draft.root, 'utf16.json'), Buffer.from('\uFEFF{}', 'utf16le'))
  const { code, stdout, stderr } = await draft.framework(['dev', '--port', '0', '--world', file])
  expect(code).not.toBe(0)
  expect(stdout + stderr).toContain(told)
  expect(stdout + stderr).not.toContain('a-secret')
})

test('after the second framework dev of a folder, commands find the first one again', slow, async () => {
  await using draft = await BotDraft.make(files)
  // In processes of their own: their modules are in a folder for each process.
  const first = startDevProcess(draft)
  try {
    await expect.poll(first.output).toMatch(/Chat +http/)
    const second = startDevProcess(draft)
    await expect.poll(second.output).toMatch(/Chat +http/)
    second.signal('SIGTERM')
    expect(await second.ended).toBe(0)
    const { code, stdout, stderr } = await draft.framework(['say', 'ann', '/who'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('reply “I am ')
  } finally {
    first.signal('SIGTERM')
    await first.ended
  }
  expect(existsSync(join(draft.root, '.botwright/service.url'))).toBe(false)
})
