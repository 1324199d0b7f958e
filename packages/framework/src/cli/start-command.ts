import { resolve } from 'node:path'
import { BotwrightError, isBotwrightError } from '@botwright/protocol/facts'
import { loadBuiltConfig, readBuild } from '../program/build-manifest.ts'
import { type ConfigOverrides, readConfig, withOverrides } from '../runtime/config/read-config.ts'
import { cleanLine, errorText, hideInCrash } from './crash.ts'
import { readEnv } from '../program/env.ts'
import { readPackageJson } from './package-json.ts'
import { hasCode } from '../author/error-code.ts'
import { createRedactor, filterOutput, hiddenValues, hideFromNow, passwordsOf } from '../link/redaction.ts'
import { exitCodeOf, exitCodes } from '../program/exit-codes.ts'
import { createLog, readLogLevel } from '../program/log.ts'
import { clusterUrl, hideProcessTitle } from '../program/cluster/cluster-url.ts'
import type { Config } from '../author/config/config.ts'
import type { Log } from '../author/ports.ts'
import type { ProgramIo } from '../program/program-io.ts'
import type { Shutdown } from './shutdown.ts'
import type { RunningBot } from '../runtime/ports/running-bot.ts'
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

/** Without a build the declared variables are unknown, so errors in the common ones are reported first. */
function readBuildOf(folder: string, root: string, env: NodeJS.ProcessEnv): ReturnType<typeof readBuild> {
  try {
    return readBuild(folder, root)
  } catch (error) {
    readEnv(env)
    throw error
  }
}

async function loadSource({ source, configPath }: ReturnType<typeof readBuild>, env: NodeJS.ProcessEnv) {
  const exported = configPath === undefined ? undefined : await loadBuiltConfig(configPath)
  return { source, fileConfig: await readConfig(exported, 'bot.config.ts', env) }
}

/** Resolves with both results, or rejects with the configuration errors of both, so that users can fix them all at once. */
async function allOf<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  const [first, second] = await Promise.allSettled([one, other])
  if (first.status === 'fulfilled' && second.status === 'fulfilled') return [first.value, second.value]
  const reasons = [first, second].flatMap((each) => (each.status === 'rejected' ? [each.reason as Error] : []))
  if (!reasons.every((reason) => hasCode(reason, 'ERR_CONFIG'))) throw reasons[0]!
  throw new BotwrightError('ERR_CONFIG', reasons.map(({ message }) => message).join('\n'))
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
    const built = readBuildOf(resolve(root, folder), root, env)
    const [botEnv, { source, fileConfig }] = await allOf((async () => readEnv(env))(), loadSource(built, env))
    const { token, baseUrl, webhookSecret, logLevel, healthPort, httpPort, controlToken } = botEnv
    const overrides: ConfigOverrides = {
      ...(workers !== undefined && { workers }),
      ...{ healthPort, httpPort },
      ...(controlActions && { controlActions }),
    }
    const config = withOverrides(fileConfig, overrides)
    checkControl(config, controlToken, controlActions)
    const url = clusterUrl(config, env, options.clusterUrl)
    const secrets = [token, webhookSecret, controlToken, ...passwordsOf(url), ...hiddenValues(config.hiddenEnv, env)]
    hideInCrash(secrets)
    filterOutput(io, createRedactor(secrets))
    const log = createLog({ level: readLogLevel(logLevel), secrets, to: io.stdout })
    const cluster = url === undefined ? undefined : await loadCluster(url, root, secrets)
    const bot = await startBot(
      {
        source,
        config,
        baseUrl,
        token,
        log,
        io,
        signal: shutdown.signal,
        version: versionOf(root),
        ...(cluster && { cluster }),
        ...(controlToken !== undefined && { controlToken }),
        ...(webhookSecret !== undefined && { webhookSecrets: [webhookSecret] }),
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

/** The control room needs a port and a token. Throws `ERR_CONFIG`. */
function checkControl({ health }: Config, token: string | undefined, actions: boolean | undefined): void {
  const wanted = actions ? '--control-actions' : health?.control && 'health.control of bot.config.ts'
  if (wanted !== undefined && token === undefined)
    throw new BotwrightError(
      'ERR_CONFIG',
      `BOT_CONTROL_TOKEN is not set, but ${wanted} opens the control room: set it to the output of "openssl rand -hex 32"`,
    )
  if (token !== undefined && !health)
    throw new BotwrightError(
      'ERR_CONFIG',
      'BOT_CONTROL_TOKEN is set, but the control room has no port: set BOT_HEALTH_PORT, or health in bot.config.ts, or remove the token',
    )
}

/** A bot receives events only of servers that it was added to (§1). Without one it seems to do nothing. */
async function logIfInNoServer({ call, me }: RunningBot, log: Log): Promise<void> {
  try {
    const { servers } = await call('servers.list', {})
    if (Array.isArray(servers) && servers.length === 0)
      log.info(
        {},
        `${me.username} is not in any server: it receives only direct messages. A server manager can add it to a server`,
      )
  } catch {
    // Other calls report errors of the service.
  }
}

/** Loaded only for bots that run as a cluster. */
async function loadCluster(url: string, root: string, secrets: readonly (string | undefined)[]) {
  hideFromNow(...secrets)
  const { findCluster } = await import('../program/cluster/find-cluster.ts')
  return findCluster(url, root, 'framework start --cluster')
}

/** The version in the bot's `package.json`. It is shown in the cluster status during a rolling upgrade. */
function versionOf(root: string): string {
  const version: unknown = readPackageJson(root)?.version
  return typeof version === 'string' ? version : 'unknown'
}
