import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '@botwright/sqlite'
import { defaultWorld, startService } from '@botwright/service'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { run as runProgram, start } from '../program.test.fixture.ts'
import { startPerson } from '../test-person.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const token = 'token-of-the-state'

const version1 = {
  'state/pot.ts': `import { state } from '@botwright/framework'
    export default state({ scope: 'bot', initial: 'water' })`,
  'state/points.ts': `import { state } from '@botwright/framework'
    export default state({ scope: 'member', initial: 0 })`,
  'commands/pour.ts': `import pot from '../state/pot.ts'
    export default async (ctx) => String(await pot.of(ctx).get())`,
}
const version2 = {
  'state/pot.ts': `import { state } from '@botwright/framework'
    export default state({
      scope: 'bot', version: 2, initial: { tea: 'water', cups: 0 },
      migrate: { 1: (tea: string) => ({ tea, cups: 6 }) },
    })`,
  'commands/pour.ts': `import pot from '../state/pot.ts'
    export default async (ctx) => {
      const { tea, cups } = await pot.of(ctx).update((one) => ({ ...one, cups: one.cups - 1 }))
      return \`\${tea}, \${cups} left\`
    }`,
}

/** Runs a bot until the returned function ends it. */
async function run(cwd: string, env: Record<string, string>, ...args: string[]) {
  const { output, signal, ended } = await start(args, { cwd, env })
  await expect.poll(output).toMatch(/is ready|\/pour[\s\S]*Chat +http/)
  return {
    output,
    async [Symbol.asyncDispose]() {
      signal('SIGTERM')
      expect(await ended).toBe(0)
    },
  }
}

test('a value of version 1 is seeded, version 2 is deployed, and its value is read', slow, async () => {
  await using draft = await BotDraft.make(version1)
  await using service = await startService({ port: 0, world: defaultWorld('helper', token) })
  const ann = await startPerson(service.url, 'ann')
  const env = { BOT_TOKEN: token, BOT_BASE_URL: service.base_url }
  const state = (...args: string[]) => draft.framework(['state', ...args], env)

  expect(await state('list')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no bot of framework dev or framework start has run with this folder') as unknown,
  })
  expect(await draft.framework(['build'])).toMatchObject({ code: 0 })
  {
    await using _bot = await run(draft.root, env, 'start')
    expect(await ann.answerTo('/pour')).toBe('water')
    // The bot reads each value from the file: a value that is written while it runs takes effect at once.
    expect(await state('set', 'pot', '"green"')).toMatchObject({ code: 0, stderr: '' })
    expect(await ann.answerTo('/pour')).toBe('green')
  }
  expect(await state('set', 'pot', '"mint"')).toMatchObject({ code: 0, stdout: '✓ pot of the bot: version 1 stored\n' })

  await draft.write(version2)
  expect(await draft.framework(['build'])).toMatchObject({ code: 0 })
  // Reading migrates nothing.
  expect(await state('get', 'pot')).toEqual({ code: 0, stdout: '"mint"\nversion 1\n', stderr: '' })
  expect(JSON.parse((await state('get', 'pot', '--json')).stdout)).toEqual({
    name: 'pot',
    scope: 'bot',
    owner: {},
    version: 1,
    value: 'mint',
  })
  {
    await using _bot = await run(draft.root, env, 'start')
    expect(await ann.answerTo('/pour')).toBe('mint, 5 left')
    expect(JSON.parse((await state('get', 'pot', '--json')).stdout)).toMatchObject({
      version: 2,
      value: { tea: 'mint', cups: 5 },
    })
    // Again from version 1, next to the running bot.
    expect(await state('set', 'pot', '"black"', '--version', '1')).toMatchObject({ code: 0, stderr: '' })
    expect(await ann.answerTo('/pour')).toBe('black, 5 left')
  }
  expect(await state('set', 'pot', '{}', '--version', '3')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the files declare version 2 of the state "pot"') as unknown,
  })
})

test('invalid input is rejected with the fix, and nothing is written', { tags: ['all/processes'] }, async () => {
  await using draft = await BotDraft.make(version1)
  const state = (...args: string[]) => draft.framework(['state', ...args, '--bot', 'a-bot'])
  const refused = async (text: string | RegExp, ...args: string[]) => {
    const { code, stdout, stderr } = await state(...args)
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(text) as unknown })
  }
  await refused(/^there is no .*state\.db: no state has been stored yet/, 'list')
  await refused(/the value is not JSON .*'"mint"'/, 'set', 'pot', 'mint')
  await refused(/the bot has no state "pots" \(did you mean "pot"\?\); available: points, pot/, 'set', 'pots', '1')
  await refused(
    '"points" is stored per member: pass --server <id> and --user <id>',
    'set',
    'points',
    '1',
    '--user',
    'u',
  )
  await refused('"pot" is stored per bot: pass no owner', 'set', 'pot', '1', '--user', 'u')
  expect(await state('set', 'pot', '1', '--version', 'x')).toMatchObject({ code: 2 })
  await writeFile(join(draft.root, 'bot.config.ts'), 'export default { store: () => ({}) }')
  await refused('bot.config.ts sets a store', 'set', 'pot', '1')
  await writeFile(join(draft.root, 'bot.config.ts'), 'export default {}')

  expect(await state('set', 'points', '7', '--server', 's:1', '--user', 'u%2')).toMatchObject({ code: 0, stderr: '' })
  expect(await state('set', 'pot', JSON.stringify('a\u001b[2J\u009b\nb'))).toMatchObject({ code: 0, stderr: '' })
  await refused(
    'no value of the state "points" is stored for user u, server s',
    'get',
    'points',
    '--user',
    'u',
    '--server',
    's',
  )
  await refused('"points" is stored per member', 'get', 'points', '--user', 'u')
  const listed = (await state('list')).stdout
  expect(listed).toMatch(/^points {2}server s:1, user u%2 {2}version 1 {2}7\n/m)
  for (const args of [['list'], ['list', '--json'], ['get', 'pot'], ['get', 'pot', '--json']])
    expect((await draft.process(['state', ...args, '--bot', 'a-bot'])).stdout).not.toMatch(/[\u001b\u009b]/)
  expect(JSON.parse((await state('list', 'points', '--json')).stdout)).toEqual({
    values: [{ name: 'points', scope: 'member', owner: { server_id: 's:1', user_id: 'u%2' }, version: 1, value: 7 }],
    more: 0,
  })
  expect((await state('list', '--limit', '1')).stdout).toContain('1 more: pass --limit 2')
})

test('reads a value from standard input, and rejects one that is too long', async () => {
  await using draft = await BotDraft.make(version1)
  const piped = async (text: string) => {
    const args = ['state', 'set', 'pot', '-', '--bot', 'a-bot']
    const { code, stderr: told } = await runProgram(args, { cwd: draft.root, input: text })
    return { code, told }
  }
  expect(await piped(JSON.stringify('x'.repeat(7_999_900)))).toEqual({ code: 0, told: '' })
  expect(await piped(JSON.stringify('x'.repeat(8_000_000)))).toMatchObject({
    code: 1,
    told: expect.stringContaining('more than 8000000 characters of JSON') as unknown,
  })
})

test("a file that is not a bot's state is neither read, written nor moved", async () => {
  await using draft = await BotDraft.make({ ...version1, '.botwright/state.db': 'not a database' })
  for (const args of [['list'], ['get', 'pot'], ['set', 'pot', '1']])
    expect(await draft.framework(['state', ...args, '--bot', 'a-bot'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/state\.db: cannot be read/) as unknown,
    })
  await using other = await BotDraft.make(version1)
  await other.write({ '.botwright/x': '' })
  openDatabase(join(other.root, '.botwright/state.db')).close()
  expect(await other.framework(['state', 'list', '--bot', 'a-bot'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('it is not the state of a bot') as unknown,
  })
})

test(
  'distinguishes the bots of dev and start, and rejects the state of a cluster',
  { tags: ['all/processes'] },
  async () => {
    await using draft = await BotDraft.make(version1)
    await using service = await startService({ port: 0, world: defaultWorld('helper', token) })
    const env = { BOT_TOKEN: token, BOT_BASE_URL: service.base_url }
    const state = (...args: string[]) => draft.framework(['state', ...args], env)
    expect(await draft.framework(['build'])).toMatchObject({ code: 0 })
    {
      await using _bot = await run(draft.root, env, 'start')
    }
    {
      await using dev = await run(draft.root, { BOT_TOKEN: '', BOT_BASE_URL: '' }, 'dev', '--port', '0')
      expect(await state('set', 'pot', '"mint"', '--from', 'dev')).toMatchObject({ code: 0, stderr: '' })
      const ann = await startPerson(/http:\/\/127\.0\.0\.1:\d+/.exec(dev.output())![0], 'ann')
      expect(await ann.answerTo('/pour')).toBe('mint')
    }
    expect(await state('get', 'pot')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /holds the state of 2 bots: pass --from dev, --from start or --bot: .* \(dev, http/,
      ) as unknown,
    })
    expect(await state('get', 'pot', '--from', 'dev')).toMatchObject({ code: 0, stdout: '"mint"\nversion 1\n' })
    expect(await state('get', 'pot', '--from', 'start')).toMatchObject({ code: 1, stdout: '' })
    const upper = service.world.bots['helper']!.id.toUpperCase()
    expect(await state('set', 'pot', '"cold"', '--bot', upper)).toMatchObject({ code: 0, stderr: '' })
    expect(await state('get', 'pot', '--from', 'start')).toMatchObject({ code: 0, stdout: '"cold"\nversion 1\n' })
    await draft.write({ '.env': 'BOT_CLUSTER_URL=redis://127.0.0.1:1\n' })
    expect(await state('list', '--from', 'start')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('this bot runs as a cluster: its state is in Redis') as unknown,
    })
    expect(await state('list', '--from', 'dev')).toMatchObject({ code: 0 })
  },
)

test('reads and writes the values of a state per key', slow, async () => {
  await using draft = await BotDraft.make({
    'state/rsvps.ts': `import { state } from '@botwright/framework'
      export default state<string[]>({ per: 'key' })`,
  })
  const state = (...args: string[]) => draft.framework(['state', ...args, '--bot', 'a-bot'])
  expect(await state('set', 'rsvps', '["ann"]', '--key', 's1:Party')).toMatchObject({
    code: 0,
    stdout: '✓ rsvps of key s1:Party: version 1 stored\n',
  })
  expect(await state('get', 'rsvps', '--key', 's1:Party')).toMatchObject({
    code: 0,
    stdout: '[\n    "ann"\n  ]\nversion 1\n',
  })
  expect(await state('get', 'rsvps', '--key', 's1:party')).toMatchObject({
    code: 1,
    stderr: 'no value of the state "rsvps" is stored for key s1:party\n',
  })
  expect(await state('get', 'rsvps', '--user', 'u')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the state "rsvps" is stored per key: pass --key <key>') as unknown,
  })
  expect((await state('list')).stdout).toMatch(/rsvps +key s1:Party +version 1 +\["ann"\]/)
  expect((await draft.framework(['routes'])).stdout).toContain('one for each key')
})
