import { createServer } from 'node:net'
import { eventWebhookHeaders, signEventWebhook } from '@botwright/protocol/facts'
import type { BotFiles } from '../build-files.ts'
import { fault, type Finding, ok, warning } from './finding.ts'
import { originOf } from './origin-of.ts'

/** A bot that takes longer to answer does not respond. */
const PATIENCE_MS = 3000

/** Receiving event webhooks (§4) requires the secret and a port. */
export async function lookAtWebhook({ config, configFile }: BotFiles, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  if (config.delivery === 'poll') return []
  const subject = 'event webhook'
  const asked = `delivery is '${config.delivery}' in ${configFile ?? 'the configuration'}`
  if (!env['BOT_WEBHOOK_SECRET']?.trim())
    return [
      fault(
        subject,
        `${asked}, but BOT_WEBHOOK_SECRET is not set`,
        'copy the secret from the Developer screen into .env, or set delivery to poll',
        'ERR_CONFIG',
      ),
    ]
  const { host, port, path } = config.webhook
  const trouble = port === 0 ? undefined : await listenTrouble(host, port)
  if (trouble === 'EADDRINUSE') {
    const tried = await trySecret({ host, port, path }, env['BOT_WEBHOOK_SECRET'].trim())
    if (tried) return [tried]
    return [
      warning(
        subject,
        `${host}:${port} is in use: by this bot if it is running`,
        'otherwise choose another webhook.port in the configuration',
      ),
    ]
  }
  if (trouble !== undefined)
    return [
      fault(
        subject,
        `${host}:${port} cannot be used (${trouble})`,
        'set webhook.host to an address of this machine, and webhook.port to a port that this user may use',
      ),
    ]
  return [ok(subject, `the secret is set, ${host}:${port} is free`)]
}

/**
 * Sends an empty event with this secret to the running bot, which refuses it with 400 if it has the same secret, and with 401 otherwise.
 * Undefined if another program listens there.
 */
async function trySecret(
  { host, port, path }: { host: string; port: number; path: string },
  secret: string,
): Promise<Finding | undefined> {
  const body = '{}'
  const subject = 'event webhook'
  const url = `${originOf({ host, port })}${path}`
  const headers = {
    'content-type': 'application/json',
    [eventWebhookHeaders.signature]: signEventWebhook(secret, body),
  }
  // Many servers answer 400 or 401. A bot has no body to answer with, and refuses other methods in a way of its own.
  const other = await answerOf(url, { method: 'GET' })
  if (other?.status !== 405 || other.allow !== 'POST' || other.text !== '') return undefined
  const { status, text } = (await answerOf(url, { method: 'POST', body, headers })) ?? {}
  if (text !== '') return undefined
  if (status === 400) return ok(subject, `the bot on ${host}:${port} accepts BOT_WEBHOOK_SECRET`)
  if (status !== 401) return undefined
  return fault(
    subject,
    `the bot on ${host}:${port} has another secret than BOT_WEBHOOK_SECRET`,
    'restart the bot. If its log still reports wrong signatures, copy the secret from the Developer screen again',
  )
}

/** Undefined: there is none. */
async function answerOf(
  url: string,
  request: RequestInit,
): Promise<{ status: number; allow: string | null; text: string } | undefined> {
  try {
    const response = await fetch(url, { ...request, redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) })
    return { status: response.status, allow: response.headers.get('allow'), text: await response.text() }
  } catch {
    return undefined
  }
}

/** Why a server cannot listen there: the code of the error. */
const listenTrouble = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => resolve(code ?? message))
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
