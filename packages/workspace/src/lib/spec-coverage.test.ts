import { expect, test } from 'vitest'
import { sampleFolder } from './sample-folder.ts'
import { describeCoverage, specCoverage, specRows } from './spec-coverage.ts'

// Put together here, so that the real check does not take the samples for tags.
const tag = (ids: string) => `test('x [spec${': '}${ids}]', () => {})\n`
const rows = [
  { id: '4/messages.create', what: 'POST /channels/{channel_id}/messages' },
  { id: '6/member_join', what: 'event member_join' },
  { id: '8/messages', what: 'limit messages' },
]

test('the rows come from the contract: endpoints, events, both kinds of errors, limits', () => {
  const ids = specRows().map(({ id }) => id)
  expect(ids).toEqual(
    expect.arrayContaining([
      '4/messages.create',
      '4/channelWebhooks.execute',
      '6/member_join',
      '7/404',
      '7/10015',
      '8/messages',
    ]),
  )
  expect(new Set(ids).size).toBe(ids.length)
})

test('a tag claims its rows; the rest is listed', async () => {
  await using folder = await sampleFolder({
    'a.test.ts': `\n${tag('4/messages.create, 8/messages')}`,
    'b.test.ts': tag('8/messages'),
    'c.ts': tag('6/member_join'),
  })
  const coverage = await specCoverage(folder.root, rows)
  expect(coverage.violations).toEqual([])
  expect(describeCoverage(coverage)).toEqual([
    '  §4/messages.create  a.test.ts:2',
    '  §8/messages         a.test.ts:2 (+1)',
    '  without a test, 1 of 3:',
    '    §6/member_join  event member_join',
  ])
})

test('a tag that names no row is a violation', async () => {
  await using folder = await sampleFolder({ 'a.test.ts': tag('4/message.create') + tag('nonsense') })
  expect((await specCoverage(folder.root, rows)).violations).toMatchObject([
    { file: 'a.test.ts', line: 1, fix: 'perhaps 4/messages.create' },
    { file: 'a.test.ts', line: 2, fix: 'write <section>/<name> as the tables of @botwright/protocol name it' },
  ])
})
