import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VirtualClock } from '@botwright/clock'
import { channelWebhookEndpoints } from '@botwright/protocol'
import { startService } from '@botwright/service'
import { openDatabase } from '@botwright/sqlite'
import fc from 'fast-check'
import { abusedWorld, describeCall, documentsOf, idsOf } from '../fuzz/abused-service.test.fixture.ts'
import { randomOf } from '../fuzz/malformed.test.fixture.ts'
import {
  type Answered,
  callsOf,
  type Ids,
  type MadeCall,
  make,
  refusalFault,
} from '../fuzz/schema-calls.test.fixture.ts'

type Random = () => number
const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!

const arrays = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const objects = (depth: number) => `${'{"a":'.repeat(depth)}0${'}'.repeat(depth)}`

/** JSON values that break parsers and the code after them. */
const oddValues: readonly (() => string)[] = [
  () => arrays(65),
  () => objects(65),
  () => arrays(5000),
  () => objects(5000),
  () => arrays(200_000),
  () => '[{"a":'.repeat(40) + '0' + '}]'.repeat(40),
  () => '{"__proto__":{"content":"x","staff":true}}',
  () => '{"constructor":{"prototype":{"content":"x"}}}',
  () => '{"toString":1,"valueOf":null,"then":[],"toJSON":{}}',
  () => '1e400',
  () => '-1e400',
  () => '-0',
  () => '1e-400',
  () => '9'.repeat(5000),
  () => '9007199254740993',
  () => '"\\ud800"',
  () => '"\\udc00\\ud800"',
  () => '"a\\u0000b"',
  () => '"\\u202e\\u200b"',
  () => '""',
  () => '" "',
  () => `"${'x'.repeat(100_000)}"`,
  () => `{"${'k'.repeat(100_000)}":1}`,
  () => `{"${'k'.repeat(100_000)}":"\\u0000"}`,
  () => '{"":1}',
  () => '{"a":1,"a":2}',
  () => `[${Array(100_000).fill('null').join()}]`,
  () => 'null',
  () => 'true',
  () => '[]',
  () => '{}',
]

type Change = (body: string, random: Random) => string | Uint8Array

/** Adds a member at the start or end of an object. */
const withMember = (body: string, member: string, random: Random) => {
  const inner = body.trim().slice(1, -1)
  return random() < 0.5 ? `{${member}${inner && `,${inner}`}}` : `{${inner && `${inner},`}${member}}`
}
const keysOf = (body: string) => Object.keys(JSON.parse(body) as object)

/** Each turns a normal body, which is an object, into an odd one. */
const bodyChanges: readonly Change[] = [
  // An unknown key is ignored, so the rest of the body is processed.
  (body, random) => withMember(body, `"x":${pick(random, oddValues)()}`, random),
  (body, random) => withMember(body, `"__proto__":${pick(random, oddValues)()}`, random),
  (body, random) => withMember(body, `"":${pick(random, oddValues)()}`, random),
  // One of its own keys, twice or as its value.
  (body, random) => withMember(body, `"${pick(random, keysOf(body)) ?? 'x'}":${pick(random, oddValues)()}`, random),
  (body, random) => {
    const key = pick(random, keysOf(body))
    if (key === undefined) return '{'
    const { [key]: _, ...rest } = JSON.parse(body) as Record<string, unknown>
    return withMember(JSON.stringify(rest), `${JSON.stringify(key)}:${pick(random, oddValues)()}`, random)
  },
  (_, random) => pick(random, oddValues)(),
  (body) => `\ufeff${body}`,
  (body) => Buffer.from(body, 'utf16le'),
  (body) => Buffer.from(`\ufeff${body}`, 'utf16le'),
  (body, random) => body + pick(random, ['}', '{}', ',', '\0', ' x', '\n\n\u2028', body]),
  (body, random) => body.slice(0, Math.floor(random() * body.length)),
  (body) => Buffer.concat([Buffer.from(body.slice(0, -1)), Buffer.from([0xff, 0xc0, 0x80]), Buffer.from('}')]),
  (body) => body.replaceAll('"', "'"),
  () => '',
  () => ' \n\t',
  (body) => ' '.repeat(200_000) + body,
]

const oddQueries = [
  'limit=1&limit=2',
  'after=%00',
  'before=%',
  'type=%zz',
  'a=%ff%fe',
  '__proto__=1',
  '=',
  '&&',
  'wait=1e400',
  'limit=%E0%A4%A',
  'x=%ED%A0%80',
  `x=${'y'.repeat(5000)}`,
]
const oddParts = [
  '%2F',
  '..%2f..',
  '%00',
  '%ff',
  '%E0%A4%A',
  '%',
  '%zz',
  '__proto__',
  'constructor',
  '%ED%A0%80',
  'x%2Fy',
  '%20',
  `${'9'.repeat(3000)}`,
]

/** A call with a valid body, except for an unknown key nested so deep that recursive code fails. */
function deepCall(call: MadeCall): MadeCall {
  const text = call.body && Buffer.from(call.body).toString()
  if (text === undefined || !isObject(text)) return call
  return { ...call, body: Buffer.from(withMember(text, `"x":${arrays(200_000)}`, () => 1)) }
}

/** Makes a call odd: mostly its body, if it has a JSON body. */
function oddCall(call: MadeCall, random: Random): MadeCall {
  const text = call.body && Buffer.from(call.body).toString()
  if (text !== undefined && isObject(text) && random() < 0.85) {
    return { ...call, body: Buffer.from(pick(random, bodyChanges)(text, random)) }
  }
  const [path = '', query] = call.path.split('?')
  if (random() < 0.5)
    return { ...call, path: `${path}?${query === undefined ? '' : `${query}&`}${pick(random, oddQueries)}` }
  const parts = path.split('/')
  const at = 2 + Math.floor(random() * (parts.length - 2))
  return { ...call, path: parts.with(at, pick(random, oddParts)).join('/') }
}

const isObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

const json = (method: string, path: string, body: unknown): MadeCall => ({
  operation: `${method} ${path}`,
  method,
  path,
  headers: { 'content-type': 'application/json' },
  body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
})

/** Generators of calls: one for each operation of the tables, so that new ones are covered. */
type Source = (seed: number, ids: Ids, webhook: string) => MadeCall

async function sourcesOf(url: string): Promise<Source[]> {
  const { bot, people } = await documentsOf(url)
  const described = (document: typeof bot, authorization: string) =>
    Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        // A path also contains its prefix. The stream is left out because it never ends.
        .filter(([verb]) => verb !== 'servers' && !path.endsWith('/stream'))
        .map(([verb, operation]): Source => {
          const one = { ...document, paths: { [path]: { [verb]: operation } } }
          return (seed, ids) => fc.sample(callsOf(one, ids, [authorization]), { seed, numRuns: 1 })[0]!
        }),
    )
  const webhooks = Object.values(channelWebhookEndpoints.channelWebhooks).map(
    ({ method }): Source =>
      (_seed, _ids, webhook) =>
        json(
          method,
          new URL(webhook).pathname,
          method === 'GET' ? undefined : { content: 'from a webhook', embeds: [] },
        ),
  )
  const controls: Source[] = [
    () => json('POST', '/controls/v1/clock', { advance_seconds: 1 }),
    () => json('POST', '/controls/v1/faults', { path: '/v1/nothing', then: { status: 503 } }),
    (_seed, ids) => json('POST', '/controls/v1/load', { channel_id: ids['channel_id']![0], count: 1 }),
  ]
  return [
    ...described(bot, 'Bot token-of-helper'),
    ...described(people, 'Person token-of-ann'),
    ...webhooks,
    ...controls,
  ]
}

/** The problem with a response: any 5xx, a refusal without a body, or a refusal although something was stored. */
export function faultOf(call: Pick<MadeCall, 'path'>, { status, body }: Answered, stored: boolean): string | undefined {
  if (status >= 500) return `status ${status}: ${body.slice(0, 200)}`
  if (status < 400) return undefined
  if (stored) return `status ${status}, and something was stored: ${body.slice(0, 200)}`
  if (!call.path.startsWith('/webhooks/')) return refusalFault(body)
  const { message, code } = JSON.parse(body) as { message?: unknown; code?: unknown }
  return typeof message === 'string' && typeof code === 'number' ? undefined : 'a refusal of another shape'
}

/** After this many calls the world is recreated, to restore deleted objects. */
const RESET_EACH = 100
/** Few enough that the rate limits do not refuse every call. */
const MINUTE_EACH = 25

export interface OddJsonRun {
  operations: number
  statuses: Map<number, number>
  /** The number of calls that wrote to the file. */
  stored: number
  /** The problems, each with its call. */
  faults: string[]
}

/**
 * Sends `count` odd calls, one after the other, to a service with a file. A second connection to the file detects whether a refused
 * call has written to it.
 */
export async function sendOddJson(
  count: number,
  seed: number,
  progress: (done: number) => void = () => {},
): Promise<OddJsonRun> {
  const folder = mkdtempSync(join(tmpdir(), 'botwright-odd-json-'))
  const clock = new VirtualClock()
  const data = join(folder, 'chat.db')
  const service = await startService({ port: 0, world: abusedWorld, clock, controls: true, data })
  const beside = openDatabase(data, { readOnly: true })
  try {
    const version = () => beside.prepare<{ data_version: number }>('PRAGMA data_version').get()!.data_version
    const send = (call: MadeCall) => make(service.port, call)
    const sources = await sourcesOf(service.url)
    const random = randomOf(seed)
    const run: OddJsonRun = { operations: sources.length, statuses: new Map(), stored: 0, faults: [] }
    let ids: Ids = {}
    let webhook = ''
    for (let done = 0; done < count; done++) {
      if (done % RESET_EACH === 0) {
        await send(json('POST', '/controls/v1/reset', {}))
        ids = await idsOf(service.url, service.world)
        webhook = await newWebhook(service)
        progress(done)
      }
      if (done % MINUTE_EACH === 0) await clock.advance(61_000)
      const usual = sources[done % sources.length]!(seed + done, ids, webhook)
      // Call each route at least once with the deepest JSON.
      const call = done < sources.length ? deepCall(usual) : oddCall(usual, random)
      const before = version()
      const answer = await send(call)
      run.statuses.set(answer.status, (run.statuses.get(answer.status) ?? 0) + 1)
      const stored = version() !== before
      if (stored) run.stored++
      const fault = faultOf(call, answer, stored)
      if (fault !== undefined) run.faults.push(`${fault}\n  ${describeCall(call)}`)
    }
    return run
  } finally {
    beside.close()
    await service.close()
    rmSync(folder, { recursive: true })
  }
}

async function newWebhook({ url, world }: Awaited<ReturnType<typeof startService>>): Promise<string> {
  const { channels } = world.servers['Workshop']!
  const answer = await fetch(`${url}/people/v1/channels/${channels['general']}/webhooks`, {
    method: 'POST',
    headers: { authorization: 'Person token-of-ann', 'content-type': 'application/json' },
    body: '{"name":"news"}',
  })
  return ((await answer.json()) as { url: string }).url
}
