import { readFile } from 'node:fs/promises'
import { VirtualClock } from '@botwright/clock'
import {
  arg,
  type Arg,
  type ArgPlace,
  boolean,
  channel,
  date,
  duration,
  integer,
  list,
  number,
  oneOf,
  rest,
  role,
  text,
  user,
  uuid,
  value,
} from '@botwright/framework'
import { type Call, createClient } from '@botwright/rest'
import { z } from 'zod'

/** The number of members, channels and roles of the server: the maximum for looking up a name, one less than 20 full pages. */
const NAMES = 9_999
const idOf = (n: number) => `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`
/** Similar names of maximum length, so that a similar text is compared with every one of them. */
const nameOf = (n: number): string => `member-of-the-workshop-no-${String(n).padStart(6, '0')}`

/** Every kind of argument that the framework exports, by the name of its export. */
export const argKinds: Readonly<Record<string, Arg<unknown>>> = {
  arg: arg({ expects: 'anything', read: (typed) => typed }),
  boolean: boolean(),
  channel: channel(),
  date: date({ zone: 'Europe/Berlin' }),
  duration: duration({ max: '30d' }),
  integer: integer({ min: 1, max: 60 }),
  list: list(),
  number: number(),
  oneOf: oneOf('first', 'second', 'third'),
  rest: rest({ max: 100 }),
  role: role(),
  text: text({ max: 100 }),
  user: user(),
  uuid: uuid(),
  value: value(z.coerce.number()),
}

/** Exports from the framework's folders of arguments that are not kinds of arguments. */
const OTHERS = ['misfit']

/** The kinds that the framework's entry exports, read from its source, so that a new kind cannot be forgotten here. */
export async function exportedArgKinds(): Promise<string[]> {
  const entry = await readFile(new URL('../../../../framework/src/index.ts', import.meta.url), 'utf8')
  const clauses = entry.matchAll(
    /^export \{([^}]*)\} from '\.\/(?:author\/args|features\/(?:arguments|mentions|moments))\//gm,
  )
  const names = [...clauses].flatMap(([, clause = '']) => clause.split(',').map((name) => name.trim()))
  return names.filter((name) => name !== '' && !name.startsWith('type ') && !OTHERS.includes(name)).sort()
}

const members = Array.from({ length: NAMES }, (_, n) => ({
  user_id: idOf(n),
  username: nameOf(n),
  display_name: `${nameOf(n)} of old`,
  nickname: null,
}))
const channels = members.map(({ user_id: id, username: name }) => ({ id, name, type: 'text', category: null }))
const roles = members.map(({ user_id: id, username: name }) => ({ id, name }))

const call = (async (name: string, { after, limit = 0 }: { after?: string; limit?: number }) => {
  if (name === 'channels.listOfServer') return { channels }
  if (name === 'servers.roles') return { roles }
  if (name !== 'members.list') throw new Error(`unexpected call of ${name}`)
  const from = after === undefined ? 0 : members.findIndex(({ user_id }) => user_id === after) + 1
  return { members: members.slice(from, from + limit) }
}) as unknown as Call

/** A command in a server with 10,000 members, channels and roles. Create a new one for each command, because a command shares its lookups. */
const place = (): ArgPlace => ({
  server_id: idOf(NAMES + 1),
  channel_id: idOf(NAMES + 2),
  user: { id: idOf(0), name: nameOf(0) },
  api: createClient(call),
  clock: new VirtualClock(),
  get state(): never {
    throw new Error('unexpected read of the state')
  },
  env: {},
})

const parts = [
  ...['a', 'A', '1', '-1', '1.', '.1', '1e', '1,', '0', '-', '+', '_', '/', ':', '.', ' ', '\t', '\n', '\u00a0'],
  ...['"', '\\', '\\"', '"a" ', '“', '--', '--a ', '--a=1 ', '--no-a ', '—a ', '1h', '1h ', '1 ', 'in ', 'now ', 'am'],
  ...['<', '>', '<@', '<#', '@', '#', '<@!', '2026-01-01 ', '18:00 ', 'friday ', 'tomorrow ', 'user ', '{', '[', '\0'],
  // Characters that grow when normalized or lower-cased, combining marks, half a surrogate pair.
  ...['\ufdfa', 'İ', '\u0300', '🙂', '\ud800', 'é'],
]

/** Texts of `length` designed to be slow: repetitions that patterns match, with and without an end that cannot match. */
export function hostileTexts(length: number): string[] {
  const runs = parts.map((part) => part.repeat(Math.ceil(length / part.length)).slice(0, length))
  const ends = runs.flatMap((run) => [run, `${run.slice(0, -1)}!`, `x${run.slice(2)}\n`])
  // Almost a name: the same number of letters, with more differences than a suggestion allows.
  const near = [0, 4, 8, 12].map((wrong) => `${nameOf(1).slice(wrong)}${'z'.repeat(wrong)}`)
  return [...ends, ...near.map((one) => one.padEnd(length, one).slice(0, length))]
}

/** An ordinary text of `length` for comparison. */
export const benignText = (length: number): string => 'some ordinary words '.repeat(length / 20 + 1).slice(0, length)

/** Reads a text as an argument: one word, or all words. Ignores the error for an invalid text and throws any other. */
export async function readArg(kind: Arg<unknown>, typed: string): Promise<void> {
  try {
    await kind.read(kind.takes === 'words' ? typed.split(' ') : [typed], place())
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_ARGS') throw error
  }
}
