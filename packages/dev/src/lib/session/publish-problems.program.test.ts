import type { BotProblems } from '@botwright/service/people'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { startDev, stop } from '../dev-process.test.fixture.ts'
import { startPerson } from '../test-person.fixture.ts'

const good = "export default () => 'pong'"
const bad = "export default () =>> 'pong'"

test('the page shows code that does not load, until it loads or is as before', { tags: 'all/commands' }, async () => {
  await using draft = await BotDraft.make({ 'commands/ping.ts': good })
  const dev = await startDev(draft)
  try {
    await expect.poll(dev.output).toContain('Chat')
    const ann = await startPerson(/http:\/\/127\.0\.0\.1:\d+/.exec(dev.output())![0], 'ann')
    const problems = async (): Promise<BotProblems[]> => (await ann.api.inspector.timelines()).problems
    expect(await problems()).toEqual([])
    await draft.write({ 'commands/ping.ts': bad })
    const path = draft.root.replaceAll('\\', '/').replace(/^\//, '')
    await expect.poll(problems).toMatchObject([
      {
        serving: 'previous',
        problems: [
          {
            message: 'Unexpected ">"',
            at: 'commands/ping.ts:1',
            link: `vscode://file/${path}/commands/ping.ts:1`,
            frame: { line: 1, column: 21, lines: [{ number: 1, text: bad }] },
          },
        ],
      },
    ])
    await draft.write({ 'commands/ping.ts': good })
    await expect.poll(problems).toEqual([])
  } finally {
    await stop(dev)
  }
})
