import type { Clock } from '@botwright/clock'
import { type HttpAnswer, type Report, SignedEvents } from '@botwright/events/webhooks'
import { BotwrightError, isBotwrightError } from '@botwright/protocol/facts'
import type { BotProfile } from '@botwright/protocol/shapes'
import { createFetchCall, type RestOptions } from '@botwright/rest/fetch'
import type { Config } from '../../author/config/config.ts'
import type { Variables } from '../../author/env-schema.ts'
import type { Log, StateStore } from '../../author/ports.ts'
import { createRedactor, hiddenValues, hideFromNow, secretsOfEnv } from '../../link/redaction.ts'
import { type BotEnv, readEnv } from '../../program/env.ts'
import { readConfig } from '../../runtime/config/read-config.ts'
import { refused } from '../routes/plain-request.ts'
import { secretProblem } from '../routes/routes.ts'
import type { BundledBot, FunctionEnv } from './bundled-bot.ts'
import { consoleLog } from './console-log.ts'

/** The data that all invocations of one instance of the module share. */
export interface Site {
  bot: BundledBot
  config: Config
  env: BotEnv
  /** Checks event webhooks; undefined without their secret. One for all invocations, so that invalid requests do not flood the log. */
  events: SignedEvents | undefined
  /** Answers event webhooks without their secret. */
  withoutSecret: HttpAnswer
  me: BotProfile
  store: StateStore
  log: Log
  clock: Clock
}

/** Reads the configuration and the variables, and identifies the bot. Rejects with `ERR_CONFIG`, and with the errors of the service. */
export async function openSite(bot: BundledBot, given: FunctionEnv, clock: Clock): Promise<Site> {
  const variables = variablesOf(given)
  const { env, config } = await readVariables(bot, variables).catch(onPlatform)
  // Also in errors for the platform.
  hideFromNow(...hiddenValues(config.hiddenEnv, variables))
  if (!config.store) throw new BotwrightError('ERR_CONFIG', noStore)
  const problem = lastingSetting(config) ?? secretProblem(bot.definitions, config)
  if (problem !== undefined) throw new BotwrightError('ERR_CONFIG', problem)
  const { token, webhookSecret: secret, controlToken } = env
  const log = consoleLog(env.logLevel, [token, secret, controlToken])
  const me = await identify({ ...clientOptions(env, log), messageBudget: false })
  const store = await config.store({ botId: me.id, clock, log })
  return {
    bot,
    config,
    env,
    me,
    store,
    log,
    clock,
    events: secret === undefined ? undefined : signedEvents(secret, me, { log, clock }),
    withoutSecret: noSecret(log),
  }
}

/** Only texts are variables of the bot. */
const variablesOf = (given: FunctionEnv): Variables =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )

/**
 * An error for the log of the platform, which prints all of it: its stack, its cause and its fields, without the secrets of the variables. The
 * code of a bot may throw any error.
 */
export function withoutSecrets(error: unknown, given: FunctionEnv): Error {
  const {
    code,
    message,
    stack = message,
  }: Error & { code?: unknown } = error instanceof Error ? error : new Error(String(error))
  const redact = createRedactor(secretsOfEnv(variablesOf(given)))
  return Object.assign(new Error(redact(message)), { stack: redact(stack), ...(code !== undefined && { code }) })
}

/** A setting of a process that lasts. The build refuses it, but it may depend on variables. */
function lastingSetting(config: Config): string | undefined {
  const name = (['quietHours', 'cluster'] as const).find((one) => config[one])
  return name && `bot.config.ts: functions cannot have ${name}; remove it, or run the bot with framework start`
}

async function readVariables(bot: BundledBot, variables: Variables): Promise<Pick<Site, 'env' | 'config'>> {
  const env = readEnv(variables)
  const exported = ((await bot.config?.()) as { default?: unknown } | undefined)?.default
  return { env, config: await readConfig(exported, 'bot.config.ts', variables) }
}

/** The errors of variables name the file of the other commands, `.env`, which a function does not have. */
function onPlatform(error: unknown): never {
  if (!isBotwrightError(error)) throw error
  const text = error.message.replaceAll(/\b(in|into|to) \.env\b/g, '$1 the variables of the function')
  throw new BotwrightError(error.code, text, { cause: error })
}

/** Logs once what it answers: the service shows no answers. */
function noSecret(log: Log): HttpAnswer {
  const text = 'BOT_WEBHOOK_SECRET is not set: copy it from the Developer screen into the variables of the function'
  let isLogged = false
  return async () => {
    if (!isLogged) log.error({ code: 'ERR_CONFIG' }, `event webhooks are refused: ${text}`)
    isLogged = true
    return refused(503, text)
  }
}

function signedEvents(secret: string, { id: botId }: BotProfile, { log, clock }: Pick<Site, 'log' | 'clock'>) {
  // Each invocation passes its own.
  const offer = () => Promise.reject(new Error('the event has no invocation'))
  const report: Report = ({ level, message, ...facts }) => log[level](facts, message)
  return new SignedEvents({ secrets: [secret], botId, offer, report, clock })
}

const noStore =
  'bot.config.ts: store is missing; a function keeps nothing between its requests, so set it to a store that all of them share'

/** The options of the client of any invocation. */
export const clientOptions = ({ baseUrl, token }: BotEnv, log: Log): RestOptions => ({
  baseUrl,
  token,
  onReport: ({ level, message, ...facts }) => log[level](facts, message),
})

async function identify(options: RestOptions): Promise<BotProfile> {
  await using call = createFetchCall(options)
  // The end of the block closes the client.
  return await call('me.get', {})
}
