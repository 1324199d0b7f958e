import { readPlace } from '@botwright/create-bot'
import { windowsProblem } from '@botwright/protocol/portable-names'
import { expect, test } from 'vitest'

const reservedByCreateBot = (name: string): boolean => {
  try {
    readPlace(name)
    return false
  } catch (error) {
    return (error as Error).message.includes('Windows reserves it')
  }
}

// `create-bot` has no dependencies in the repository, so it has its own list.
test('create-bot refuses the device names of Windows that check reports, and no others', () => {
  const digits = [...'0123456789¹²³', '10', '']
  const stems = [
    ...['con', 'prn', 'aux', 'nul', 'conin$', 'conout$', 'clock$', 'con$', 'null', 'console', 'clock', 'prn1'],
    ...['com', 'lpt', 'com-'].flatMap((port) => digits.map((digit) => port + digit)),
  ]
  const names = stems.flatMap((stem) => [stem, stem.toUpperCase(), `${stem}.ts`, `${stem} .tar.gz`, `x${stem}`])
  const reservedByCheck = (name: string) => windowsProblem(name)?.startsWith('Windows reserves') === true
  expect(names.filter(reservedByCreateBot)).toEqual(names.filter(reservedByCheck))
  expect(names.filter(reservedByCheck)).toHaveLength((7 + 2 * 13) * 4)
})
