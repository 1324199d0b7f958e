import { expect, test } from 'vitest'
import { sampleFolder } from '../sample-folder.ts'
import { decisionRows } from './decision-rows.ts'
import { describeCoverage, specCoverage, specRows, type SpecRow } from './spec-coverage.ts'

// Built from parts, so that the real check does not mistake the samples for tags.
const tag = (ids: string) => `test('x [spec${': '}${ids}]', () => {})\n`
const service = ['service'] as const
const rows: SpecRow[] = [
  { id: '4/messages.create', what: 'POST /channels/{channel_id}/messages', sides: service },
  { id: '6/member_join', what: 'event member_join', sides: service },
  { id: '8/messages', what: 'limit messages', sides: service },
  { id: 'decisions/24', what: 'the same message twice', sides: ['service', 'client'] },
]

test('lists the endpoints, events, errors and limits of the contract, and the decisions', () => {
  const ids = specRows().map(({ id }) => id)
  expect(ids).toEqual(
    expect.arrayContaining([
      '4/messages.create',
      '4/channelWebhooks.execute',
      '6/member_join',
      '7/404',
      '7/10015',
      '8/messages',
      'decisions/1',
      'decisions/49',
    ]),
  )
  expect(new Set(ids).size).toBe(ids.length)
})

test('numbers the decisions without gaps, each with at least one side', () => {
  expect(decisionRows.map(({ row }) => row)).toEqual(decisionRows.map((_, index) => index + 1))
  expect(decisionRows.every(({ sides, subject }) => sides.length > 0 && subject !== '')).toBe(true)
})

test('counts tagged rows as covered and lists the rest', async () => {
  await using folder = await sampleFolder({
    'packages/service/a.test.ts': `\n${tag('4/messages.create, 8/messages')}`,
    'packages/service/b.test.ts': tag('8/messages'),
    'packages/service/c.ts': tag('6/member_join'),
  })
  const coverage = await specCoverage(folder.root, rows.slice(0, 3))
  expect(coverage.violations).toEqual([])
  expect(describeCoverage(coverage)).toEqual([
    '  §4/messages.create  packages/service/a.test.ts:2',
    '  §8/messages         packages/service/a.test.ts:2 (+1)',
    '  without a test, 1 of 3:',
    '    §6/member_join (service)  event member_join',
  ])
})

test('counts a row as covered only by tests of its sides', async () => {
  await using folder = await sampleFolder({
    'packages/rest/a.test.ts': tag('4/messages.create, decisions/24'),
    'packages/protocol/b.test.ts': tag('8/messages'),
    'packages/service/c.test.ts': tag('6/member_join'),
  })
  const { missing } = await specCoverage(folder.root, rows)
  expect(missing).toEqual([
    expect.objectContaining({ fact: expect.stringContaining('of the service covers §4/messages.create') as string }),
    expect.objectContaining({ fact: expect.stringContaining('of the service covers §8/messages') as string }),
    {
      file: 'packages/service/src/lib/spec',
      fact: 'no test of the service covers §decisions/24 (the same message twice)',
      fix: `write one with [spec${': '}decisions/24] in its title`,
    },
  ])
})

test('reports a tag without a row', async () => {
  await using folder = await sampleFolder({ 'a.test.ts': tag('4/message.create') + tag('nonsense') })
  expect((await specCoverage(folder.root, rows)).violations).toMatchObject([
    { file: 'a.test.ts', line: 1, fix: 'perhaps 4/messages.create' },
    { file: 'a.test.ts', line: 2, fix: 'write <section>/<name> as in the tables of @botwright/protocol' },
  ])
})
