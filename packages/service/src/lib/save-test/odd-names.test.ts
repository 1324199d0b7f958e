import { compileFunction } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Conversation } from './conversation-types.ts'
import { writeTest } from './write-test.ts'

/** Names and texts that people may have: words of the language, quotes, escapes, several scripts, half characters. */
const odd = fc.oneof(
  fc.constantFrom(
    'chat', 'await', 'class', 'constructor', '__proto__', 'answer1', 'test', 'env', 'ann', 'Ann', 'a.b', 'a-b', '1st', '日本', 'é', 'e\u0301',
    '`${x}`', "it's", '"', '\\', '\\"', "\\'", '*/', '//', '</script>', '\u2028', '\u0000', '\ud83d', '\u202e', 'a\nb', '\r\n', '${', '$&', '[0-9]', '',
  ), // prettier-ignore
  fc.string({ unit: 'binary', maxLength: 8 }),
)
const username = odd.filter((text) => text !== '')

interface Act {
  who: string
  what: string
}

/** Runs a generated test with a chat that records what people do, and the expected replies. */
async function played(source: string): Promise<{ title: string; acts: Act[]; replies: string[]; folder: string }> {
  const acts: Act[] = []
  const replies: string[] = []
  let [title, folder] = ['', '']
  const person = (who: string) => {
    const self = {
      says: async (what: string) => void acts.push({ who, what }),
      in: () => self,
      dm: () => self,
    }
    return self
  }
  const code = source
    .replaceAll(/^import .*$/gm, '')
    .replace('await using chat', 'const chat')
    .replaceAll('import.meta.url', "''")
  const run = compileFunction(code, ['test', 'startTestBot', 'URL', 'expect']) as (...given: unknown[]) => void
  let body: () => Promise<void> = async () => {}
  run(
    (name: string, play: typeof body) => {
      title = name
      body = play
    },
    async () => ({ person }),
    class {
      constructor(path: string) {
        folder = path
      }
    },
    () => ({ toHaveReplied: (text: string) => replies.push(text) }),
  )
  await body()
  return { title, acts, replies, folder }
}

test('a generated test repeats every name and text as it was', async () => {
  const step = fc.record({ username, what: odd, reply: odd.filter((text) => text !== '') })
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 4 }),
      odd,
      odd,
      odd,
      async (steps, title, folder, channel) => {
        const conversation: Conversation = {
          channel,
          names: new Map(),
          channels: new Map(),
          steps: steps.map(({ username: who, what, reply }) => ({
            kind: 'message',
            atMs: 0,
            username: who,
            what,
            actions: [{ kind: 'reply', content: reply, embeds: [], buttons: [], emoji: '' }],
          })),
        }
        const found = await played(writeTest(conversation, { title, folder, env: { [title]: title } }))
        expect(found).toEqual({
          title,
          folder,
          acts: steps.map(({ username: who, what }) => ({ who, what })),
          replies: steps.map(({ reply }) => reply),
        })
      },
    ),
    { numRuns: 2000 },
  )
})
