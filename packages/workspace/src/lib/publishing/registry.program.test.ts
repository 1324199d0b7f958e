// @module-tag all/publishing
import { defaultWorld, startService, type Service } from '@botwright/service'
import { joinChat } from '@botwright/testing'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startBotProcess } from '../bot-process.ts'
import { untilOnline } from '../until-online.ts'
import { packRelease } from './pack.ts'
import { publishPacked } from './publish.ts'
import { startRegistry } from './registry.test.fixture.ts'
import { releasedPackages } from './released.ts'
import { unpackInto } from './stage.test.fixture.ts'
import { hasTools, otherNode } from './tools.ts'
import { writeVersion } from './write-version.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const run = promisify(execFile)
const NEXT = '9.0.0'
const BOT_TOKEN = 'published-bot'

if (!hasTools()) console.warn('SKIPPED: no registry is installed; run `node packages/workspace/bin/tools.mjs`')

/** Files that the author of the bot adds, with state that must survive an upgrade. */
const visits = {
  'state/visits.ts': `import { state } from '@botwright/framework'\nexport default state({ scope: 'user', initial: 0 })\n`,
  'commands/visit.ts': `import visits from '../state/visits.ts'
import { command } from '@botwright/framework'
export default command({ run: async (ctx) => \`visit \${await visits.of(ctx).update((count) => count + 1)}\` })
`,
}

// Skipped without a registry, with the warning above; in CI, a skipped test fails.
test.skipIf(!hasTools())('strangers make a bot from the registry, run it, and upgrade it with its state', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'botwright-registry-'))
  try {
    const released = await releasedPackages(root)
    const [{ version: first } = { version: '' }] = released
    const packed = join(folder, 'packed')
    const tarballs = await packRelease(root, released, packed)
    await using registry = await startRegistry(join(folder, 'registry'))
    const { env } = registry
    await using service = await startService({ port: 0, world: defaultWorld('my-bot', BOT_TOKEN) })
    const npm = (cwd: string, ...args: string[]) => run('npm', args, { cwd, env, maxBuffer: 64 * 2 ** 20 })

    const published = released.map(({ name }) => `published ${name}@${first}`)
    expect((await publishPacked(packed, env)).split('\n')).toEqual(published)

    await npm(folder, 'create', '--yes', '@botwright/bot', 'my-bot', '--', '--yes', '--no-git')
    const bot = join(folder, 'my-bot')
    for (const [file, text] of Object.entries(visits)) {
      await mkdir(join(bot, file, '..'), { recursive: true })
      await writeFile(join(bot, file), text)
    }
    expect(await installed(bot)).toEqual({ framework: first, dev: first })
    expect(await talk(bot, service, ['/ping', '/visit'])).toEqual(['Pong, ann!', 'visit 1'])

    const stage = join(folder, 'stage')
    await unpackInto(stage, released, tarballs)
    await writeVersion(stage, NEXT)
    const next = join(folder, 'next')
    await packRelease(stage, released, next)
    await publishPacked(next, env)
    const kit = ['framework', 'dev', 'service', 'testing'].map((name) => `@botwright/${name}@latest`)
    await npm(bot, 'install', '--save-exact', ...kit)
    expect(await installed(bot)).toEqual({ framework: NEXT, dev: NEXT })
    expect(await talk(bot, service, ['/ping', '/visit'])).toEqual(['Pong, ann!', 'visit 2'])

    // In production: no dev packages, and no native driver if Node has a built-in SQLite. Both drivers read the same state.
    const node = otherNode(24)
    if (!node) return
    await npm(bot, 'install', '--omit=dev', '--omit=optional')
    expect(await packagesOf(bot)).toEqual(['@botwright/framework', '@neon-rs/load', 'detect-libc', 'libsql'])
    expect(await talk(bot, service, ['/visit'], node)).toEqual(['visit 3'])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

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

/** Builds the bot and runs it as in production, on a service with ann in it. Returns the answers to her messages. */
async function talk(bot: string, service: Service, lines: readonly string[], node?: string): Promise<string[]> {
  const framework = join(bot, 'node_modules/@botwright/framework/bin/framework.cjs')
  // Without the dev packages, the earlier build stays.
  if (!node) await run(process.execPath, [framework, 'build'], { cwd: bot })
  await using running = startBotProcess(framework, ['start'], {
    cwd: bot,
    token: BOT_TOKEN,
    base_url: service.base_url,
    ...(node && { node }),
  })
  const ann = joinChat(service, { bot: 'my-bot' }).person('ann')
  await untilOnline(ann, running)
  const answers: string[] = []
  for (const line of lines) answers.push((await ann.says(line)).content)
  expect(await running.stop()).toEqual({ code: 0, output: '' })
  return answers
}
