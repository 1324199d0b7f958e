import { defaultWorld, type Service, startService } from '@botwright/service'
import { joinChat } from '@botwright/testing'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBotProcess } from '../bot-process.ts'
import { untilOnline } from '../until-online.ts'
import { type Packed, packRelease } from './pack.ts'
import { publishPacked } from './publish.ts'
import { startRegistry, type Registry } from './registry.test.fixture.ts'
import { type Released, releasedPackages } from './released.ts'
import { unpackInto } from './stage.test.fixture.ts'
import { otherNode, toolsFolder } from './tools.ts'
import { writeVersion } from './write-version.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const run = promisify(execFile)
const NEXT = '9.0.0'
const TOKEN = 'token-from-the-registry'
const world = defaultWorld('bot', TOKEN)
const framework = 'node_modules/@botwright/framework/bin/framework.cjs'

/** Files that the author of the bot adds, with state that must survive an upgrade. */
const visits = {
  'state/visits.ts': `import { state } from '@botwright/framework'\nexport default state({ scope: 'user', initial: 0 })\n`,
  'commands/visit.ts': `import visits from '../state/visits.ts'
import { command } from '@botwright/framework'
export default command({ run: async (ctx) => \`visit \${await visits.of(ctx).update((count) => count + 1)}\` })
`,
}

/** The newest version of each package manager, and the path of its program among the tools. */
const managers = {
  npm: { name: 'npm', program: 'npm/bin/npm-cli.js' },
  pnpm: { name: 'pnpm', program: '@pnpm/exe.linux-x64/pnpm' },
  'Yarn 1': { name: 'yarn', program: 'yarn/bin/yarn.js' },
  'Yarn 4': { name: 'yarn', program: '@yarnpkg/cli-dist/bin/yarn.js' },
  bun: { name: 'bun', program: '@oven/bun-linux-x64/bin/bun' },
} as const
type Manager = keyof typeof managers

/** Two at a time: they share two processors in CI. */
const pairs: [Manager[]][] = [[['npm', 'pnpm']], [['Yarn 1', 'Yarn 4']], [['bun']]]

/** New versions of npm and pnpm require this Node, which a bot's Dockerfile also uses. */
const node = otherNode(24)
if (!node)
  console.warn('SKIPPED: no package managers are installed; run `node packages/workspace/bin/tools.mjs` (Linux on x64)')

// Skipped without the tools, with the warning above; in CI, a skipped test fails.
describe.skipIf(!node)('a bot from the registry', () => {
  let folder: string
  let registry: Registry
  let released: Released[]
  let tarballs: Packed[]
  let report: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'botwright-registry-'))
    const packed = join(folder, 'packed')
    released = await releasedPackages(root)
    tarballs = await packRelease(root, released, packed)
    registry = await startRegistry(join(folder, 'registry'))
    const { env } = registry
    report = await publishPacked(packed, env)
    await mkdir(join(folder, 'create'))
    await run('npm', ['install', '--prefix', join(folder, 'create'), '@botwright/create-bot'], { env })
  })
  afterAll(async () => {
    await registry?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  describe.sequential.each(pairs)('of %j', { tags: 'all/package-managers' }, (pair) => {
    test.concurrent.each(pair)('%s installs, checks, tests, builds and runs it', async (manager) => {
      const at = join(folder, manager)
      await mkdir(at)
      const env = await environmentOf(manager, at, registry.home)
      const { name } = managers[manager]
      const shell = (cwd: string, command: string) =>
        run('sh', ['-c', command], { cwd, env, maxBuffer: 64 * 2 ** 20 }).catch((error: Error & { stdout: string }) => {
          throw new Error(`${error.message}\n${error.stdout}`, { cause: error })
        })
      const createBot = join(folder, 'create/node_modules/@botwright/create-bot/bin/create-bot.mjs')
      const created = await shell(at, `node ${createBot} bot --yes --no-git --package-manager ${name}`)
      expect(created.stdout).toContain(`✓ Packages installed with ${name}`)

      // A plugin, with the package manager of the bot: its lock file is new, so the workflow below would notice an error in it.
      const bot = join(at, 'bot')
      const added = await shell(bot, `node ${framework} add plugin @botwright/plugins polls`)
      expect(added.stdout).toContain('It adds /poll, ')
      expect(await readFile(join(bot, 'bot.config.ts'), 'utf8')).toContain('plugins: { polls: polls() }')

      // The steps of its workflow, in a fresh clone.
      await rm(join(bot, 'node_modules'), { recursive: true })
      const workflow = await readFile(join(bot, '.github/workflows/ci.yml'), 'utf8')
      const steps = commandsOf(workflow, /^ *- run: (.*)$/gm)
      expect(steps).toHaveLength(5)
      // One manager stands for all: the plays do not depend on it.
      const seeds = manager === 'npm' ? 40 : 2
      for (const step of steps) await shell(bot, step.replace('--seeds 40', `--seeds ${seeds}`))

      // The steps of its Dockerfile: production packages alone, then the built bot next to them.
      const image = join(at, 'image')
      await mkdir(image)
      const dockerfile = await readFile(join(bot, 'Dockerfile'), 'utf8')
      const stage = dockerfile.split(/^FROM /m).find((one) => /^.* AS packages$/m.test(one)) ?? ''
      const [, copied = ''] = /^COPY (.*) \.\/$/m.exec(stage) ?? []
      for (const file of copied.split(' ')) await cp(join(bot, file), join(image, file))
      for (const command of commandsOf(stage, /^RUN (.*)$/gm)) await shell(image, command)
      await cp(join(bot, 'dist'), join(image, 'dist'), { recursive: true })
      expect(await readdir(join(image, 'node_modules'))).not.toContain('vitest')
      await using service = await startService({ port: 0, world })
      expect(await talk(image, service, ['/ping'], node)).toEqual(['Pong, ann!'])
    })
  })

  // Last: it publishes a newer version.
  test('strangers make it, run it, and upgrade it with its state', { tags: 'all/publishing' }, async () => {
    const { env } = registry
    await using service = await startService({ port: 0, world })
    const [{ version: first } = { version: '' }] = released
    const npm = (cwd: string, ...args: string[]) => run('npm', args, { cwd, env, maxBuffer: 64 * 2 ** 20 })
    expect(report.split('\n')).toEqual(released.map(({ name }) => `published ${name}@${first}`))

    await npm(folder, 'create', '--yes', '@botwright/bot', 'my-bot', '--', '--yes', '--no-git')
    const bot = join(folder, 'my-bot')
    for (const [file, text] of Object.entries(visits)) {
      await mkdir(join(bot, file, '..'), { recursive: true })
      await writeFile(join(bot, file), text)
    }
    expect(await installed(bot)).toEqual({ framework: first, dev: first })
    expect(await buildAndTalk(bot, service, ['/ping', '/visit'])).toEqual(['Pong, ann!', 'visit 1'])

    const stage = join(folder, 'stage')
    await unpackInto(stage, released, tarballs)
    await writeVersion(stage, NEXT)
    const next = join(folder, 'next')
    await packRelease(stage, released, next)
    await publishPacked(next, env)
    const kit = ['framework', 'dev', 'service', 'testing'].map((name) => `@botwright/${name}@latest`)
    await npm(bot, 'install', '--save-exact', ...kit)
    expect(await installed(bot)).toEqual({ framework: NEXT, dev: NEXT })
    expect(await buildAndTalk(bot, service, ['/ping', '/visit'])).toEqual(['Pong, ann!', 'visit 2'])

    // In production: no dev packages, and no native driver if Node has a built-in SQLite. Both drivers read the same state.
    await npm(bot, 'install', '--omit=dev', '--omit=optional')
    expect(await packagesOf(bot)).toEqual(['@botwright/framework', '@neon-rs/load', 'detect-libc', 'libsql'])
    expect(await talk(bot, service, ['/visit'], node)).toEqual(['visit 3'])
  })
})

/** The commands of a workflow or a Dockerfile, without those that install the package manager, which is already installed. */
const commandsOf = (text: string, line: RegExp): string[] =>
  [...text.matchAll(line)].flatMap(([, command = '']) =>
    /^(?:corepack enable|npm install --global .*|docker .*)$/.test(command) ? [] : [command],
  )

/** Programs of a user who has only this package manager, with its own home and caches. */
async function environmentOf(manager: Manager, at: string, home: string): Promise<NodeJS.ProcessEnv> {
  const { name, program } = managers[manager]
  const bin = join(at, 'bin')
  await mkdir(bin)
  await symlink(node!, join(bin, 'node'))
  await symlink(join(toolsFolder(), 'node_modules', program), join(bin, name))
  await cp(home, join(at, 'home'), { recursive: true })
  // A machine may reach its registry with its own certificates.
  const certificates = Object.entries(process.env).filter(([key]) => /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_\w+)$/.test(key))
  return {
    ...Object.fromEntries(certificates),
    ...{ HOME: join(at, 'home'), PATH: [bin, '/usr/bin', '/bin'].join(delimiter), CI: 'true', NO_COLOR: '1' },
  }
}

async function installed(bot: string) {
  const versionOf = async (name: string) =>
    (
      JSON.parse(await readFile(join(bot, `node_modules/@botwright/${name}/package.json`), 'utf8')) as {
        version: string
      }
    ).version
  return { framework: await versionOf('framework'), dev: await versionOf('dev') }
}

/** The names of all installed packages. */
async function packagesOf(bot: string): Promise<string[]> {
  const list = JSON.parse(await readFile(join(bot, 'node_modules/.package-lock.json'), 'utf8')) as { packages: object }
  return Object.keys(list.packages).map((path) => path.replace('node_modules/', ''))
}

/** Builds the bot, and then as `talk`. */
async function buildAndTalk(bot: string, service: Service, lines: readonly string[]): Promise<string[]> {
  await run(process.execPath, [framework, 'build'], { cwd: bot })
  return talk(bot, service, lines)
}

/** Runs a built bot as in production, on a service with ann in it. Returns the answers to her messages. */
async function talk(bot: string, service: Service, lines: readonly string[], node?: string): Promise<string[]> {
  await using running = startBotProcess(framework, ['start'], {
    ...{ cwd: bot, token: TOKEN, base_url: service.base_url },
    ...(node !== undefined && { node }),
  })
  const ann = joinChat(service, { bot: 'bot' }).person('ann')
  await untilOnline(ann, running)
  const answers: string[] = []
  for (const line of lines) answers.push((await ann.says(line)).content)
  expect(await running.stop()).toEqual({ code: 0, output: '' })
  return answers
}
