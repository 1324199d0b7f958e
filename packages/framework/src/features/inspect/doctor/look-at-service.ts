import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@botwright/clock'
import { endpoints } from '@botwright/protocol'
import { networkFix } from '@botwright/protocol/network-fix'
import { type Answer, proxyFor, Transport } from '@botwright/rest/transport'
import { readEnv } from '../../../program/env.ts'
import type { ProgramIo } from '../../../program/program-io.ts'
import { lookAtAccess } from './look-at-access.ts'
import { fault, ok, warning, type Finding } from './finding.ts'

/** A service that takes longer is as good as unavailable. */
const PATIENCE_MS = 8000
const MOST_BYTES = 32 * 1024 * 1024
/** Clocks of two machines differ slightly; a click is open for 15 minutes (§3). */
const SKEW_SECONDS = { noticed: 10, wrong: 120 }

/** How many servers are asked for the bot's permissions. */
const MOST_SERVERS = 50

/** The permissions that the bot itself needs, each with the files whose guards need it. */
export type Needs = ReadonlyMap<string, readonly string[]>

/** Checks the variables, the service, whether it accepts the token, its clock, and the bot's permissions in its servers. */
export async function lookAtService(
  io: Pick<ProgramIo, 'cwd' | 'env'>,
  stateDir: string,
  needs: Needs,
): Promise<Finding[]> {
  const variables = io.env
  if (!variables['BOT_TOKEN'] && !variables['BOT_BASE_URL'])
    return [
      warning(
        'token',
        'BOT_TOKEN and BOT_BASE_URL are not set: framework dev starts a local service, framework start fails',
        'for a real service, copy the token from the Developer screen into .env (see .env.example)',
      ),
    ]
  let env
  try {
    env = readEnv(variables)
  } catch (error) {
    return (error as Error).message.split('\n').map((line) => {
      const [name = '', fact = line, fix = ''] = /^(\w+) (.*?): (.*)$/.exec(line)?.slice(1) ?? []
      return fault(name === 'BOT_BASE_URL' ? 'service' : 'token', `${name} ${fact}`, fix, 'ERR_CONFIG')
    })
  }
  const { baseUrl, token } = env
  const hasRun = existsSync(join(stateDir, 'journal.db'))
  const { host, origin, pathname } = new URL(baseUrl)
  const found: Finding[] = []
  let proxy
  try {
    proxy = proxyFor(origin, variables)
  } catch (error) {
    const { message } = error as Error
    const end = message.indexOf(': ')
    return [fault('proxy', message.slice(0, end), message.slice(end + 2), 'ERR_CONFIG')]
  }
  if (proxy) found.push(ok('proxy', `requests to ${host} go through ${proxy.origin} (${proxy.variable})`))
  const transport = new Transport(origin, { clock: systemClock, maxBytes: MOST_BYTES, connections: 1, proxy })
  try {
    const get = (path: string): Promise<Answer> =>
      transport.send({
        method: 'GET',
        path: pathname + path,
        headers: ['authorization', `Bot ${token}`, 'accept', 'application/json'],
        body: null,
        timeoutMs: PATIENCE_MS,
      })
    const access = (me: string) => lookAtAccess({ baseUrl, token, me, stateDir, io })
    return [...found, ...(await ask(get, { host, pathname, hasRun, needs, access }))]
  } finally {
    await transport.destroy()
  }
}

async function ask(
  get: (path: string) => Promise<Answer>,
  {
    host,
    pathname,
    hasRun,
    needs,
    access,
  }: {
    host: string
    pathname: string
    hasRun: boolean
    needs: Needs
    access: (me: string) => Promise<Finding[]>
  },
): Promise<Finding[]> {
  let answer: Answer
  const askedMs = systemClock.now()
  try {
    answer = await get(endpoints.me.get.path)
  } catch (error) {
    const reason = reasonOf(error)
    return [
      fault(
        'service',
        `${host} does not answer (${reason})`,
        networkFix(`${(error as Error).message} (${reason})`) ?? 'check BOT_BASE_URL, the network and the proxy',
        'ERR_NO_ANSWER',
      ),
    ]
  }
  const clock = lookAtClock(answer.headers['date'], (askedMs + systemClock.now()) / 2)
  const profile = json(answer.text)
  if (answer.status === 200 && typeof profile?.['id'] === 'string')
    return [
      ok('service', `${host} answers`),
      ok('token', `accepted: the bot is ${String(profile['username'])}`),
      ...(await lookAtServers(get, profile['id'], needs)),
      ...(await access(profile['id'])),
      ...clock,
    ]
  if (answer.status === 401) {
    const replaced = hasRun ? '; the bot has run here before, so the token was probably replaced since' : ''
    return [
      ok('service', `${host} answers`),
      fault(
        'token',
        `${host} rejects BOT_TOKEN${replaced}`,
        'copy the token from the Developer screen again: creating a new one invalidates the old one',
        'ERR_UNAUTHORIZED',
      ),
      ...clock,
    ]
  }
  // Temporary errors, which a start retries.
  if (answer.status >= 500 || answer.status === 408 || answer.status === 429)
    return [
      fault('service', `${host} returned an error (${answer.status})`, 'wait, or contact the operator of the service'),
      ...clock,
    ]
  return [
    fault(
      'service',
      `${host} responds, but not as a bot interface (${answer.status} for ${pathname}${endpoints.me.get.path})`,
      'correct BOT_BASE_URL: it must be the URL of the bot interface, ending in its version, such as /v1 (interface §9)',
      'ERR_BAD_ANSWER',
    ),
  ]
}

interface ServerFacts {
  id: string
  name?: string
}

type Get = (path: string) => Promise<Answer>

/** A bot receives events only from the servers that it was added to (§1), and moderates only with the permissions of its roles there (§5). */
async function lookAtServers(get: Get, me: string, needs: Needs): Promise<Finding[]> {
  try {
    const { status, text } = await get(endpoints.servers.list.path)
    const servers = json(text)?.['servers']
    if (status !== 200 || !Array.isArray(servers)) return []
    if (servers.length === 0)
      return [
        warning(
          'servers',
          'the bot is not in any server: it receives only direct messages',
          'ask a server manager to add it',
        ),
      ]
    if (needs.size === 0) return []
    const found = []
    // One after the other: other requests of the bot share its limits.
    for (const server of servers.slice(0, MOST_SERVERS) as ServerFacts[]) {
      const inServer = await lookAtPermissions(get, server, me, needs)
      if (!inServer) return [ok('permissions', 'not checked: the service does not report the permissions of roles')]
      found.push(...inServer)
    }
    const more = servers.length - MOST_SERVERS
    if (more > 0) found.push(ok('permissions', `checked in ${MOST_SERVERS} servers; ${more} more were not checked`))
    return found.length > 0 ? found : [ok('permissions', 'the bot has all that its guards need, in every server')]
  } catch {
    // The previous call has already reported a problem of the service.
    return []
  }
}

/** Undefined if the service does not report the permissions of roles. */
async function lookAtPermissions(
  get: Get,
  { id, name = id }: ServerFacts,
  me: string,
  needs: Needs,
): Promise<Finding[] | undefined> {
  const of = (path: string) => path.replace('{server_id}', id).replace('{user_id}', me)
  const answers = [await get(of(endpoints.servers.roles.path)), await get(of(endpoints.members.get.path))] as const
  const roles = json(answers[0].text)?.['roles']
  const member = json(answers[1].text)?.['member'] as { roles?: unknown } | undefined
  if (!Array.isArray(roles) || !Array.isArray(member?.roles)) {
    const { status } = answers[Array.isArray(roles) ? 1 : 0]
    const fact = `those in the server "${name}" could not be read (${status})`
    return [warning('permissions', fact, 'run framework doctor again, or contact the operator of the service')]
  }
  const held = new Set(member.roles.map(String))
  const known = (roles as { id: string; permissions?: unknown }[]).map(({ id: role, permissions }) => ({
    own: held.has(role),
    permissions: Array.isArray(permissions) ? permissions.map(String) : undefined,
  }))
  if (known.length > 0 && known.every(({ permissions }) => permissions === undefined)) return undefined
  return [...needs].flatMap(([permission, files]) =>
    known.some(({ own, permissions }) => own && permissions?.includes(permission))
      ? []
      : [
          warning(
            'permissions',
            `the bot lacks ${permission} in the server "${name}"; ${files.join(', ')} ${files.length === 1 ? 'needs' : 'need'} it`,
            'give the bot a role with this permission there',
          ),
        ],
  )
}

/** Compared with the service's, to the second. */
export function lookAtClock(date: unknown, nowMs: number): Finding[] {
  const serviceMs = typeof date === 'string' ? Date.parse(date) : NaN
  if (Number.isNaN(serviceMs)) return []
  const skew = Math.round((nowMs - serviceMs) / 1000)
  const size = Math.abs(skew)
  if (size < SKEW_SECONDS.noticed) return [ok('clock', 'matches the clock of the service')]
  const fact = `the clock of this computer is ${size} s ${skew > 0 ? 'ahead of' : 'behind'} the service`
  const fix = 'synchronize the clock (NTP): click deadlines depend on it'
  return [size < SKEW_SECONDS.wrong ? warning('clock', fact, fix) : fault('clock', fact, fix)]
}

/** The code of the network or the proxy, else the failure itself, such as a timeout. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given'
  const { code } = (error.cause ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : error.message
}

function json(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
