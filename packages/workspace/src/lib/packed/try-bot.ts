import { execFile } from 'node:child_process'
import { defaultWorld, startService } from '@botwright/service'
import { joinChat } from '@botwright/testing'
import { startBotProcess } from '../bot-process.ts'
import { promptEnv } from '../prompt-env.ts'
import { untilOnline } from '../until-online.ts'

/** One step of a bot's author, and its result. */
export interface Trial {
  name: 'check' | 'test' | 'build' | 'start'
  ok: boolean
  seconds: number
  /** Its output, or the answer of the started bot. */
  output: string
}

const framework = 'node_modules/@botwright/framework/bin/framework.cjs'
const vitest = 'node_modules/vitest/vitest.mjs'
const TOKEN = 'token-of-the-trial'

/**
 * Runs the steps of a bot's author in a folder, on the given Node: checks the types, runs the tests, builds the bot, starts it
 * and sends /help. The folder has its packages installed. Stops at the first failure.
 */
export async function tryBot(folder: string, node: string): Promise<Trial[]> {
  const trials: Trial[] = []
  const program = (name: Trial['name'], ...args: string[]) => [name, () => run(folder, node, args)] as const
  for (const [name, work] of [
    program('check', framework, 'check'),
    program('test', vitest, 'run', '--testTimeout', '60000'),
    program('build', framework, 'build'),
    ['start', () => askForHelp(folder, node)] as const,
  ]) {
    const beganMs = performance.now()
    const outcome = await work().catch((error: unknown) => ({ ok: false, output: String(error) }))
    trials.push({ name, seconds: (performance.now() - beganMs) / 1000, ...outcome })
    if (!outcome.ok) break
  }
  return trials
}

interface Outcome {
  ok: boolean
  output: string
}

const run = (cwd: string, node: string, args: readonly string[]): Promise<Outcome> =>
  new Promise((resolve) =>
    execFile(node, args, { cwd, env: { ...promptEnv(), NO_COLOR: '1' }, timeout: 180_000 }, (error, stdout, stderr) =>
      resolve({ ok: error === null, output: stdout + stderr }),
    ),
  )

/** Runs the built bot on its own service. Every bot answers /help: with its commands, or with a refusal for people who are not moderators. */
async function askForHelp(cwd: string, node: string): Promise<Outcome> {
  await using service = await startService({ port: 0, world: defaultWorld('bot', TOKEN) })
  await using bot = startBotProcess(framework, ['start'], { cwd, token: TOKEN, base_url: service.base_url, node })
  const ann = joinChat(service, { bot: 'bot' }).person('ann')
  try {
    await untilOnline(ann, bot)
  } catch (error) {
    return { ok: false, output: `${String(error)}\n${(await bot.stop()).output}` }
  }
  const { content } = await ann.says('/help')
  const { code, output } = await bot.stop()
  return { ok: content !== '' && code === 0 && !output.includes('"level":"error"'), output: content + output }
}
