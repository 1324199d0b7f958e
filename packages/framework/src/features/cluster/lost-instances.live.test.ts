import { expect, test } from 'vitest'
import { members } from './two-instances.test.fixture.ts'

test('the leader does not wait for the notices to the users of a lost instance', async () => {
  const signup = `export default async (ctx) => 'welcome ' + (await ctx.ask('Your name?'))`
  const config = { messageBudget: { requests: 2, seconds: 3600 } }
  await using it = await members({ 'commands/signup.ts': signup }, { config })
  const { rig, cluster, bots } = it
  await rig.says('ann', '/signup', 'c1')
  await rig.says('ann', '/signup', 'c2')
  await rig.until(() => cluster.members.every(({ keys }) => keys.size === 1))
  await rig.until(async () => (await cluster.store.list('ask:')).length === 2)
  // The leader looks for further lost instances only after this.
  await cluster.cutOff(cluster.members.find(({ leads }) => !leads)!)
  await rig.until(() => bots.some(({ call }) => call.stats().waiting === 1))
  expect(await cluster.store.list('ask:')).toHaveLength(1)
})
