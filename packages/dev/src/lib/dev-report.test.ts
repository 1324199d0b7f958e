import type { Outcome } from '@botwright/framework'
import pc from 'picocolors'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDevLog } from './dev-log.ts'
import { DevReport } from './dev-report.ts'
import { EventLines } from './history/event-line.ts'

// What people, services and packages name and write must neither steer the terminal nor look like a line of the framework.

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
afterEach(() => report.close())

const outcome = { result: 'ok', file: 'commands/ping.ts', ms: 1 } as Outcome

test('names of people and channels in the line of an event', () => {
  for (const author of [hostile, { username: hostile }])
    report.event(outcome, { type: 'message', data: { author, channel_name: hostile, command: hostile } })
  expect(output.trimEnd().split('\n')).toHaveLength(2)
  expect(output).toContain('x\\u001b]52;c;ZXZpbA==\\u0007\\u001b[31m\\u009b2J\\u202e\\u200b\\u000d\\n✓ /ping  ann')
  expect(output).not.toMatch(harmful)
})

test('messages and fields of the log', () => {
  const log = createDevLog({ report, root: '/nowhere', verbose: true, local: false })
  for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]({ file: 'a.ts', name: hostile }, hostile)
  expect(output).toContain('x\\u001b]52;c;')
  expect(output).not.toMatch(harmful)
})

test('problems, their notes and what a handler threw', async () => {
  const problem = { text: hostile, file: hostile, line: 1, notes: [hostile] }
  await report.problems([problem], true)
  await report.failures([problem], hostile)
  expect(output).toContain('x\\u001b]52;c;')
  expect(output).not.toMatch(harmful)
})

test('descriptions, names of files and reasons', () => {
  report.definitions([{ kind: 'command', name: hostile, description: hostile, file: hostile }])
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
