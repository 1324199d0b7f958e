import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createProgress } from './progress.ts'

function open({ isTTY }: { isTTY: boolean }) {
  let text = ''
  let nowMs = 0
  const write = (chunk: Buffer, _: unknown, done: () => void) => ((text += chunk.toString()), done())
  const stderr = Object.assign(new Writable({ write }), { isTTY })
  const print = (line: string) => void (text += `${line}\n`)
  const progress = createProgress({ stderr }, { seeds: 200, isShown: true, print, now: () => nowMs })
  return { progress, text: () => text, after: (ms: number) => (nowMs += ms) }
}

const clear = '\r\u001b[2K'

test('a report in a terminal is printed on a line of its own, and the progress below it', () => {
  const { progress, text } = open({ isTTY: true })
  progress.print('✘ before the first play')
  progress.show(6)
  progress.print('✘ commands/a.ts:1')
  progress.end()
  expect(text()).toBe(
    `✘ before the first play\n${clear}6 of 200 plays${clear}✘ commands/a.ts:1\n${clear}6 of 200 plays${clear}`,
  )
})

test('in a pipe, a line shows every 10 seconds how far it is', () => {
  const { progress, text, after } = open({ isTTY: false })
  progress.show(1)
  after(10_000)
  progress.show(2)
  after(9000)
  progress.show(3)
  progress.found({ severity: 'fault' })
  progress.found({ severity: 'warning' })
  after(1000)
  progress.show(4)
  progress.print('✘ commands/a.ts:1')
  progress.end()
  expect(text()).toBe('2 of 200 plays, no fault so far\n4 of 200 plays, 1 fault so far\n✘ commands/a.ts:1\n')
})
