import { resolve } from 'node:path'
import { isBotwrightError } from '@botwright/protocol/facts'
import { errorText } from './crash.ts'
import { cleanLine, hideInCrash } from '../program/clean-line.ts'
import { logIfInNoServer } from '../features/embed/in-no-server.ts'
import { checkControl } from '../features/health/control/check-control.ts'
import { createRedactor, filterOutput } from '../link/redaction.ts'
import { exitCodeOf, exitCodes } from '../program/exit-codes.ts'
import { createLog, readLogLevel } from '../program/log.ts'
import { hideProcessTitle } from '../program/cluster/cluster-url.ts'
import type { ProgramIo } from '../program/program-io.ts'
import { readBot } from '../program/read-bot.ts'
import type { Shutdown } from './shutdown.ts'
import { startBot } from '../runtime/start/start-bot.ts'
import type { BareWorker } from '../runtime/threads/bare-worker.ts'

export interface StartCommandOptions {
  io: ProgramIo
  /** The output folder of `framework build`. */
  folder: string
  /** The folder of the journal. */
  stateDir?: string
  workers?: number
  /** The URL of the cluster's Redis. Overrides the environment and `bot.config.ts`. */
  clusterUrl?: string
  /** Lets the control room act. Overrides `bot.config.ts`. */
  controlActions?: boolean
}

/** `framework start`: runs a built bot until a signal ends it; `threads` have been started already. Resolves with the exit code (`exitCodes`). */
export async function startCommand(
  options: StartCommandOptions,
  shutdown: Shutdown,
  threads: readonly BareWorker[],
): Promise<number> {
  const { folder, io, stateDir, workers, controlActions } = options
  const { env, cwd: root } = io
  hideProcessTitle(options.clusterUrl, 'framework start')
  try {
    const { config, controlToken, logLevel, secrets, ...read } = await readBot({
      ...{ folder: resolve(root, folder), root, env, clusterUrl: options.clusterUrl, signal: shutdown.signal },
      ...(workers !== undefined && { workers }),
      ...(controlActions && { controlActions }),
    })
    checkControl(config, controlToken, controlActions)
    hideInCrash(secrets)
    filterOutput(io, createRedactor(secrets))
    const log = createLog({ level: readLogLevel(logLevel), secrets, to: io.stdout })
    const bot = await startBot(
      {
        ...(await read.options()),
        ...{ log, io, signal: shutdown.signal },
        ...(stateDir !== undefined && { stateDir: resolve(root, stateDir) }),
      },
      threads,
    )
    const stop = (): void => {
      const { graceSeconds } = config.limits
      const text = `${shutdown.by}: stopping; running handlers have ${graceSeconds} s to finish, and a second signal stops the bot at once`
      log.info({ signal: shutdown.by }, text)
      void bot.stop()
    }
    shutdown.signal.addEventListener('abort', stop, { once: true })
    if (shutdown.signal.aborted) stop()
    void logIfInNoServer(bot, log)
    const { reason } = await bot.ended
    const code = exitCodes[reason]
    log.info({ code }, reason === 'stopped' ? 'stopped' : 'stopped: the token is no longer valid')
    return code
  } catch (error) {
    if (shutdown.signal.aborted) return exitCodes.stopped
    if (!isBotwrightError(error)) throw error
    io.stderr.write(cleanLine(errorText(error), env))
    return exitCodeOf(error)
  } finally {
    shutdown[Symbol.dispose]()
  }
}
