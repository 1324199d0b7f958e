import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { startControlled } from '../health/control/control-rig.test.fixture.ts'

test('a handler that fails is a problem with its first and last error, its line and the people', async () => {
  await using rig = await ChatRig.start(['ann', 'bob'])
  const more = { 'commands/sum.ts': 'export default (ctx) => {\n  throw new Error(`no ${ctx.typed}`)\n}' }
  const { bot, state } = await startControlled(rig, { more })
  for (const [n, who] of (['ann', 'bob', 'ann'] as const).entries()) await rig.says(who, `/sum ${n}`, `c${n}`)
  await rig.until(() => bot.stats().finished === 3)
  const errors = (await state()).problems[0]!.errors!
  expect((await state()).problems).toMatchObject([
    {
      code: 'handler_failing',
      text: expect.stringMatching(
        /^commands\/sum\.ts fails: 3 of 3 runs within the last hour, for 2 people; the last error was at \S+:2$/,
      ) as string,
    },
  ])
  for (const error of Object.values(errors))
    expect(error).toMatchObject({
      line: expect.stringMatching(/sum\.\w+:2$/) as string,
      message: expect.stringMatching(/^no \d$/) as string,
    })
  expect(errors.first.reference).not.toBe(errors.last.reference)
})
