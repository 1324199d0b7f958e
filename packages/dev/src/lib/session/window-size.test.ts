import type { TaskSchedule } from '@botwright/framework'
import pc from 'picocolors'
import { expect, test } from 'vitest'
import { DevReport } from './dev-report.ts'
import { widthOf, wrapToWidth } from '../terminal/terminal.ts'

const definitions = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    kind: 'command' as const,
    name: `cmd${i + 1}`,
    description: 'a description that is long enough to be cut in a narrow window, whatever comes before it',
    file: `commands/cmd${i + 1}.ts`,
  }))

function banner(count: number, size?: { columns: number; rows: number }): string[] {
  let output = ''
  const report = new DevReport({ colors: pc.createColors(false), size, print: (text) => (output += `${text}\n`) }, '/x')
  report.note(
    'a note from before the banner, which is longer than the window is wide, so that it continues on the next row',
  )
  report.banner({ version: '1', ms: 1, definitions: definitions(count), page: 'http://127.0.0.1:1/', keys: true })
  report[Symbol.dispose]()
  return output.trimEnd().split('\n')
}

test.each([
  [1, { columns: 60, rows: 24 }],
  [36, { columns: 60, rows: 24 }],
  [36, { columns: 100, rows: 60 }],
])('%i commands fit into a window of %o, and the address is last', (count, size) => {
  const lines = banner(count, size)
  expect(lines.length).toBeLessThanOrEqual(size.rows)
  for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(size.columns)
  const text = lines.join(' ')
  for (let i = 1; i <= count; i++) expect(text).toContain(`/cmd${i}`)
  expect(lines.at(-2)).toContain('Chat')
})

test('commands that do not fit are listed by name, with where to find their files', () => {
  const lines = banner(36, { columns: 60, rows: 24 })
  expect(lines.find((line) => line.includes('36 commands'))).toMatch(/^ {2}36 commands {2}\/cmd1 {2}\/cmd2 /)
  expect(lines).toContainEqual('  framework routes lists the files')
})

test('the sign-in, events and errors wrap at the width of the window', async () => {
  let output = ''
  const size = { columns: 40, rows: 24 }
  const report = new DevReport({ colors: pc.createColors(false), size, print: (text) => (output += `${text}\n`) }, '/x')
  const long = 'a text with many words that does not fit into one row of the window'
  report.banner({ version: '1', ms: 1, signIn: long, realUrl: 'https://chat.example' })
  report.event({ eventId: 1, type: 'message', result: 'refused', reason: long, file: 'commands/ping.ts' }, undefined)
  await report.problems([{ file: 'commands/ping.ts', line: 1, column: 1, text: long }], 'previous')
  report[Symbol.dispose]()
  const lines = output.trimEnd().split('\n')
  for (const line of lines) expect(widthOf(line), line).toBeLessThanOrEqual(size.columns)
  expect(output.replaceAll(/\s+/g, ' ').split(long)).toHaveLength(4)
})

test('a file has every command and whole lines', () => {
  const lines = banner(200)
  expect(lines.some((line) => line.includes('200 commands'))).toBe(true)
  expect(lines.some((line) => line.startsWith('• a note') && line.endsWith('the next row'))).toBe(true)
})

test('a text wraps between words, and a longer word stays whole', () => {
  expect(wrapToWidth('• one two three\nfour', 9, 2)).toBe('• one two\n  three\nfour')
  expect(wrapToWidth('  http://127.0.0.1:7420/ is used', 10, 4)).toBe('  http://127.0.0.1:7420/\n    is\n    used')
  expect(wrapToWidth('  2 commands  /a  /b  /c', 18, 14)).toBe('  2 commands  /a\n              /b\n              /c')
})

test('a task has its schedule beside it', () => {
  let printed = ''
  const report = new DevReport({ colors: pc.createColors(false), print: (text) => (printed += text) }, '/nowhere')
  const task = (name: string, often: Pick<TaskSchedule, 'cron' | 'everyMs'>) => ({
    ...{ kind: 'task' as const, name, file: `tasks/${name}.ts` },
    schedule: { missed: 'once' as const, retry: true, ...often },
  })
  const definitions = [task('beat', { everyMs: 600_000 }), task('daily', { cron: '0 9 * * *' }), task('remind', {})]
  report.banner({ version: '1', ms: 1, definitions })
  report[Symbol.dispose]()
  expect(printed).toContain('beat    task, every 10 min                 tasks/beat.ts')
  expect(printed).toContain('daily   task, 0 9 * * * (UTC)              tasks/daily.ts')
  expect(printed).toContain('remind  task, when a handler schedules it  tasks/remind.ts')
})

test('a task has the time of its next run, with the day unless it is today', () => {
  let printed = ''
  const report = new DevReport({ colors: pc.createColors(false), print: (text) => (printed += text) }, '/nowhere')
  const task = (name: string) => ({
    ...{ kind: 'task' as const, name, file: `tasks/${name}.ts` },
    schedule: { missed: 'once' as const, retry: true, everyMs: 600_000 },
  })
  const now = new Date()
  const noon = new Date(now.getFullYear(), now.getMonth(), now.getDate(), 12).getTime()
  const times = new Map([
    ['tasks/today.ts', noon],
    ['tasks/soon.ts', noon + 24 * 60 * 60 * 1000],
    ['tasks/later.ts', new Date(2199, 0, 2, 9, 30).getTime()],
  ])
  report.banner({ version: '1', ms: 1, definitions: [task('today'), task('soon'), task('later')], times })
  report[Symbol.dispose]()
  expect(printed).toMatch(/today {2}task, next 12:00, every 10 min +tasks\/today\.ts/)
  expect(printed).toMatch(/soon {3}task, next (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d\d:00, every 10 min +tasks\/soon\.ts/)
  expect(printed).toMatch(/later {2}task, next 2199-01-02 09:30, every 10 min +tasks\/later\.ts/)
})
