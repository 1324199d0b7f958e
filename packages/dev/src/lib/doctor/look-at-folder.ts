import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { readConfig } from '@botwright/framework'
import { eventWebhookHeaders, isBotwrightError, signEventWebhook } from '@botwright/protocol/facts'
import { settingsWithoutTypes, typesFile } from '../generated-types/write-types.ts'
import { loadFolder, type LoadedFolder } from '../load/loaded-folder.ts'
import { compilerOf, settingsOf } from '../compile/typecheck.ts'
import type { ThreadIo } from '@botwright/framework/start'
import { count } from '../terminal/terminal.ts'
import { fault, ok, warning, type Finding } from './finding.ts'

/** A bot that takes longer to answer does not respond. */
const PATIENCE_MS = 3000

/** The bot's files and its configuration; undefined if they do not load. */
export async function lookAtFolder(
  root: string,
  files: Set<string>,
  io: ThreadIo,
): Promise<{ findings: Finding[]; loaded?: LoadedFolder }> {
  if (!existsSync(join(root, 'package.json')))
    return {
      findings: [
        fault(
          'folder',
          'there is no package.json here',
          'change to the folder of a bot, or create one with create-bot',
        ),
      ],
    }
  try {
    const loaded = await loadFolder(root, files, io)
    const handlers = loaded.definitions.length
    const found =
      handlers > 0
        ? ok('folder', handlers === 1 ? '1 handler loads' : `${handlers} handlers load`)
        : warning('folder', 'there are no handlers here', 'framework add command ping')
    return {
      findings: [found, ...(await lookAtTypes(root, files)), ...(await lookAtVariables(loaded, io.env))],
      loaded,
    }
  } catch (error) {
    const [first = ''] = (error as Error).message.split('\n')
    return { findings: [fault('folder', first, 'framework check shows every problem', codeOf(error))] }
  }
}

/** Without the compiler or its settings, the types of a bot are not checked at all, which is easy to miss. */
async function lookAtTypes(root: string, files: ReadonlySet<string>): Promise<Finding[]> {
  const settings = settingsOf(root)
  if (settings === undefined) {
    const isTyped = [...files].some((file) => /\.m?ts$/.test(file))
    const fix = 'copy it from a new bot of create-bot'
    return isTyped ? [warning('types', 'there is no tsconfig.json, so no types are checked', fix)] : []
  }
  if (compilerOf(root) === undefined)
    return [warning('types', 'typescript is not installed, so no types are checked', 'npm i -D typescript')]
  const without = await settingsWithoutTypes(root)
  if (without === undefined) return []
  const fix = `add "${typesFile}" to "include" in ${without}`
  return [warning('types', 'names of other files are not type-checked', fix)]
}

/** The variables that `env` of the configuration requires. */
async function lookAtVariables(
  { exported, configFile }: LoadedFolder,
  variables: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  try {
    const { env } = await readConfig(exported, configFile, variables)
    return env ? [ok('environment', `${count(Object.keys(env).length, 'variable')} as ${configFile} declares`)] : []
  } catch (error) {
    return (error as Error).message.split('\n').map((line) => {
      const [, fact = line, fix = 'correct it'] = /^(.*?): ((?:add|correct|declare|make) .*)$/.exec(line) ?? []
      return fault('environment', fact, fix, 'ERR_CONFIG')
    })
  }
}

/** Everyone who can read the repository can read a token in it. Git itself decides which files it contains. */
export async function lookAtSecrets(root: string): Promise<Finding[]> {
  if (!existsSync(join(root, '.env'))) return []
  if ((await git(root, 'ls-files', '--error-unmatch', '.env')) === 0)
    return [
      warning(
        'secrets',
        '.env contains the token and is in the repository',
        'add .env to .gitignore, run git rm --cached .env, and create a new token',
      ),
    ]
  // 0: it is ignored. 128: there is no repository.
  if ((await git(root, 'check-ignore', '--quiet', '.env')) !== 1) return []
  return [warning('secrets', '.env contains the token but is not in .gitignore', 'add .env to .gitignore')]
}

/** The exit code of git; undefined if it is not installed. */
const git = (root: string, ...args: string[]): Promise<number | undefined> =>
  new Promise((resolve) =>
    execFile('git', args, { cwd: root }, (error) =>
      resolve(error === null ? 0 : typeof error.code === 'number' ? error.code : undefined),
    ),
  )

/** Receiving event webhooks (§4) requires the secret and a port. */
export async function lookAtWebhook({ config, configFile }: LoadedFolder, env: NodeJS.ProcessEnv): Promise<Finding[]> {
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
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const url = `http://${name.includes(':') ? `[${name}]` : name}:${port}${path}`
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

const codeOf = (error: unknown) => (isBotwrightError(error) ? error.code : undefined)
