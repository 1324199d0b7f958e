import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { inTerminal } from '../in-terminal.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

// The options of `script` differ on macOS, and Windows has none.
describe.skipIf(process.platform !== 'linux')('in a terminal', () => {
  test('keys restart the bot with its current files, and stop it', slow, async () => {
    await using draft = await BotDraft.make({ 'commands/ping.ts': 'export default () => "pong"' })
    const { ended, output, type } = inTerminal(draft.root, 'dev --port 0')
    await expect.poll(output).toMatch(/Chat +http:\/\/127\.0\.0\.1:\d+\/\n +press h \+ Enter/)
    type('r\n')
    await expect.poll(output).toMatch(/\d\d:\d\d:\d\d {2}⟳ as requested: restarted/)
    await draft.write({ 'commands/ping.ts': 'export default (' })
    await expect.poll(output).toContain('still running the previous version')
    type('r\n')
    await expect.poll(() => output().split('still running the previous version').length).toBe(3)
    type('c\n')
    // The window and its history are cleared, and the cursor is at the top.
    await expect.poll(output).toContain('\u001b[2J\u001b[3J\u001b[H')
    type('q\n')
    expect((await ended)[0]).toBe(0)
  })

  test('framework service prints readable addresses, even outside a project', async () => {
    const { ended, output, type } = inTerminal(tmpdir(), 'service --port 0')
    await expect.poll(output).toMatch(/Bots +BOT_BASE_URL=http:\S+\/v1\n/)
    await expect.poll(output).toMatch(/Chat +http:\/\/127\.0\.0\.1:\d+\/\n/)
    expect(output()).not.toContain('{"ready"')
    type('\u0003')
    expect((await ended)[0]).toBe(0)
  })
})
