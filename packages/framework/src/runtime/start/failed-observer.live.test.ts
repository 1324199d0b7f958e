import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

const files = { 'commands/ping.ts': "export default () => 'pong'" }
const observer = { ended: () => Promise.reject(new Error('the disk is full')) }

test('a bot whose observer fails at the end still closes', async () => {
  await using rig = await ChatRig.start()
  const bot = await rig.startBot(files, { observer })
  await bot.stop()
  expect(await bot.ended).toEqual({ reason: 'stopped' })
  expect(rig.logged('error')).toEqual(['a part of the bot failed to close; the other parts are still closed'])
})
