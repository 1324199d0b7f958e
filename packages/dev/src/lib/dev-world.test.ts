import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { BotDraft } from './bot-folder.test.fixture.ts'
import { startPerson } from './test-person.fixture.ts'

const program = fileURLToPath(new URL('../../../framework/bin/framework.cjs', import.meta.url))
const files = { 'commands/who.ts': 'export default (ctx) => `I am ${ctx.me.username}`' }

test('framework dev --world runs the first bot of a world of its own', async () => {
  const world = {
    people: [{ username: 'zoe' }, { username: 'yan' }],
    bots: [{ username: 'porter', owner: 'zoe' }],
    servers: [{ name: 'Station', owner: 'zoe', members: ['yan', 'porter'], channels: [{ name: 'general' }] }],
  }
  await using draft = await BotDraft.make({ ...files, 'worlds/station.json': JSON.stringify(world) })
  const dev = spawn(process.execPath, [program, 'dev', '--port', '0', '--world', 'worlds/station.json'], {
    cwd: draft.root,
    env: { ...process.env, BOT_TOKEN: '', NO_COLOR: '1' },
  })
  let output = ''
  for (const stream of [dev.stdout, dev.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()))
  try {
    await expect.poll(() => output).toContain('/who')
    expect(output).toContain('as zoe or yan; any new name')
    const zoe = await startPerson(/http:\/\/127\.0\.0\.1:\d+/.exec(output)![0], 'zoe')
    expect(await zoe.answerTo('/who')).toBe('I am porter')
  } finally {
    dev.kill('SIGTERM')
    if (dev.exitCode === null) await once(dev, 'exit')
  }
})

test.each([
  ['missing.json', 'missing.json: there is no such file; --world names it'],
  ['broken.json', 'broken.json: is not JSON'],
  ['empty.json', 'empty.json: the world needs the bot that runs, as the first of "bots"'],
])('a world in %s is refused with the file and the fix', async (file, told) => {
  await using draft = await BotDraft.make({
    ...files,
    'broken.json': '{ "bots": [{ "username": "porter", "token": "a-secret-of-somebody" ] }',
    'empty.json': '{}',
  })
  const { code, stdout, stderr } = await draft.framework(['dev', '--port', '0', '--world', file])
  expect(code).not.toBe(0)
  expect(stdout + stderr).toContain(told)
  expect(stdout + stderr).not.toContain('a-secret')
})
