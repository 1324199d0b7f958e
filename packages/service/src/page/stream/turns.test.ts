import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Turns } from './turns.ts'

let frames: (() => void)[] = []
const nextFrame = () => frames.splice(0).forEach((each) => each())

beforeEach(() => {
  frames = []
  vi.stubGlobal('document', { hidden: false, addEventListener: () => {} })
  vi.stubGlobal('addEventListener', () => {})
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame))
  vi.stubGlobal('cancelAnimationFrame', () => (frames = []))
  // No painting: each turn is the first one.
  vi.stubGlobal(
    'MessageChannel',
    class {
      port1 = {}
      port2 = { postMessage: () => {} }
    },
  )
})
afterEach(() => vi.unstubAllGlobals())

it('forgets the events of a turn that a handler clears, and takes later ones', () => {
  const handled: string[] = []
  const turns = new Turns<string>((event) => {
    handled.push(event)
    if (event !== 'leave') return
    turns.clear()
    turns.add('of the next person')
  })
  for (const event of ['first', 'leave', 'of the last person']) turns.add(event)
  nextFrame()
  expect(handled).toEqual(['first', 'leave'])
})

it('handles no events while they are held, and then all of them in their order', () => {
  const handled: string[] = []
  const turns = new Turns<string>((event) => handled.push(event))
  turns.add('before')
  const releases = [turns.hold(), turns.hold()]
  turns.add('after')
  nextFrame()
  releases[0]!()
  nextFrame()
  expect(handled).toEqual([])
  releases[1]!()
  nextFrame()
  expect(handled).toEqual(['before', 'after'])
})
