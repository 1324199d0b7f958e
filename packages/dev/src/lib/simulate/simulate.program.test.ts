import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { start } from '../program.test.fixture.ts'

const pages = {
  'commands/menu.ts': `const pages = ['tea', 'coffee']
export const description = 'Shows a page of the menu'
export default (ctx) => pages[Number(ctx.argsText)]!.toUpperCase()
`,
}

test('prints a fault with its line, the steps and the command that plays it again', { tags: 'all/seeds' }, async () => {
  await using draft = await BotDraft.make(pages)
  const first = await draft.framework(['simulate', '--seeds', '2', '--save', 'test/simulated.test.ts'])
  expect(first.code).toBe(1)
  // On a busy computer, it takes more than ten seconds.
  expect(first.stderr.replaceAll(/^\d+ of 2 plays, .+ so far\n/gm, '')).toBe('')
  expect(first.stdout).toMatch(/^✘ commands\/menu\.ts:3 {2}.*toUpperCase/)
  // Nothing follows the fault and its answer.
  expect(first.stdout).toMatch(/: \/menu.*\n.*bot: Something went wrong.*\n {4}framework simulate --seed \d+\n/)
  expect(first.stdout).toContain('✘ 1 fault, 2 plays of 1 handler')
  expect(first.stdout).toContain('wrote test/simulated.test.ts: run it with npx vitest run test/simulated.test.ts')
  const [, seed = ''] = /framework simulate --seed (\d+)/.exec(first.stdout) ?? []
  const steps = (text: string) => text.split('\n').filter((line) => /^ {4}/.test(line))
  const again = await draft.framework(['simulate', '--seed', seed])
  expect(steps(again.stdout)).toEqual(steps(first.stdout))
  expect(again.stdout).not.toContain('Lines that no play has reached')
  expect(await readFile(join(draft.root, 'test/simulated.test.ts'), 'utf8')).toContain('expect(await playCase(')
  expect(await draft.framework(['simulate', '--seed', seed, '--save', 'test/simulated.test.ts'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('test/simulated.test.ts: already exists') as string,
  })
})

test('prints JSON with coverage, and finds nothing in a bot without faults', { tags: 'all/seeds' }, async () => {
  await using draft = await BotDraft.make({
    'commands/ping.ts': `export const description = 'Answers'
export default (ctx) => {
  if (ctx.user.name === 'nobody') {
    return 'never'
  }
  return 'pong'
}
`,
  })
  const { code, stdout } = await draft.framework(['simulate', '--seeds', '8', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ ok: true, findings: [], seeds: 8, handlers: 1, interrupted: false },
    coverage: [{ file: 'commands/ping.ts', missed: [[4, 4]] }],
  })
  expect(code).toBe(0)
})

test.for([
  ['ends the process', 'process.exit(3)'],
  ['throws outside of a promise', "setTimeout(() => { throw new Error('late') }, 10)"],
])('reports a handler that %s', { tags: 'all/seeds' }, async ([, code]) => {
  await using draft = await BotDraft.make({
    'commands/bad.ts': `export default () => {\n  ${code}\n  return 'done'\n}\n`,
  })
  const { stdout } = await draft.framework(['simulate', '--seeds', '2', '--json'])
  const { findings } = JSON.parse(stdout) as { findings: object[] }
  expect(findings).toContainEqual(expect.objectContaining({ severity: 'fault', file: 'commands/bad.ts' }))
})

test('reports the line that blocks the thread, and saves its play', { tags: 'all/seeds' }, async () => {
  await using draft = await BotDraft.make({
    'lib/spin.ts': `export function spin(text: string) {\n  let n = 0\n  while (text.length > 0) n++\n  return n\n}\n`,
    'commands/bad.ts': `import { spin } from '../lib/spin.ts'\nexport default () => String(spin('x'))\n`,
  })
  const { code, stdout } = await draft.framework(['simulate', '--seeds', '1', '--save', 'test/simulated.test.ts'])
  expect(stdout).toMatch(/^✘ lib\/spin\.ts:3 {2}its handler blocks the thread/)
  expect(stdout).toMatch(/: \/bad\n/)
  expect(stdout).toContain('✘ 1 fault, 1 play of 1 handler')
  expect(stdout).toContain('wrote test/simulated.test.ts')
  expect(code).toBe(1)
})

test('reports what it knows after Ctrl-C', { tags: 'all/seeds' }, async () => {
  await using draft = await BotDraft.make(pages)
  const running = await start(['simulate', '--seeds', '5000'], { cwd: draft.root })
  await expect.poll(running.output).toContain('commands/menu.ts:3')
  running.signal('SIGINT')
  expect(await running.ended).toBe(130)
  expect(running.output()).toContain('(interrupted)')
})

test.for([
  [['--faults', 'rain'], 'must be all, none, or some of http,kill,restart,store,clock,permission', 2],
  [['--seeds', '0'], 'must be a whole number of at least 1', 2],
  [['--seeds', '1', '--save', 'saved.ts'], 'saved.ts: the name must end in .test.ts', 1],
  [['--seeds', '1', '--save', '../a.test.ts'], "../a.test.ts: is outside of the bot's folder", 1],
] as const)('refuses %s before it plays', async ([args, text, code]) => {
  await using draft = await BotDraft.make(pages)
  expect(await draft.framework(['simulate', ...args])).toMatchObject({
    code,
    stdout: '',
    stderr: expect.stringContaining(text) as string,
  })
})

test('shows an error of simulate.ts, and of the bot', { tags: 'all/seeds' }, async () => {
  await using draft = await BotDraft.make({ ...pages, 'simulate.ts': 'const x = = 1' })
  expect(await draft.framework(['simulate', '--seeds', '1'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('simulate.ts:1:11') as string,
  })
  await draft.write({ 'simulate.ts': '', 'commands/menu.ts': "import './none.ts'\nexport default () => 'x'" })
  expect(await draft.framework(['simulate', '--seeds', '1'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('commands/menu.ts:1') as string,
  })
})

test(
  'people write in a channel of a server that they are in, although another server has a channel of that name',
  { tags: 'all/seeds' },
  async () => {
    const channels = "channels: [{ name: 'general' }], bots: ['bot']"
    await using draft = await BotDraft.make({
      'commands/ping.ts': "export default () => 'pong'",
      'simulate.ts': `import { invariant, simulation } from '@botwright/testing/simulation'
simulation({ world: { people: [{ username: 'ann' }, { username: 'bob' }], bots: [{ username: 'bot', owner: 'ann' }],
  servers: [{ name: 'Attic', owner: 'ann', ${channels} }, { name: 'Barn', owner: 'bob', ${channels} }] } })
invariant('bob is silent', ({ messages }) => messages.every(({ author, channel }) => author !== 'bob' || channel !== 'general'))
`,
    })
    const { stdout } = await draft.framework(['simulate', '--seeds', '2', '--faults', 'none', '--json'])
    const { findings } = JSON.parse(stdout) as { findings: object[] }
    expect(findings).toMatchObject([{ kind: 'invariant', file: 'simulate.ts' }])
  },
)
