// @module-tag all/containers
import { execFileSync } from 'node:child_process'
import { chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { scaffold } from '@botwright/create-bot'
import { defaultWorld, startService, type Service } from '@botwright/service'
import { joinChat } from '@botwright/testing'
import '@botwright/testing/matchers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../src/lib/free-port.test.fixture.ts'
import { Container, whyNoContainer } from './container.test.fixture.ts'
import { buildImage, type Image } from './image.test.fixture.ts'
import { cleanEnv, home } from './installed-templates.test.fixture.ts'

// Tests the Dockerfile and compose.yaml of the templates as far as possible without Docker: runs every line of the Dockerfile,
// and then the built bot as its own process 1, as an unprivileged user on a read-only disk.

const why = whyNoContainer()
if (why !== undefined) console.warn(`SKIPPED: no image is built and run: ${why}`)

/** Starts, and takes a while to finish. */
const kettle = `import { setTimeout as pause } from 'node:timers/promises'
import { command, integer } from '@botwright/framework'
import kettles from '../state/kettles.ts'
export default command({
  args: { ms: integer() },
  run: async (ctx): Promise<string> => {
    const count = await kettles.of(ctx).update((before) => before + 1)
    await ctx.reply(\`cup \${count}\`)
    if (!ctx.redelivered) await pause(ctx.args.ms)
    return \`tea \${count}\`
  },
})
`
const kettles = `import { state } from '@botwright/framework'
export default state({ scope: 'user', initial: 0 })
`
const TOKEN = 'token-of-the-image'
const world = defaultWorld('bot', TOKEN)

// Skipped if this machine cannot create namespaces, with the warning above; in CI, a skipped test fails.
describe.skipIf(why !== undefined)('the image of the Dockerfile', () => {
  let root: string
  let image: Image
  let graceMs: number
  let port: number

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'botwright-image-'))
    const context = await makeContext(root)
    // Containers share this machine's network, so each run has its own port.
    port = await freePort()
    const dockerfile = (await readFile(join(context, 'Dockerfile'), 'utf8')).replaceAll('9090', String(port))
    image = await buildImage(root, context, dockerfile)
    const [, seconds] = /^ *stop_grace_period: (\d+)s$/m.exec(await readFile(join(context, 'compose.yaml'), 'utf8'))!
    graceMs = Number(seconds) * 1000
  })
  afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 5 }))

  /** Creates a volume like Docker, with the owner of its path in the image. */
  async function newVolume(owner: 'node' | 'root' = 'node'): Promise<Record<string, string>> {
    const [place] = image.volumes
    const folder = await mkdtemp(join(root, 'volume-'))
    const { uid, gid } = await stat(join(image.bot, relative(image.workdir, place!)))
    if (owner === 'node') await chown(folder, uid, gid)
    return { [place!]: folder }
  }

  function start(service: Service, volumes: Record<string, string>, more: Record<string, string> = {}) {
    const env = { ...image.env, BOT_TOKEN: TOKEN, BOT_BASE_URL: service.base_url, ...more }
    return Container.run({ ...image, env, volumes, locked: true }, image.command)
  }
  const ready = (bot: Container) => expect.poll(() => bot.output).toContain('is ready')
  const annOf = (service: Service) => joinChat(service, { bot: 'bot' }).person('ann')

  test('answers, is healthy and keeps its state, as an unprivileged user on a read-only disk', async () => {
    expect(image).toMatchObject({ user: 'node', volumes: ['/bot/.botwright'], env: { NODE_ENV: 'production' } })
    // A client of the bot's own database, such as @libsql/client, may need the driver.
    expect(await readdir(join(image.bot, 'node_modules/@libsql'))).not.toEqual([])
    await using service = await startService({ port: 0, world })
    const volumes = await newVolume()
    for (const count of [1, 2]) {
      await using bot = await start(service, volumes)
      await ready(bot)
      const ann = annOf(service)
      expect(await ann.says('/ping')).toHaveReplied('Pong, ann!')
      expect(await ann.says('/kettle 0')).toHaveReplied(`tea ${count}`)
      expect(await bot.exec(...image.health)).toEqual({ code: 0, output: '' })
      const { output } = await bot.exec(
        'sh',
        '-c',
        'id -u; tr "\\0" " " </proc/1/cmdline; echo; echo >/bot/x; echo >/etc/x',
      )
      expect(output).toMatch(/^1000\nnode .* start \n.*\/bot\/x: Read-only.*\n.*\/etc\/x: Read-only.*\n$/)
      bot.kill('SIGTERM')
      expect(await bot.ended).toBe(0)
      expect(bot.output).not.toContain(TOKEN)
    }
  })

  test('finishes running handlers on SIGTERM, ends at once on a second one, and runs killed handlers again', async () => {
    await using service = await startService({ port: 0, world })
    const volumes = await newVolume()
    const ann = annOf(service)
    const told = async () => (await ann.sees()).map(({ content }) => content)
    const brewing = async (ms: number, cup: number): Promise<Container> => {
      const bot = await start(service, volumes)
      await ready(bot)
      await ann.posts(`/kettle ${ms}`)
      await expect.poll(told).toContain(`cup ${cup}`)
      return bot
    }
    {
      await using bot = await brewing(1500, 1)
      const askedMs = Date.now()
      bot.kill('SIGTERM')
      expect(await bot.ended).toBe(0)
      expect(Date.now() - askedMs).toBeLessThan(graceMs)
      expect(await told()).toContain('tea 1')
    }
    {
      await using bot = await brewing(60_000, 2)
      bot.kill('SIGTERM')
      await expect.poll(() => readiness(port)).toContain('the bot is stopping')
      // Sooner, it counts as forwarded by npm.
      await new Promise((resolve) => setTimeout(resolve, 600))
      bot.kill('SIGTERM')
      expect(await bot.ended).toBe(143)
    }
    {
      // The second kettle is on again (cup 3); the third (cup 4) is killed, as by Docker after the grace period.
      await using bot = await brewing(60_000, 4)
      expect(await told()).toContain('tea 3')
      bot.kill('SIGKILL')
      await bot.ended
    }
    await using _bot = await start(service, volumes)
    await expect.poll(told).toContain('tea 5')
  })

  test('names the folder that is not writable, and ends with the exit code that no restart fixes', async () => {
    await using service = await startService({ port: 0, world })
    await using ofRoot = await start(service, await newVolume('root'))
    expect([await ofRoot.ended, ofRoot.output]).toEqual([
      78,
      expect.stringContaining('/bot/.botwright, the folder of the journal and the state, cannot be written. EACCES'),
    ])
    await using withoutTmp = await start(service, await newVolume(), { TMPDIR: '/bot' })
    expect([await withoutTmp.ended, withoutTmp.output]).toEqual([78, expect.stringContaining('/bot cannot be written')])
  })
})

/** The bot's own reason why it is not ready. */
async function readiness(port: number): Promise<string[]> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`)
  return ((await answer.json()) as { reasons: string[] }).reasons
}

/** The packages of this repository's lock file. */
async function lockedVersions(): Promise<Record<string, { version: string }>> {
  const text = await readFile(new URL('../../../../package-lock.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { packages: Record<string, { version: string }> }).packages
}

/** A new bot with its lock file, as its author would commit it. */
async function makeContext(root: string): Promise<string> {
  await scaffold({ home, template: 'basic', folder: 'context', cwd: root })
  const context = join(root, 'context')
  // As in this repository: a release of today may depend on a package that a mirror of the registry does not offer yet.
  const manifest = JSON.parse(await readFile(join(context, 'package.json'), 'utf8')) as object
  const overrides = { vite: (await lockedVersions())['node_modules/vite']!.version }
  await writeFile(join(context, 'package.json'), JSON.stringify({ ...manifest, overrides }, null, 2))
  const flags = ['--package-lock-only', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  execFileSync('npm', ['install', ...flags], { cwd: context, env: cleanEnv(), stdio: 'pipe' })
  for (const [file, text] of Object.entries({ 'commands/kettle.ts': kettle, 'state/kettles.ts': kettles })) {
    await mkdir(dirname(join(context, file)), { recursive: true })
    await writeFile(join(context, file), text)
  }
  return context
}
