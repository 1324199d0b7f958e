import { expect, test } from 'vitest'
import type { BotAction, Conversation, Step } from './conversation-types.ts'
import { writeTest } from './write-test.ts'

const says = (content: string): BotAction => ({ kind: 'reply', content, embeds: [], buttons: ['Yes'], emoji: '' })
const failed = says('Something went wrong (ref abc123).')
const step = (kind: Step['kind'], what: string, actions: BotAction[], on?: Step['on']): Step => ({
  ...{ kind, what, actions, atMs: 0, username: 'ann' },
  ...(on !== undefined && { on }),
})
const written = (steps: Step[]): string => {
  const talk: Conversation = { channel: 'general', steps, names: new Map(), channels: new Map() }
  return writeTest(talk, { title: 't' })
}

test.each([
  ['a handler that failed', step('message', '/poll', [says('Sure?'), failed])],
  ['a click on an unknown message', step('click', '', [says('Sure?')], 'unknown')],
])('refers to no answer that the test does not have: of %s', (_of, first) => {
  const text = written([
    first,
    step('click', 'Yes', [], 0),
    step('message', 'fine', [says('ok')], 0),
    step('react', '👍', [], 2),
  ])
  for (const [name] of text.matchAll(/answer\d+/g)) expect(text).toContain(`const ${name} = `)
  expect(text).toContain("const answer3 = await ann.says('fine')")
  expect(text).toContain("await ann.reacts('👍', answer3)")
  expect(text).toContain('// ann clicks Yes on a message that this test does not have.')
})
