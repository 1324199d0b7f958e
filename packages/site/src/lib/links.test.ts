import { expect, test } from 'vitest'
import { siteLinks } from './links.ts'

const places = new Map([
  ['packages/a/docs/one.md', '/guides/one'],
  ['packages/b/docs/two.md', '/two'],
  ['examples/poll', '/examples/poll'],
])
const from = 'packages/a/docs/one.md'

test('links of the repository become links of the site, with their anchors', () => {
  const text =
    '[two](../../b/docs/two.md#part), [`poll`](../../../examples/poll/), [here](#top), [out](https://example.com)'
  expect(siteLinks(text, from, places)).toEqual({
    text: '[two](/two#part), [`poll`](/examples/poll), [here](#top), [out](https://example.com)',
    lost: [],
  })
})

test('reports a link to a file that is not a page, and leaves code unchanged', () => {
  const code = '`[x](nothing.md)` and\n```ts\nf[0](g.md)\n```\n'
  expect(siteLinks(`${code}[source](../src/index.ts)`, from, places)).toEqual({
    text: `${code}[source](../src/index.ts)`,
    lost: [{ from, target: '../src/index.ts' }],
  })
})
