import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { withUndo } from './undo.ts'

test.each(['SIGINT', 'SIGTERM'])('%s does not end the process before the steps are undone', async (signal) => {
  const signals = new EventEmitter()
  const undone: string[] = []
  const work = withUndo(signals, async (record) => {
    record('first', () => void undone.push('first'))
    expect(signals.emit(signal)).toBe(true)
    await Promise.resolve()
    record('second', () => void undone.push('second'))
  })
  await expect(work).rejects.toThrow('interrupted\nEvery change was undone.')
  expect(undone).toEqual(['second', 'first'])
  expect(signals.emit(signal)).toBe(false)
})

test('reports an interruption if a signal ended the package manager', async () => {
  const signals = new EventEmitter()
  const work = withUndo(signals, () => {
    signals.emit('SIGINT')
    return Promise.reject(new Error('npm cannot install @acme/kudos: '))
  })
  await expect(work).rejects.toThrow(/^interrupted\n/)
})
