import { AdvanceableClock, systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { quietNow } from './quiet-now.test.fixture.ts'

// A person who waits for an answer, or who is asked something, gets it at night too.

const framework = new URL('../../../dist/index.js', import.meta.url).href
const expired = { then: { status: 404, body: { error: 'the interaction has expired' } } }

test.each([
  ['a reply', "return 'Hello ' + name"],
  ['the notice of an error', "throw new Error('broken')"],
])('%s to a click that has expired since is not held', async (_, code) => {
  await using rig = await ChatRig.start()
  const files = {
    'commands/join.ts': `import join from '../buttons/join.mjs'
      import { row } from '${framework}'
      export default () => ({ content: 'Join', components: [row(join.button({ label: 'Join' }))] })`,
    'buttons/join.ts': `import { button } from '${framework}'
      export default button({ run: async (ctx) => {
        const name = await ctx.ask('Your name?')
        ${code}
      } })`,
  }
  await rig.startBot(files, { config: { quietHours: quietNow } })
  await rig.says('ann', '/join')
  await rig.clicks()
  await rig.until(async () => (await rig.texts()).includes('Your name?'))
  await rig.fault('POST', '/v1/interactions/*', { ...expired, times: 10 })
  await rig.says('ann', 'Ann')
  await rig.until(async () => (await rig.texts()).some((text) => /^Hello Ann$|^<@.*went wrong/.test(text)))
})

test('the request of ctx.approve is not held, and can be decided at night', async () => {
  await using rig = await ChatRig.start()
  const files = {
    'commands/spend.ts': `import { command, guard } from '${framework}'
      const anyone = guard({ describe: 'anyone', refusal: '', check: () => true })
      export default command({ description: 'Spends', durable: true, run: async (ctx) => {
        const { approved } = await ctx.approve({ in: '#random', title: 'Spend?', by: anyone, timeout: '3d' })
        return approved ? 'Spent.' : 'Kept.'
      } })`,
  }
  await rig.startBot(files, { config: { quietHours: quietNow } })
  await rig.says('ann', '/spend')
  await rig.clicks('random')
  await rig.until(async () => (await rig.texts()).includes('Spent.'))
})

test('the click on a message that is held cannot be waited for', async () => {
  await using rig = await ChatRig.start()
  const files = {
    'commands/poll.ts': `import { row } from '${framework}'
      const yes = { type: 'button', style: 'primary', label: 'Yes', custom_id: 'yes' }
      export default async (ctx) => {
        const asked = await ctx.send(ctx.channel_id, { content: 'Well?', components: [row(yes)] })
        await ctx.clicked(asked, { timeout: '1h' })
      }`,
  }
  const clock = new AdvanceableClock(systemClock)
  await rig.startBot(files, { clock, config: { quietHours: quietNow } })
  await rig.says('ann', '/poll')
  await rig.until(() => rig.logged('error').length > 0)
  expect(rig.logged('error')[0]).toContain('ctx.clicked: the message is held until')
})
