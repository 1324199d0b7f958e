// @module-tag all/commands
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { startDevProcess } from '../dev-process.test.fixture.ts'

test('the session ends if the local service ends while the bot starts', async () => {
  await using draft = await BotDraft.make({
    'commands/ping.ts': "export default () => 'pong'",
    'bot.config.ts': `import { once } from 'node:events'
      const service = process._getActiveHandles().find(({ spawnargs }) => spawnargs?.includes('--world'))
      service.kill('SIGKILL')
      await once(service, 'close')
      export default {}`,
  })
  const { child, ended, output } = startDevProcess(draft)
  // A session that goes on would outlive the test.
  const late = setTimeout(() => child.kill('SIGKILL'), 30_000)
  const code = await ended
  clearTimeout(late)
  expect(output()).toContain('✘ the local service was ended by SIGKILL\n')
  expect(code).toBe(1)
})
