import { expect, test } from 'vitest'
import { FunctionRig } from './function-rig.test.fixture.ts'

const files = {
  'commands/ping.ts': 'export default () => "pong"',
  'commands/poll.ts':
    'export default (ctx) => ctx.reply({ content: "vote", components: [{ type: "row", components: [{ type: "button", style: "primary", label: "Yes", custom_id: "vote" }] }] })',
  'buttons/vote.ts': 'export default (ctx) => ctx.update("voted")',
}

test('answers a command and a click that arrive as event webhooks', async () => {
  await using it = await FunctionRig.start(files)
  await it.scheduled()
  await it.rig.says('ann', '/ping')
  expect(await it.texts(1)).toEqual(['pong'])
  await it.rig.says('ann', '/poll')
  expect(await it.texts(2)).toEqual(['pong', 'vote'])
  await it.rig.clicks()
  await it.rig.until(async () => (await it.texts(2)).includes('voted'))
  expect(await it.rig.callbacks()).toEqual(['update'])
})
