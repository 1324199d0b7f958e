import {
  channelWebhookEndpoints,
  endpoints,
  errorStatuses,
  eventTypes,
  limits,
  webhookErrorCodes,
} from '@botwright/protocol'
import { readText, sourceFiles } from './source-files.ts'
import { lineAt, type Violation } from './violation.ts'

/** One row of the specification that wants a test, such as `4/messages.create`; `what` is the row in words. */
export interface SpecRow {
  id: string
  what: string
}

/** The tests that say `[spec: 4/messages.create]` in their text, as `file:line`, by row. */
export interface SpecCoverage {
  rows: { row: SpecRow; tests: string[] }[]
  /** Tags that name no row. */
  violations: Violation[]
}

/** Every endpoint of §4, event of §6, error of §7 and limit of §8, read off the contract. */
export function specRows(): SpecRow[] {
  const tables = Object.entries({ ...endpoints, ...channelWebhookEndpoints })
  return [
    ...tables.flatMap(([group, entries]) =>
      Object.entries(entries).map(([name, { method, path }]) => ({
        id: `4/${group}.${name}`,
        what: `${method} ${path}`,
      })),
    ),
    ...eventTypes.map((type) => ({ id: `6/${type}`, what: `event ${type}` })),
    ...Object.entries(errorStatuses).map(([status, meaning]) => ({ id: `7/${status}`, what: `${status} ${meaning}` })),
    ...Object.entries(webhookErrorCodes).map(([code, { status, meaning }]) => ({
      id: `7/${code}`,
      what: `channel webhook ${code} (${status}) ${meaning}`,
    })),
    ...Object.keys(limits).map((name) => ({ id: `8/${name}`, what: `limit ${name.replaceAll('_', ' ')}` })),
  ]
}

const TAG = /\[spec: (?<ids>[^\]\n]+)\]/g

/** Which test covers which row. A tag may name several rows: `[spec: 4/messages.create, 8/messages]`. */
export async function specCoverage(root: string, wanted = specRows()): Promise<SpecCoverage> {
  const tests = new Map(wanted.map(({ id }): [string, string[]] => [id, []]))
  const violations: Violation[] = []
  for (const file of (await sourceFiles(root)).filter((path) => path.endsWith('.test.ts'))) {
    const text = await readText(root, file)
    for (const { groups, index } of text.matchAll(TAG)) {
      const line = lineAt(text, index)
      for (const id of groups?.ids?.split(',').map((part) => part.trim()) ?? []) {
        const found = tests.get(id)
        if (found) found.push(`${file}:${line}`)
        else violations.push({ file, line, fact: `[spec: ${id}] names no row`, fix: nearest(id, wanted) })
      }
    }
  }
  return { rows: wanted.map((row) => ({ row, tests: tests.get(row.id) ?? [] })), violations }
}

function nearest(id: string, rows: SpecRow[]): string {
  const word =
    id
      .replace(/^\d+\//, '')
      .split('.')
      .at(-1) ?? ''
  const similar = rows.filter((row) => word !== '' && row.id.includes(word)).slice(0, 3)
  if (similar.length > 0) return `perhaps ${similar.map((row) => row.id).join(' or ')}`
  return 'write <section>/<name> as the tables of @botwright/protocol name it'
}

/** The table for a terminal: each row with its first test, then the rows without one. */
export function describeCoverage({ rows }: SpecCoverage): string[] {
  const covered = rows.filter(({ tests }) => tests.length > 0)
  const bare = rows.filter(({ tests }) => tests.length === 0)
  const width = Math.max(0, ...covered.map(({ row }) => row.id.length))
  return [
    ...covered.map(({ row, tests }) => {
      const more = tests.length > 1 ? ` (+${tests.length - 1})` : ''
      return `  §${row.id.padEnd(width)}  ${tests[0] ?? ''}${more}`
    }),
    ...(bare.length === 0 ? [] : [`  without a test, ${bare.length} of ${rows.length}:`]),
    ...bare.map(({ row }) => `    §${row.id}  ${row.what}`),
  ]
}
