import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const framework = JSON.stringify(new URL('../../../dist/index.js', import.meta.url).href)

/** Commands with these guards, in a server of ann. */
async function rigOf() {
  const rig = await ChatRig.start(['ann', 'bob', 'eve'])
  const server_id = rig.service.world.servers['Workshop']!.id
  /** Creates a role and gives it to a person. Returns its id. */
  const creates = async (
    by: string,
    role: { name: string; position?: number; permissions?: ['manage_roles'] },
    who: string,
  ) => {
    const { id } = (await rig.person(by).roles.create({ server_id, ...role })).role
    const user_id = rig.service.world.people[who]!.id
    await rig.person(by).moderation.addRole({ server_id, user_id, role_id: id })
    return id
  }
  const start = (guards: Record<string, string>) =>
    rig.startBot(
      Object.fromEntries(
        Object.entries(guards).map(([name, one]) => [
          `commands/${name}.ts`,
          `import { command, hasRole, not } from ${framework}; export default command({ guards: [${one}], run: () => 'done' })`,
        ]),
      ),
    )
  const passes = async (who: string, command: string) => {
    const before = (await rig.texts()).length
    await rig.says(who, `/${command} ${before}`)
    await rig.until(async () => (await rig.texts()).length === before + 2)
    return (await rig.texts()).at(-1) === 'done'
  }
  return { rig, creates, start, passes, [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose]() }
}

test('a role that a member creates under the name of a higher one does not count for it', async () => {
  await using it = await rigOf()
  const { rig, creates, start, passes } = it
  await creates('ann', { name: 'keepers', position: 3, permissions: ['manage_roles'] }, 'eve')
  await creates('eve', { name: 'BOSS', position: 1 }, 'eve')
  await creates('ann', { name: 'boss', position: 5 }, 'bob')
  await creates('eve', { name: 'boss', position: 2 }, 'eve')
  await start({ go: "hasRole('Boss')", others: "not(hasRole('Boss'))" })
  expect([await passes('bob', 'go'), await passes('bob', 'others')]).toEqual([true, false])
  expect(rig.logged('warn')).toEqual([])
  expect([await passes('eve', 'go'), await passes('eve', 'others')]).toEqual([false, true])
  expect(rig.logged('warn')).toEqual([
    'commands/go.ts: hasRole("Boss"): the server "Workshop" has 3 roles with this name, and only the highest counts; pass the id of the role instead',
  ])
})

test(
  'a role with the id of another one as its name does not count for it, and the case of an id does not matter [spec: decisions/52]',
  slow,
  async () => {
    await using it = await rigOf()
    const { creates, start, passes } = it
    const id = await creates('ann', { name: 'boss', position: 2 }, 'bob')
    await creates('ann', { name: id, position: 1 }, 'eve')
    await creates('ann', { name: 'boss', position: 3 }, 'eve')
    await start({ go: `hasRole('${id}')`, upper: `hasRole('${id.toUpperCase()}')` })
    for (const command of ['go', 'upper'])
      expect([await passes('bob', command), await passes('eve', command)]).toEqual([true, false])
  },
)

test('equally high roles with one name all count; composed and decomposed letters are one name', slow, async () => {
  await using it = await rigOf()
  const { rig, creates, start, passes } = it
  await creates('ann', { name: 'caf\u00e9', position: 2 }, 'bob')
  await creates('ann', { name: 'Cafe\u0301', position: 2 }, 'eve')
  await start({ go: "hasRole('CAFE\u0301')" })
  expect([await passes('bob', 'go'), await passes('eve', 'go'), await passes('ann', 'go')]).toEqual([true, true, false])
  expect(rig.logged('warn')).toEqual([])
})

test('of several roles with one name none counts if the service does not report their positions', slow, async () => {
  await using it = await rigOf()
  const { rig, creates, start, passes } = it
  const ids = [
    await creates('ann', { name: 'boss', position: 2 }, 'bob'),
    await creates('ann', { name: 'boss' }, 'eve'),
  ]
  const roles = ids.map((id) => ({ id, name: 'boss' }))
  await rig.fault('GET', '/v1/servers/{server_id}/roles', { then: { status: 200, body: { roles } } })
  await start({ go: "hasRole('boss')", exact: `hasRole('${ids[0]}')` })
  expect([await passes('bob', 'go'), await passes('eve', 'go'), await passes('bob', 'exact')]).toEqual([
    ...[false, false],
    true,
  ])
  expect(rig.logged('warn')).toEqual([
    'commands/go.ts: hasRole("boss"): the server "Workshop" has 2 roles with this name, and none counts: the service does not report their positions; pass the id of the role instead',
  ])
})
