// @module-tag all/live
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { startBot, withImports } from './route-rig.test.fixture.ts'

// A save adds the first route, whose port another program uses.

test('the tasks and commands of code whose port cannot be opened apply, and the next reload opens it', async () => {
  await using rig = await ChatRig.start()
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  const bot = await startBot(rig, { 'commands/ping.ts': "export default () => 'pong'" }, { config: { http: { port } } })
  const files = withImports({
    'commands/ping.ts': "export default () => 'pong'",
    'commands/new.ts': "export default (ctx) => ctx.schedule('later', { in: 1 }).then(() => 'scheduled')",
    'tasks/later.ts': `export default (ctx) => ctx.send('${rig.channel('random')}', 'later')`,
    'routes/hello.ts': "export default route({ verify: false, respond: true, run: () => 'hello' })",
  })
  await expect(bot.replace(rig.source(files))).rejects.toThrow(`port ${port}`)
  const { commands } = await bot.call('commands.list', {})
  expect(commands.map(({ name }) => name).toSorted()).toEqual(['help', 'new', 'ping'])
  await rig.says('ann', '/new')
  await rig.until(async () => (await rig.texts('random')).includes('later'))
  await new Promise((resolve) => other.close(resolve))
  await bot.replace(rig.source(files))
  const response = await fetch(`http://127.0.0.1:${port}/hello`, { method: 'POST' })
  expect(await response.text()).toBe('hello')
})
