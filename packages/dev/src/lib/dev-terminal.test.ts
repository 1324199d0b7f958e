import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { BotDraft } from './bot-folder.test.fixture.ts'

const program = fileURLToPath(new URL('../../../framework/bin/framework.cjs', import.meta.url))

/**
 * Runs the program in a pseudo-terminal, which `script` of util-linux opens. The shell of `script` must exec it: a shell that waits for
 * it gets the SIGINT of Ctrl-C too, and some shells then exit with 130 whatever the program returned.
 */
function inTerminal(cwd: string, args: string) {
  const child = spawn('script', ['-qfec', `exec "${process.execPath}" "${program}" ${args}`, '/dev/null'], {
    cwd,
    env: { ...process.env, BOT_TOKEN: '', NO_COLOR: '1', TERM: 'xterm' },
  })
  let output = ''
  child.stdout.on('data', (part: Buffer) => (output += part.toString().replaceAll('\r', '')))
  return { child, ended: once(child, 'exit'), output: () => output, type: (text: string) => child.stdin.write(text) }
}

// The options of `script` are others on macOS, and Windows has none.
describe.skipIf(process.platform !== 'linux')('in a terminal', () => {
  test('keys restart the bot with its files as they are, and end it', async () => {
    await using draft = await BotDraft.make({ 'commands/ping.ts': 'export default () => "pong"' })
    const { ended, output, type } = inTerminal(draft.root, 'dev --port 0')
    await expect.poll(output, { timeout: 20_000 }).toMatch(/Chat +http:\/\/127\.0\.0\.1:\d+\/\n +press h \+ Enter/)
    type('r\n')
    await expect.poll(output, { timeout: 20_000 }).toMatch(/\d\d:\d\d:\d\d {2}⟳ as requested: restarted/)
    await draft.write({ 'commands/ping.ts': 'export default (' })
    await expect.poll(output, { timeout: 20_000 }).toContain('still running the previous version')
    type('r\n')
    await expect.poll(() => output().split('still running the previous version').length, { timeout: 20_000 }).toBe(3)
    type('q\n')
    expect((await ended)[0]).toBe(0)
  })

  test('framework service prints its addresses for people, also outside of a project', async () => {
    const { ended, output, type } = inTerminal(tmpdir(), 'service --port 0')
    await expect.poll(output, { timeout: 20_000 }).toMatch(/Bots +BOT_BASE_URL=http:\S+\/v1\n/)
    expect(output()).toMatch(/Chat +http:\/\/127\.0\.0\.1:\d+\/\n/)
    expect(output()).not.toContain('{"ready"')
    type('\u0003')
    expect((await ended)[0]).toBe(0)
  })
})
