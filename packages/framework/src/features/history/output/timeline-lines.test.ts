import type { Timeline } from '@botwright/protocol/timeline'
import { expect, test } from 'vitest'
import { timelineLines } from './timeline-lines.ts'

const plain = (text: string) => text
const colors = { bold: plain, dim: plain, red: plain, yellow: plain, cyan: plain }

/** The line of a handler that threw at `X`, and the line that marks it. */
function marked(source: string): string[] {
  const at = '2026-03-01T08:00:00.000Z'
  const timeline: Timeline = {
    version: 1,
    event: { seq: 1, id: 7, type: 'command', title: '/ping', created_at: at, received_at: at },
    bot: { id: 'b', username: 'helper', baseUrl: 'http://127.0.0.1' },
    result: 'error',
    steps: [],
    failure: {
      message: 'no',
      frame: { line: 1, column: source.indexOf('X') + 1, lines: [{ number: 1, text: source }] },
      causes: [],
    },
  }
  return timelineLines(timeline, colors, 40).slice(-2)
}

test.each([
  ['plain text', `const a = X`],
  ['emoji, which are two units of a string', `const a = '🎉🎉🎉' + X`],
  ['a line that is wider than the terminal', `const a = '${'🎉'.repeat(60)}' + X + '${'b'.repeat(60)}'`],
])('the mark of a failure is below its column: %s', (_, source) => {
  const [line = '', mark = ''] = marked(source)
  expect([...line][[...mark].indexOf('^')]).toBe('X')
})
