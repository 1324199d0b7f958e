import { defaultWorld, startService, type Service } from '@botwright/service'
import { joinChat } from '@botwright/testing'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { untilOnline } from '../until-online.ts'
import { packAll } from './pack.ts'
import { isPublished, publishFolders } from './publish.ts'
import { startRegistry } from './registry.test.fixture.ts'
import { releasedPackages } from './released.ts'
import { unpackInto } from './stage.test.fixture.ts'
import { hasTools } from './tools.ts'
import { writeVersion } from './write-version.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const run = promisify(execFile)
const NEXT = '9.0.0'
const BOT_TOKEN = 'published-bot'

if (!hasTools()) console.warn('SKIPPED: no registry is installed; run `node packages/workspace/bin/tools.mjs`')

/** What the author of the bot adds: something that must outlive an upgrade. */
const visits = {
  'state/visits.ts': `import { state } from '@botwright/framework'\nexport default state({ scope: 'user', initial: 0 })\n`,
  'commands/visit.ts': `import visits from '../state/visits.ts'
import { command } from '@botwright/framework'
export default command({ run: async (ctx) => \`visit \${await visits.of(ctx).update((count) => count + 1)}\` })
`,
}

test.skipIf(!hasTools())(
  'strangers make a bot from the registry, run it, and upgrade it with its state',
  { timeout: 240_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'botwright-registry-'))
    try {
      const released = await releasedPackages(root)
      const folders = released.map((one) => one.folder)
      const [{ version: first } = { version: '' }] = released
      await unpackInto(join(folder, 'stage'), released, await packAll(root, released, folder))
      await using registry = await startRegistry(join(folder, 'registry'))
      const { env } = registry
      await using service = await startService({ port: 0, world: defaultWorld('my-bot', BOT_TOKEN) })
      const npm = (cwd: string, ...args: string[]) => run('npm', args, { cwd, env, maxBuffer: 64 * 2 ** 20 })

      await publishFolders(join(folder, 'stage'), folders, { env })
      expect(await isPublished('@botwright/testing', first, env)).toBe(true)
      expect(await isPublished('@botwright/testing', NEXT, env)).toBe(false)
      await expect(publishFolders(join(folder, 'stage'), ['create-bot'], { env })).rejects.toThrow(
        'cannot publish over the previously published versions',
      )

      await npm(folder, 'create', '--yes', '@botwright/bot', 'my-bot', '--', '--yes', '--no-git')
      const bot = join(folder, 'my-bot')
      for (const [file, text] of Object.entries(visits)) {
        await mkdir(join(bot, file, '..'), { recursive: true })
        await writeFile(join(bot, file), text)
      }
      expect(await installed(bot)).toEqual({ framework: first, dev: first })
      expect(await talk(bot, service, ['/ping', '/visit'])).toEqual(['Pong, ann!', 'visit 1'])

      await writeVersion(join(folder, 'stage'), NEXT)
      await publishFolders(join(folder, 'stage'), folders, { env })
      const kit = ['framework', 'dev', 'service', 'testing'].map((name) => `@botwright/${name}@latest`)
      await npm(bot, 'install', '--save-exact', ...kit)
      expect(await installed(bot)).toEqual({ framework: NEXT, dev: NEXT })
      expect(await talk(bot, service, ['/ping', '/visit'])).toEqual(['Pong, ann!', 'visit 2'])
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
)

async function installed(bot: string) {
  const versionOf = async (name: string) =>
    (
      JSON.parse(await readFile(join(bot, `node_modules/@botwright/${name}/package.json`), 'utf8')) as {
        version: string
      }
    ).version
  return { framework: await versionOf('framework'), dev: await versionOf('dev') }
}

/** Builds the bot and runs it as in production, against a service with ann in it; gives the answers to what she says. */
async function talk(bot: string, service: Service, lines: readonly string[]): Promise<string[]> {
  const framework = join(bot, 'node_modules/@botwright/framework/bin/framework.mjs')
  await run(process.execPath, [framework, 'build'], { cwd: bot })
  const child = spawn(process.execPath, [framework, 'start'], {
    cwd: bot,
    env: { ...process.env, BOT_TOKEN, BOT_BASE_URL: service.base_url, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ended = once(child, 'exit')
  try {
    const ann = joinChat(service, { bot: 'my-bot' }).person('ann')
    await untilOnline(ann, child)
    const answers: string[] = []
    for (const line of lines) answers.push((await ann.says(line)).content)
    return answers
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}
