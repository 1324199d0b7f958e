import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ChatRig } from '../tests/chat-rig.test.fixture.ts'

const index = JSON.stringify(join(import.meta.dirname, '../../dist/index.js'))

test('ctx.button creates a button by file name, without an import', async () => {
  await using rig = await ChatRig.start()
  await rig.startBot({
    'buttons/poll/vote.ts': `import { button, oneOf } from ${index}
      export default button({ params: { choice: oneOf('yes', 'no') }, run: (ctx) => ctx.update({ content: ctx.params.choice, components: [] }) })`,
    'buttons/plain.ts': `export default (ctx) => ctx.update('plain')`,
    'commands/ask.ts': `import { row } from ${index}
      export default (ctx) => ({ content: 'Tea?', components: [row(ctx.button('poll/vote', { choice: 'yes' }, { label: 'Yes' }), ctx.button('plain', { label: 'Plain' }))] })`,
    'commands/wrong.ts': `export default async (ctx) => { try { ctx.button('pol/vote') } catch (error) { return error.code + ': ' + error.message } }`,
    'commands/odd.ts': `export default async (ctx) => { try { ctx.button('Show Settings') } catch (error) { return error.message } }`,
    'commands/far.ts': `export default async (ctx) => { try { ctx.button('settings') } catch (error) { return error.message } }`,
    'commands/index-of.ts': `export default async (ctx) => { try { ctx.button('index') } catch (error) { return error.message } }`,
  })
  for (const text of ['/index-of', '/ask', '/wrong', '/far', '/odd']) await rig.says('ann', text)
  await rig.until(async () => (await rig.texts()).length === 10)
  expect(await rig.texts()).toEqual(
    expect.arrayContaining([
      'ERR_DEFINITION: there is no button "pol/vote": did you mean poll/vote?',
      'there is no button "Show Settings": the name of a button is 1 to 32 lowercase letters, digits, - or _',
      'there is no button "index": choose another name',
      'there is no button "settings": write buttons/settings.ts',
    ]),
  )
  const channel_id = rig.channel('general')
  const { messages } = await rig.person('ann').messages.list({ channel_id, limit: 100 })
  const asked = messages.find((message) => message.content === 'Tea?')!
  const [yes, plain] = asked.components[0]!.components
  expect(yes!.custom_id).toMatch(/^poll\/vote\./)
  expect(plain!.custom_id).toBe('plain')
  await rig.person('ann').clicks.create({ channel_id, message_id: asked.id, custom_id: yes!.custom_id! })
  await rig.until(async () => (await rig.texts()).includes('yes'))
})
