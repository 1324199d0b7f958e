import { defaultWorld, startService, type Service } from '@botwright/service'
import { openDatabase, type DriverName } from '@botwright/sqlite'
import { joinChat, startTestBot } from '@botwright/testing'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startBotProcess } from '../bot-process.ts'
import { untilOnline } from '../until-online.ts'

/** The results on one runtime. */
export interface SmokeReport {
  /** `Node 22.23.3`. */
  runtime: string
  /** The default SQLite driver. */
  sqlite: DriverName
  /** The last line of `framework check`, without the time that it took. */
  check: string
  /** Answers to /ping from the testing kit, a built bot, and `framework dev` before and after a save. */
  kit: string
  built: string
  restarted: string
  dev: string
  reloaded: string
  /** After SIGTERM. */
  exitCodes: (number | null)[]
}

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const framework = join(root, 'packages/framework/bin/framework.cjs')
const TOKEN = 'smoke-bot'
/** A minute, twice a second: a bot may send only some messages a minute. */
const RELOAD_TRIES = 120

const ping = (word: string) => `import { command } from '@botwright/framework'
import visits from '../state/visits.ts'
export default command({
  description: 'Counts your visits',
  run: async (ctx): Promise<string> => \`${word} \${await visits.of(ctx).update((count) => count + 1)}\`,
})
`
const files = {
  'package.json': '{ "type": "module", "dependencies": { "@botwright/framework": "*" } }',
  'tsconfig.json':
    '{ "compilerOptions": { "module": "nodenext", "strict": true, "noEmit": true, "allowImportingTsExtensions": true, "skipLibCheck": true } }',
  'commands/ping.ts': ping('pong'),
  'state/visits.ts': `import { state } from '@botwright/framework'\nexport default state({ scope: 'user', initial: 0 })\n`,
}

/** Runs a bot in every way that bots can run, on the current runtime. Rejects if it does not answer. */
export async function smoke(): Promise<SmokeReport> {
  const cwd = await mkdtemp(join(tmpdir(), 'botwright-smoke-'))
  try {
    await symlink(join(root, 'node_modules'), join(cwd, 'node_modules'), 'junction')
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(cwd, file)), { recursive: true })
      await writeFile(join(cwd, file), text)
    }
    await using service = await startService({ port: 0, world: defaultWorld('bot', TOKEN) })
    using memory = openDatabase(':memory:')
    return {
      runtime: runtime(),
      sqlite: memory.driver,
      check: await checked(cwd),
      kit: await inKit(cwd),
      ...(await asBuilt(cwd, service)),
    }
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}

/** Bun and Deno also have the version of Node that they are compatible with. */
function runtime(): string {
  const { bun, deno, node } = process.versions as Partial<Record<string, string>>
  if (bun !== undefined) return `Bun ${bun}`
  return deno === undefined ? `Node ${node}` : `Deno ${deno}`
}

async function checked(cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [framework, 'check'], { cwd })
  return stdout
    .trim()
    .split('\n')
    .at(-1)!
    .replace(/ +[\d.]+ m?s$/, '')
}

async function inKit(cwd: string): Promise<string> {
  await using chat = await startTestBot(cwd)
  return (await chat.person('ann').says('/ping')).content
}

async function asBuilt(cwd: string, service: Service) {
  const ann = joinChat(service, { bot: 'bot' }).person('ann')
  const place = { cwd, token: TOKEN, base_url: service.base_url }
  const exitCodes: (number | null)[] = []
  const run = async (args: readonly string[], use: () => Promise<void>) => {
    await using bot = startBotProcess(framework, args, place)
    await untilOnline(ann, bot)
    await use()
    exitCodes.push((await bot.stop()).code)
  }
  const ask = async () => (await ann.says('/ping')).content

  await promisify(execFile)(process.execPath, [framework, 'build'], { cwd })
  let [built, restarted, dev, reloaded] = ['', '', '', '']
  await run(['start'], async () => void (built = await ask()))
  await run(['start'], async () => void (restarted = await ask()))
  await run(['dev', '--real'], async () => {
    dev = await ask()
    await writeFile(join(cwd, 'commands/ping.ts'), ping('again'))
    for (let tries = 0; tries < RELOAD_TRIES && !reloaded.startsWith('again'); tries++) {
      await pause(500)
      reloaded = await ask()
    }
  })
  return { built, restarted, dev, reloaded, exitCodes }
}
