import type { Log } from '@botwright/framework/cluster'
import type { RedisLink } from './connect.ts'
import type { Keys } from './keys.ts'
import { isFull, mayPass } from './reasons.ts'
import { script } from './scripts.ts'

/** Older releases no longer get security fixes, and the tests do not cover them. */
const LEAST_VERSION = [6, 2] as const

/** The kinds of commands that every instance sends: a write, a script, a message on a channel. */
const probe = script<number>(
  'probe',
  `redis.call('SET', KEYS[1], ARGV[1], 'PX', 1000)
   redis.call('DEL', KEYS[1])
   return redis.call('PUBLISH', ARGV[1], 'probe')`,
)

/**
 * Looks whether this Redis is set up for what the bot keeps on it. Rejects with `ERR_CONFIG`, naming every setting that must be another;
 * logs notable settings, documented ones at `info`. If the server does not report its settings (managed services), that is logged once.
 */
export async function checkServer(link: RedisLink, keys: Keys, log: Log): Promise<void> {
  const info = await readInfo(link)
  const wrong = [versionOf(info), roleOf(info)].filter((fact) => fact !== undefined)
  // Nothing else can be known of these.
  if (wrong.length > 0) throw refusal(link, wrong)
  await tryOut(link, keys)
  const fsync = await link.redis.config('GET', 'appendfsync').then(
    (pairs) => pairs[1],
    () => undefined,
  )
  const { refused, told, noted } = judge(info, fsync)
  if (refused.length > 0) throw refusal(link, refused)
  // The documented setting is nothing to be alarmed of; what could not be looked at is.
  for (const fact of noted) log.info({ redis: link.shown }, `${link.shown}: ${fact}`)
  for (const fact of told) log.warn({ code: 'ERR_CLUSTER', redis: link.shown }, `${link.shown}: ${fact}`)
}

export type Info = Readonly<Record<string, string>>

async function readInfo({ redis }: RedisLink): Promise<Info> {
  const text = await redis.info().catch((error: Error) => {
    if (/NOPERM|unknown command/i.test(error.message)) return ''
    throw error
  })
  const pairs = text.matchAll(/^([^#:\r\n]+):([^\r\n]*)/gm)
  return Object.fromEntries<string>(Array.from(pairs, ([, name, value]) => [name!, value!]))
}

export function versionOf({ redis_version: version }: Info): string | undefined {
  if (version === undefined) return undefined
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > LEAST_VERSION[0] || (major === LEAST_VERSION[0] && minor >= LEAST_VERSION[1])) return undefined
  return `it is Redis ${version}, but the bot requires ${LEAST_VERSION.join('.')} or newer; upgrade it`
}

function roleOf(info: Info): string | undefined {
  if (info['role'] !== 'slave' && info['role'] !== 'replica') return undefined
  return `it is a replica, which accepts no writes; use the address of its master, ${info['master_host']}:${info['master_port']}`
}

async function tryOut(link: RedisLink, keys: Keys): Promise<void> {
  try {
    await link.run(probe, [keys.probe], [keys.channel('probe')])
  } catch (error) {
    const moved = /MOVED \d+ (\S+)/.exec((error as Error).message)
    throw moved
      ? link.wrong(
          `it is a node of a Redis Cluster, and another node (${moved[1]}) holds the keys of this bot; use the address of that node`,
        )
      : link.wrong(
          `it rejects a command that the bot requires: ${link.reasonOf(error)}`,
          isFull(error) || mayPass(error) ? 'ERR_CLUSTER' : 'ERR_CONFIG',
        )
  }
}

/** `fsync`: undefined if the server does not report it (`CONFIG` is forbidden on most managed services). */
function judge(info: Info, fsync: string | undefined): Record<'refused' | 'told' | 'noted', string[]> {
  const refused: string[] = []
  const noted: string[] = []
  const told: string[] = []
  const unknown: string[] = []

  const { maxmemory_policy: policy, aof_enabled: appends } = info
  // Without a limit the policy drops nothing, until the operator sets one, which must not cost events.
  if (policy === undefined) unknown.push('maxmemory-policy noeviction')
  else if (policy !== 'noeviction')
    refused.push(
      `maxmemory-policy is ${policy}: when its memory is full, it drops events and state; set "maxmemory-policy noeviction"`,
    )

  if (appends === '0' && fsync !== undefined)
    refused.push('appendonly is off: a restart loses everything since its last snapshot; set "appendonly yes"')
  // A managed service may store data in its own way, without this setting.
  else if (appends !== '1') unknown.push('appendonly yes')
  else if (info['aof_last_write_status'] === 'err')
    refused.push('its last write to the append-only file failed; check its log for a full disk')

  // It costs nothing over `no` that can be measured, and `no` leaves half a minute to the operating system: refused, not only logged.
  if (fsync === 'no')
    refused.push(
      'appendfsync is no: a power cut may lose half a minute of events, state and sent messages; set "appendfsync everysec" or "always"',
    )
  else if (fsync === 'everysec' && appends === '1')
    noted.push(
      'appendfsync is everysec: a power cut may undo its last second (two at most); the handlers of that time run again, and the state they saved is lost; "appendfsync always" loses nothing but is slower',
    )
  else if (fsync === undefined) unknown.push('appendfsync everysec or always')

  if (unknown.length > 0)
    told.push(
      `its configuration cannot be read, so these settings could not be checked: ${unknown.join(', ')}; make sure that its provider stores data durably`,
    )
  return { refused, told, noted }
}

const refusal = (link: RedisLink, facts: readonly string[]) =>
  link.wrong(facts.length === 1 ? facts[0]! : facts.map((fact, i) => `(${i + 1}) ${fact}`).join('; '))
