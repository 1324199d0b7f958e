import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const framework = JSON.stringify(new URL('../../../dist/index.js', import.meta.url).href)

/** A bot with the command `/mute`, which needs a permission of the bot. */
async function rigOf(guard = "botHasPermission('Timeout members')") {
  const rig = await ChatRig.start(['ann'])
  const server_id = rig.service.world.servers['Workshop']!.id
  const bot_id = rig.service.world.bots['helper']!.id
  await rig.startBot({
    'commands/mute.ts': `import { allOf, anyOf, botHasPermission, command, not, ownerOnly } from ${framework}; export default command({ guards: [${guard}], run: () => 'muted' })`,
  })
  const { roles, moderation } = rig.person('ann')
  return {
    rig,
    /** Creates a role and gives it to the bot, unless `to` is null. */
    async role(name: string, permissions: 'timeout_members'[], { to = bot_id }: { to?: string | null } = {}) {
      const role_id = (await roles.create({ server_id, name, permissions })).role.id
      if (to !== null) await moderation.addRole({ server_id, user_id: to, role_id })
    },
    /** The bot's reply to `/mute`. */
    async reply() {
      const before = (await rig.texts()).length
      await rig.says('ann', `/mute ${before}`)
      await rig.until(async () => (await rig.texts()).length === before + 2)
      return (await rig.texts()).at(-1)
    },
    [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose](),
  }
}

test('the reply of a command whose bot lacks a permission names it, and the log has the file and the server, once', async () => {
  await using it = await rigOf()
  const text = 'I need the permission "Timeout members" for this. Give me a role that has it.'
  expect(await it.reply()).toBe(text)
  expect(await it.reply()).toBe(text)
  expect(it.rig.logged('warn')).toEqual([
    'commands/mute.ts: the bot lacks the permission "Timeout members" in the server "Workshop"; give it a role with this permission',
  ])
})

test('the refusal names the role of the server that has the permission', slow, async () => {
  await using it = await rigOf()
  await it.role('Mods', ['timeout_members'], { to: null })
  expect(await it.reply()).toBe(
    'I need the permission "Timeout members" for this. Give me a role that has it, such as Mods.',
  )
})

test('the refusal names the role of the bot', slow, async () => {
  await using it = await rigOf()
  await it.role('Helpers', [])
  expect(await it.reply()).toBe('I need the permission "Timeout members" for this. Add it to my role Helpers.')
})

test('a bot with the permission passes at once', slow, async () => {
  await using it = await rigOf()
  await it.role('Helpers', ['timeout_members'])
  expect(await it.reply()).toBe('muted')
})

test('if the service does not report permissions, the command runs, and its call may fail', slow, async () => {
  await using it = await rigOf()
  await it.rig.fault('GET', '/v1/servers/{server_id}/roles', { then: { status: 200, body: { roles: [{ id: 'x' }] } } })
  expect(await it.reply()).toBe('muted')
})

test.each([
  ["not(botHasPermission('Timeout members'))", 'muted'],
  ["anyOf([ownerOnly(), botHasPermission('Timeout members')])", 'muted'],
  [
    "allOf([ownerOnly(), botHasPermission('Timeout members')])",
    'I need the permission "Timeout members" for this. Give me a role that has it.',
  ],
])('%s combines it like any other guard', slow, async (guard, reply) => {
  await using it = await rigOf(guard)
  expect(await it.reply()).toBe(reply)
})
