import type { Outcome } from '@botwright/framework'
import { stripVTControlCharacters } from 'node:util'
import pc from 'picocolors'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDevLog } from './dev-log.ts'
import { DevReport } from './dev-report.ts'
import { EventLines } from '@botwright/framework/start'

// Names and texts of people, services and packages must neither control the terminal nor look like a line of the framework.

const hostile = 'x\u001b]52;c;ZXZpbA==\u0007\u001b[31m\u009b2J\u202e\u200b\r\n✓ /ping  ann'
const harmful = /[\u0007\r\u009b\u202e\u200b]|\u001b(?!\[(?:[1-9]|[23]\d)m)|\u001b\[31mred|^✓ \/ping/m
const colors = pc.createColors(true)
let output = ''
let report: DevReport
beforeEach(() => {
  output = ''
  report = new DevReport({ colors, print: (text) => (output += `${text}\n`) }, '/nowhere')
  report.banner({ version: '0', ms: 1 })
  output = ''
})
afterEach(() => report[Symbol.dispose]())

const outcome = { result: 'ok', file: 'commands/ping.ts', ms: 1 } as Outcome

test('names of people and channels in the line of an event', () => {
  for (const author of [hostile, { username: hostile }])
    report.event(outcome, { type: 'message', data: { author, channel_name: hostile, command: hostile } })
  expect(output.trimEnd().split('\n')).toHaveLength(2)
  expect(output).toContain('x\\u001b]52;c;ZXZpbA==\\u0007\\u001b[31m\\u009b2J\\u202e\\u200b\\u000d\\n✓ /ping  ann')
  expect(output).not.toMatch(harmful)
})

test('the line of a refused event has the first line of the reason', () => {
  const reason = 'days must be a whole number\nUsage: /lend <days>'
  report.event({ ...outcome, result: 'refused', reason }, undefined)
  expect(stripVTControlCharacters(output).trimEnd()).toMatch(/– refused: days must be a whole number$/)
})

test('messages and fields of the log', () => {
  const log = createDevLog({ report, root: '/nowhere', verbose: true, local: false })
  for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]({ file: 'a.ts', name: hostile }, hostile)
  expect(output).toContain('x\\u001b]52;c;')
  expect(output).not.toMatch(harmful)
})

const stackOf = (text: string) =>
  [
    `TypeError: ${text}`,
    '    at save (/nowhere/commands/save.ts:5:9)',
    '    at async run (file:///nowhere/node_modules/@botwright/framework/dist/lib/handler.js:10:3)',
    '    at node:internal/process/task_queues:105:5',
    'caused by Error: disk full',
    '    at write (/nowhere/lib/disk.ts:2:1)',
  ].join('\n')

test.each(['debug', 'info', 'warn', 'error'] as const)(
  'errors among the facts of a line (%s) are stacks of the author’s files',
  async (level) => {
    const log = createDevLog({ report, root: '/nowhere', verbose: true, local: false })
    const err = { type: 'TypeError', message: 'gone', stack: stackOf('gone') }
    log[level]({ file: 'commands/save.ts', place: 1, err }, 'not saved')
    await expect.poll(() => output).toContain('disk.ts')
    const lines = stripVTControlCharacters(output).trimEnd().split('\n')
    expect(lines[0]).toMatch(
      /^(?:\d\d:\d\d:\d\d {2})?[•!✘] (?:commands\/save\.ts:5:9 {2})?not saved \{(?:"file":"commands\/save\.ts",)?"place":1\}$/,
    )
    expect(lines.slice(1)).toEqual([
      '    TypeError: gone',
      '        at save (commands/save.ts:5:9)',
      '    caused by Error: disk full',
      '        at write (lib/disk.ts:2:1)',
    ])
  },
)

test('each error among the facts is named by its key, and cleaned', async () => {
  const log = createDevLog({ report, root: '/nowhere', verbose: true, local: false })
  const error = { message: hostile, stack: stackOf(hostile) }
  log.warn({ file: 'a.ts', cause: error, err: error }, 'twice')
  log.error({ cause: error }, 'once')
  await expect.poll(() => output.match(/disk\.ts/g)?.length).toBe(3)
  expect(output).toContain('cause: TypeError: x\\u001b]52;c;')
  expect(output).toContain('err: TypeError: x\\u001b]52;c;')
  expect(output).not.toMatch(harmful)
})

test('a line of the runtime shows no stack without a line of the author', () => {
  const log = createDevLog({ report, root: '/nowhere', verbose: true, local: false })
  log.warn({ error: new Error('503') }, 'a click could not be acknowledged: 503')
  expect(stripVTControlCharacters(output)).toBe('! a click could not be acknowledged: 503\n')
})

test('facts that JSON cannot represent are shown', () => {
  const log = createDevLog({ report, root: '/nowhere', verbose: true, local: false })
  const circle: Record<string, unknown> = { big: 10n }
  circle['self'] = circle
  log.warn({ file: 'a.ts', circle }, 'odd')
  log.error({ file: 'a.ts', place: 1 }, 'no error, but facts')
  expect(output).toMatch(/odd .*big: 10n/)
  expect(output).toContain('no error, but facts {"place":1}')
})

test('problems, their notes and errors of handlers', async () => {
  const problem = { text: hostile, file: hostile, line: 1, notes: [hostile] }
  await report.problems([problem], 'previous')
  await report.failures([problem], hostile)
  expect(output).toContain('x\\u001b]52;c;')
  expect(output).not.toMatch(harmful)
})

test('descriptions, names of files and reasons', () => {
  report.banner({
    version: '0',
    definitions: [{ kind: 'command', name: hostile, description: hostile, file: hostile }],
  })
  report.reloaded([hostile], 1)
  report.restarted(hostile, 1)
  expect(output).toContain('x\\u001b]52;c;')
  expect(output).not.toMatch(harmful)
})

test('recorded events', () => {
  const lines = new EventLines(colors, Infinity)
  const data = { author: hostile, channel_name: hostile, command: hostile, content: hostile }
  const calls = [{ name: 'messages.create', input: { content: hostile }, ms: 1 }]
  const line = lines.line({
    ...{ seq: 1, id: 1, type: 'message', created_at: '', atMs: 0, data, file: hostile, ms: 1 },
    ...{ result: 'error', error: hostile, calls },
  } as unknown as Parameters<EventLines['line']>[0])
  expect(line).toContain('x\\u001b]52;c;')
  expect(line).not.toMatch(harmful)
  expect(line).not.toContain('\n')
})

test('an error without a text is named by its own text', async () => {
  const log = createDevLog({ report, root: '/nowhere', verbose: true, local: false })
  const error = Object.assign(new Error(), { message: 'no price', stack: stackOf('no price') })
  log.error({ file: 'a.ts', error, shop: 'north' }, '')
  await expect.poll(() => stripVTControlCharacters(output)).toContain('✘ TypeError: no price {"shop":"north"}')
  log.warn({ file: 'a.ts', error }, '')
  expect(stripVTControlCharacters(output)).toContain('! TypeError: no price\n')
})
