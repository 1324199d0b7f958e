import {
  channelWebhookEndpoints,
  endpoints,
  errorStatuses,
  eventTypes,
  limits,
  webhookErrorCodes,
} from '@botwright/protocol'
import { decisionRows, type Side } from './decision-rows.ts'
import { readText, sourceFiles } from '../source-files.ts'
import { lineAt, type Violation } from './violation.ts'

/** One row of the specification, such as `4/messages.create`, that requires a test on each of its sides. `what` describes it. */
export interface SpecRow {
  id: string
  what: string
  sides: readonly Side[]
}

/** The tests with a tag such as `[spec: 4/messages.create]`, as `file:line`, by row and side. */
export interface SpecCoverage {
  rows: { row: SpecRow; tests: Record<Side, string[]> }[]
  /** Tags without a row. */
  violations: Violation[]
  /** Rows without a test on one of their sides. */
  missing: Violation[]
}

/** The side that a test file covers. The contract's package contains the readers of responses; this package covers neither side. */
function sideOf(file: string): Side | undefined {
  const [, name] = /^packages\/([^/]+)\//.exec(file) ?? []
  if (name === 'service') return 'service'
  return ['protocol', 'rest', 'events', 'framework', 'dev', 'testing'].includes(name ?? '') ? 'client' : undefined
}

/** Every endpoint of §4, event of §6, error of §7 and limit of §8, from the contract, and every decision on an open point. */
export function specRows(): SpecRow[] {
  return [
    ...contractRows().map((row) => ({ ...row, sides: ['service'] as const })),
    ...decisionRows.map(({ row, subject, sides }) => ({ id: `decisions/${row}`, what: subject, sides })),
  ]
}

function contractRows(): { id: string; what: string }[] {
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

/**
 * Maps rows to the tests that cover them. A tag may name several rows: `[spec: 4/messages.create, 8/messages]`. Only tests of a row's
 * sides count: a client's test against a fake service does not test the service.
 */
export async function specCoverage(root: string, wanted = specRows()): Promise<SpecCoverage> {
  const tests = new Map(wanted.map(({ id }): [string, Record<Side, string[]>] => [id, { service: [], client: [] }]))
  const violations: Violation[] = []
  for (const file of (await sourceFiles(root)).filter((path) => path.endsWith('.test.ts'))) {
    const text = await readText(root, file)
    const side = sideOf(file)
    for (const { groups, index } of text.matchAll(TAG)) {
      const line = lineAt(text, index)
      for (const id of groups?.ids?.split(',').map((part) => part.trim()) ?? []) {
        const found = tests.get(id)
        if (!found) violations.push({ file, line, fact: `[spec: ${id}] names no row`, fix: nearest(id, wanted) })
        else if (side) found[side].push(`${file}:${line}`)
      }
    }
  }
  const rows = wanted.map((row) => ({ row, tests: tests.get(row.id) ?? { service: [], client: [] } }))
  const missing = rows.flatMap(({ row, tests: found }) =>
    row.sides.filter((side) => found[side].length === 0).map((side) => withoutTest(row, side)),
  )
  return { rows, violations, missing }
}

const withoutTest = ({ id, what }: SpecRow, side: Side): Violation => ({
  file: side === 'service' ? 'packages/service/src/lib/spec' : 'packages/rest/src/lib',
  fact: `no test of the ${side} covers §${id} (${what})`,
  fix: `write one with [spec: ${id}] in its title`,
})

function nearest(id: string, rows: SpecRow[]): string {
  const word =
    id
      .replace(/^\w+\//, '')
      .split('.')
      .at(-1) ?? ''
  const similar = rows.filter((row) => word !== '' && row.id.includes(word)).slice(0, 3)
  if (similar.length > 0) return `perhaps ${similar.map((row) => row.id).join(' or ')}`
  return 'write <section>/<name> as in the tables of @botwright/protocol'
}

/** The table for a terminal: each row with its first test, then the rows without a test, with the missing side. */
export function describeCoverage({ rows }: SpecCoverage): string[] {
  const lacking = ({ row, tests }: SpecCoverage['rows'][number]) => row.sides.filter((side) => tests[side].length === 0)
  const covered = rows.filter((each) => lacking(each).length === 0)
  const bare = rows.filter((each) => lacking(each).length > 0)
  const width = Math.max(0, ...covered.map(({ row }) => row.id.length))
  return [
    ...covered.map(({ row, tests }) => {
      const all = row.sides.flatMap((side) => tests[side])
      const more = all.length > 1 ? ` (+${all.length - 1})` : ''
      return `  §${row.id.padEnd(width)}  ${all[0] ?? ''}${more}`
    }),
    ...(bare.length === 0 ? [] : [`  without a test, ${bare.length} of ${rows.length}:`]),
    ...bare.map((each) => `    §${each.row.id} (${lacking(each).join(', ')})  ${each.row.what}`),
  ]
}
