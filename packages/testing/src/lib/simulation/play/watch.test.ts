import { expect, test } from 'vitest'
import type { Fault } from './cases/case.ts'
import { FoundList } from './found.ts'
import { Places } from './places.ts'
import { watchOutcome } from './watch.ts'
import { Windows } from './windows.ts'

/** The findings of a handler that fails with this message while these faults happen. */
function foundIn(message: string, ...kinds: Fault['kind'][]): string[] {
  const found = new FoundList(new Places('/nowhere'))
  const windows = new Windows({ seed: 1, mode: 'faults', lengthMs: 1, acts: [], faults: [] })
  const options = {
    found,
    faults: { explains: (kind: Fault['kind']) => kinds.includes(kind) },
    played: { ran: new Set(), refused: new Map(), windows },
    crowd: { numberOf: () => undefined, readable: (text: string) => text },
  }
  const outcome = { file: 'commands/a.ts', result: 'error', error: { message, at: 'commands/a.ts:3' } }
  watchOutcome(outcome as never, undefined, options as never)
  return found.all.map(({ kind }) => kind)
}

test('a number in an error of the author is not the status of a failed call', () => {
  expect(foundIn('cannot sell 500 at once')).toEqual(['error'])
  expect(foundIn('cannot sell 500 at once', 'store', 'kill')).toEqual(['error'])
  expect(foundIn('POST /channels/1/messages: 503', 'http')).toEqual([])
  expect(foundIn('injected: the value could not be stored')).toEqual([])
})
