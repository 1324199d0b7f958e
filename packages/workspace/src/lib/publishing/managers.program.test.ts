// @module-tag all/package-managers
import { defaultWorld, startService } from '@botwright/service'
import { joinChat } from '@botwright/testing'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBotProcess } from '../bot-process.ts'
import { untilOnline } from '../until-online.ts'
import { packRelease } from './pack.ts'
import { publishPacked } from './publish.ts'
import { startRegistry, type Registry } from './registry.test.fixture.ts'
import { releasedPackages } from './released.ts'
import { otherNode, toolsFolder } from './tools.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const run = promisify(execFile)
const TOKEN = 'token-of-the-managers'
const framework = 'node_modules/@botwright/framework/bin/framework.cjs'

/** The newest version of each package manager, and the path of its program among the tools. */
const managers = {
  npm: { name: 'npm', program: 'npm/bin/npm-cli.js' },
  pnpm: { name: 'pnpm', program: '@pnpm/exe.linux-x64/pnpm' },
  'Yarn 1': { name: 'yarn', program: 'yarn/bin/yarn.js' },
  'Yarn 4': { name: 'yarn', program: '@yarnpkg/cli-dist/bin/yarn.js' },
  bun: { name: 'bun', program: '@oven/bun-linux-x64/bin/bun' },
} as const
type Manager = keyof typeof managers

/** New versions of npm and pnpm require this Node, which a bot's Dockerfile also uses. */
const node = otherNode(24)
if (!node)
  console.warn('SKIPPED: no package managers are installed; run `node packages/workspace/bin/tools.mjs` (Linux on x64)')

// Skipped without the tools, with the warning above; in CI, a skipped test fails.
describe.skipIf(!node)('a bot from the registry', () => {
  let folder: string
  let registry: Registry

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'botwright-managers-'))
    const packed = join(folder, 'packed')
    await packRelease(root, await releasedPackages(root), packed)
    registry = await startRegistry(join(folder, 'registry'))
    const { env } = registry
    await publishPacked(packed, env)
    await mkdir(join(folder, 'create'))
    await run('npm', ['install', '--prefix', join(folder, 'create'), '@botwright/create-bot'], { env })
  })
  afterAll(async () => {
    await registry?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  // Two at a time: they share two processors in CI.
  describe.sequential.each([[['npm', 'pnpm']], [['Yarn 1', 'Yarn 4']], [['bun']]] as [Manager[]][])('of %j', (pair) => {
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

      // The steps of its workflow, in a fresh clone.
      const bot = join(at, 'bot')
      await rm(join(bot, 'node_modules'), { recursive: true })
      const workflow = await readFile(join(bot, '.github/workflows/ci.yml'), 'utf8')
      const steps = commandsOf(workflow, /^ *- run: (.*)$/gm)
      expect(steps).toHaveLength(5)
      for (const step of steps) await shell(bot, step)

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
      expect(await talk(image)).toBe('Pong, ann!')
    })
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

/** Runs a built bot as in production and returns its answer to /ping. */
async function talk(bot: string): Promise<string> {
  await using service = await startService({ port: 0, world: defaultWorld('bot', TOKEN) })
  await using running = startBotProcess(framework, ['start'], {
    cwd: bot,
    token: TOKEN,
    base_url: service.base_url,
    node: node!,
  })
  const ann = joinChat(service, { bot: 'bot' }).person('ann')
  await untilOnline(ann, running)
  const { content } = await ann.says('/ping')
  expect(await running.stop()).toEqual({ code: 0, output: '' })
  return content
}
