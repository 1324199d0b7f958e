import { parentPort, workerData } from 'node:worker_threads'
import { readConfig } from '@botwright/framework'
import { dryRun, realRun } from '@botwright/framework/replay'
import { mapStacks, readBuild, readEnv } from '@botwright/framework/start'
import { loadConfigModule } from '../files/bot-folder.ts'
import type { ReplayJob, ReplayMessage } from './replay-thread.ts'

// Runs recorded events through the code of a bot; `replay-thread.ts` starts it.

mapStacks()

const { root, build, events, recordedBy, stateDir, dry } = workerData as ReplayJob
const { env } = process
const send = (message: ReplayMessage): void => parentPort!.postMessage(message)
const logger =
  (level: 'debug' | 'info' | 'warn' | 'error') =>
  (_facts: object, text: string): void =>
    send({ kind: 'log', level, text })

try {
  const { source, configPath } = readBuild(build, root)
  const config = await readConfig(await loadConfigModule(configPath), 'bot.config.ts', env)
  const log = { debug: logger('debug'), info: logger('info'), warn: logger('warn'), error: logger('error') }
  const shared = { events, source, config, stateDir, log, env }
  send({ kind: 'started' })
  const runs = dry
    ? dryRun({ ...shared, service: dry.service, onService: (up) => void (up || send({ kind: 'unreachable' })) })
    : realRun({ ...shared, recordedBy, ...readEnv(env), signal: new AbortController().signal })
  for await (const replayed of runs) send({ kind: 'replayed', replayed })
  send({ kind: 'done' })
} catch (error) {
  const { name, message, stack, code } = (error instanceof Error ? error : new Error(String(error))) as Error & {
    code?: unknown
  }
  send({ kind: 'failed', error: { name, message, ...(stack !== undefined && { stack }), code } })
}
