import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defaultWorld, startService } from '@botwright/service'
import { startTestBot } from '@botwright/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'

// Compares the table on the page of the command line with a bot that runs under each command.

const checkout = fileURLToPath(new URL('../../../..', import.meta.url))
const program = join(checkout, 'packages/framework/bin/framework.cjs')
const page = readFileSync(join(checkout, 'packages/dev/docs/command-line.md'), 'utf8')
const token = 'token-of-the-table'

let base: string
let root: string
/** The notes of the bot's modules and of `events/ready.ts`. */
let notes: string

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'botwright-table-'))
  root = join(base, 'bot')
  notes = join(base, 'notes.txt')
  const module = (name: string, run: string) =>
    `import { appendFileSync } from 'node:fs'
const note = (text: string) => appendFileSync(${JSON.stringify(notes)}, text + '\\n')
import { kit } from 'kit'
import { shared } from '@acme/shared'
note(['loads', '${name}', import.meta.dirname, process.env['FROM_ENV'], kit, shared].join(' '))
export default () => ${run}`
  const files = {
    'package.json': '{"type":"module"}',
    '.env': 'FROM_ENV=env\n',
    'commands/one.ts': module('one', "'one'"),
    'commands/two.ts': module('two', "'two'"),
    'events/ready.ts': module('ready', "note('runs')"),
  }
  const conditions = { development: './development.js', production: './production.js', default: './default.js' }
  const packages = {
    'node_modules/kit/package.json': JSON.stringify({ type: 'module', exports: conditions }),
    ...Object.fromEntries(
      Object.keys(conditions).map((name) => [`node_modules/kit/${name}.js`, `export const kit = '${name}'`]),
    ),
    'shared/package.json': JSON.stringify({ type: 'module', exports: './index.ts' }),
    'shared/index.ts': "export enum Is { Here = 'compiled' }\nexport const shared: string = Is.Here",
  }
  const all = { ...Object.fromEntries(Object.entries(files).map(([file, text]) => [`bot/${file}`, text])), ...packages }
  for (const [file, text] of Object.entries(all)) {
    await mkdir(dirname(join(base, file)), { recursive: true })
    await writeFile(join(base, file), text)
  }
  await mkdir(join(base, 'node_modules/@acme'))
  await symlink(join(base, 'shared'), join(base, 'node_modules/@acme/shared'))
  await symlink(join(checkout, 'node_modules/@botwright'), join(base, 'node_modules/@botwright'))
})
afterAll(() => rm(base, { recursive: true, force: true }))

const noted = (): string[] => (existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : [])

/** Starts the program in a folder, without notes of others. */
async function start(args: readonly string[], { cwd = root, env = {} } = {}) {
  await rm(notes, { force: true })
  const started = spawn(process.execPath, [program, ...args], { cwd, env: { PATH: process.env['PATH'], ...env } })
  const ended = new Promise((resolve) => started.once('exit', resolve))
  return { ended, stop: () => (started.kill('SIGTERM'), ended) }
}

/** Waits until every module has loaded without an event, and `events/ready.ts` has run. */
async function runs(running: { stop: () => Promise<unknown> }): Promise<void> {
  try {
    await expect.poll(noted).toEqual(expect.arrayContaining(['runs']))
    for (const name of ['one', 'two', 'ready'])
      await expect.poll(noted).toEqual(expect.arrayContaining([expect.stringContaining(`loads ${name} `)]))
  } finally {
    await running.stop()
  }
}

/** The cells of a column, from what the bot noted. `start` may load modules before or after the bot is ready. */
function cellsOf(command: string): Record<string, string> {
  const lines = noted()
  const loads = lines.filter((line) => line.startsWith('loads'))
  expect(loads.map((line) => line.split(' ')[1]).sort()).toEqual(['one', 'ready', 'two'])
  const ready = lines.indexOf('runs')
  const isFromSource = loads.every(
    (line) => line.includes(` ${root}/`) && !/\/(?:\.botwright|dist|\.dist\.part)\//.test(line),
  )
  const early = ready > lines.lastIndexOf(loads.at(-1)!) ? 'at startup' : 'later'
  return {
    'Runs handlers': ready === -1 ? 'no' : 'yes',
    'Loads all modules': ready === -1 ? 'once' : command === 'start' ? 'in the background' : early,
    '`import.meta` names': isFromSource ? 'the source' : 'the build',
    'Reads `.env`': loads.every((line) => line.split(' ')[3] === 'env') ? 'yes' : 'no',
    'Export conditions': loads.every((line) => line.split(' ')[4] === 'default') ? "Node's" : 'others',
    // Without its sources, it is a part of the build.
    'Workspace TypeScript': existsSync(join(base, 'shared')) ? loads[0]!.split(' ')[5]! : 'in the build',
  }
}

test('the table on the page of the command line is true', { tags: ['all/processes'] }, async () => {
  const columns: Record<string, Record<string, string>> = {}
  await runs(await start(['dev', '--port', '0']))
  columns['`dev`'] = cellsOf('dev')
  for (const command of ['check', 'build']) {
    await (
      await start([command])
    ).ended
    columns[`\`${command}\``] = cellsOf(command)
  }
  await rm(notes, { force: true })
  await (await startTestBot(root))[Symbol.asyncDispose]()
  columns['tests'] = cellsOf('tests')
  // Only the build: the sources are not there.
  await cp(join(root, 'dist'), join(base, 'production/dist'), { recursive: true })
  await cp(join(root, '.env'), join(base, 'production/.env'))
  await rm(root, { recursive: true })
  await rm(join(base, 'shared'), { recursive: true })
  root = join(base, 'production')
  await using service = await startService({ port: 0, world: defaultWorld('table', token) })
  await runs(await start(['start'], { cwd: root, env: { BOT_TOKEN: token, BOT_BASE_URL: service.base_url } }))
  columns['`start`'] = cellsOf('start')

  const rows = page.slice(page.indexOf('| Point ')).split('\n\n')[0]!.split('\n')
  const [head = [], , ...body] = rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  expect(head.slice(1)).toEqual(Object.keys(columns))
  for (const [point = '', ...cells] of body)
    expect([point, ...cells]).toEqual([point, ...Object.values(columns).map((column) => column[point])])
  expect(body).toHaveLength(6)
})
