import { faultKinds } from '@botwright/dev/compile'
import type { ArgHelp, Definition } from '@botwright/framework'
import { expect, test } from 'vitest'
import { caseOf, type Stage } from './case-of.ts'

const command = (name: string, ...args: ArgHelp[]): Definition =>
  ({ kind: 'command', file: `commands/${name}.ts`, name, help: { args } }) as unknown as Definition
const tool: ArgHelp = { name: 'tool', takes: 'word', expects: { text: 'kind.text_at_most', values: { count: 40 } } }
const amount: ArgHelp = {
  ...{ name: 'amount', takes: 'word', expects: 'a whole number' },
  number: { whole: true, min: 1, max: 1000 },
}

const stage = (...commands: Definition[]): Stage => ({
  commands,
  says: [],
  events: new Set(),
  places: [['general', 'dm'], ['general', 'dm'], ['dm']],
  known: { people: ['ann', 'bob', 'carol'], roles: [], channels: ['general'], words: ['drill', 'saw', 'ladder'] },
})
const seeds = Array.from({ length: 60 }, (_, i) => i + 1)
const casesOf = (minutes: number, on: Stage) => seeds.map((seed) => caseOf(seed, on, { minutes, faults: faultKinds }))
const textsOf = ({ acts }: ReturnType<typeof caseOf>) => acts.flatMap((act) => (act.do === 'say' ? [act.text] : []))

test.for([1, 30])('all acts are within a play of %d minutes, in order', (minutes) => {
  for (const { acts, lengthMs } of casesOf(minutes, stage(command('borrow', tool)))) {
    const times = acts.map(({ atMs }) => atMs)
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(Math.max(0, ...times)).toBeLessThan(lengthMs)
  }
})

test('people use the values again that they have typed, in most plays', () => {
  const cases = casesOf(30, stage(command('borrow', tool), command('return', tool)))
  const reusing = cases.filter((one) => {
    const borrowed = new Set<string>()
    return textsOf(one).some((text) => {
      const [, name, value = ''] = /^\/(borrow|return) (.+)$/.exec(text) ?? []
      if (name === 'borrow') borrowed.add(value)
      return name === 'return' && borrowed.has(value)
    })
  })
  expect(reusing.length).toBeGreaterThan(seeds.length / 2)
  expect(cases.flatMap(textsOf).some((text) => /^\/return "\{answer \d+\}"$/.test(text))).toBe(true)
})

test('the bounds of a number come within the first plays', () => {
  const first = casesOf(30, stage(command('pay', amount)))
    .slice(0, 3)
    .flatMap(textsOf)
  expect(first).toEqual(expect.arrayContaining(['/pay 1', '/pay 1000']))
})

test('some plays skip days, and each kind of faults can be chosen alone', () => {
  const on = stage(command('borrow', tool))
  const many = Array.from({ length: 200 }, (_, i) => caseOf(i + 1, on, { minutes: 30, faults: faultKinds }))
  const leaps = many.flatMap(({ faults }) => faults.filter(({ kind }) => kind === 'leap'))
  expect(leaps.some((one) => one.kind === 'leap' && one.forMs > 7 * 86_400_000)).toBe(true)
  for (const faults of [['store'], ['permission']] as const)
    for (const { mode, faults: drawn } of seeds.map((seed) => caseOf(seed, on, { minutes: 30, faults })))
      expect(drawn.length > 0).toBe(mode === 'faults')
})

test('a single person is enough', () => {
  const alone = { ...stage(command('borrow', tool)), places: [['general', 'dm']] }
  for (const { acts } of casesOf(30, alone)) expect(acts.every(({ person }) => person === 0)).toBe(true)
})
