import { processIo } from '@botwright/framework/start'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { compileBot } from './compile-bot.ts'
import { describeBot } from './describe.ts'

/** Loads a bot whose only module begins with this code. */
async function described(code: string, limitMs: number) {
  await using draft = await BotDraft.make({ 'commands/a.ts': `${code}\nexport default () => 'a'` })
  const { source, remove } = await compileBot(draft.root)
  source.provide!('commands/a.ts')
  const { manifest, root, modules } = source
  try {
    return await describeBot({ manifest, root, modules }, { plugins: undefined, io: processIo(), limitMs })
  } finally {
    await remove()
  }
}

test(
  'a bot has its time to load in full on a busy machine, where its thread does not always run',
  { tags: 'all/real-time' },
  async () => {
    // Neither uses the processor nor waits for an event.
    const { definitions } = await described('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4000)', 3000)
    expect(definitions).toHaveLength(1)
  },
)

test.each(['for (;;);', 'setInterval(() => {}, 1000); await new Promise(() => {})'])(
  'a bot that does not finish loading is rejected: %s',
  async (code) => {
    await expect(described(code, 500)).rejects.toThrow(
      'the bot did not finish loading within 0.5 s: is there an endless loop, or an await that never ends, outside of a handler?',
    )
  },
)
