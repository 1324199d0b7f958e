// @module-tag all/redis
// The example `onboarding` on two instances: `framework start --cluster` in processes of their own, a real service, a real Redis.

import { expect } from 'vitest'
import { BotRig } from './bot-rig.test.fixture.ts'
import { describeWithRedis, startRedis, testWithRedis as test } from './redis-rig.test.fixture.ts'

describeWithRedis('the example onboarding on two instances', () => {
  test('guides a newcomer although each instance dies that works on it', async () => {
    await using rig = await BotRig.start(startRedis(), {
      channels: [{ name: 'general' }, { name: 'moderators' }],
      roles: [
        { name: 'member' },
        { name: 'moderator', members: ['bob'] },
        { name: 'porter', permissions: ['manage_roles'], members: ['helper'] },
      ],
    })
    await rig.buildExample('onboarding')
    await rig.instance('onboarding')
    await rig.instance('onboarding')
    const killOwner = async () => {
      const { child, ended } = await rig.owner()
      child.kill('SIGKILL')
      await ended
      await rig.instance('onboarding')
    }
    const server_id = rig.service.world.servers['Workshop']!.id
    const [zoe, bob] = [rig.person('zoe'), rig.person('bob')]
    const { id: botId } = rig.service.world.bots['helper']!
    await zoe.servers.join({ server_id })
    const { channel_id } = await zoe.users.dm({ user_id: botId })
    const texts = async () =>
      (await zoe.messages.list({ channel_id, limit: 100 })).messages.map(({ content }) => content)
    const last = (text: RegExp) => rig.until(async () => text.test((await texts()).at(-1) ?? ''))

    await last(/^Welcome, zoe! Who are you/)
    await killOwner()
    await zoe.messages.create({ channel_id, content: 'I build kites.' })
    const [request] = await rig.buttons(1, 'moderators')
    expect(request!.content).toBe('zoe is new here: I build kites.')
    await killOwner()
    const { custom_id } = request!.components[0]!.components[0]!
    await bob.clicks.create({ channel_id: rig.channel('moderators'), message_id: request!.id, custom_id: custom_id! })
    await last(/^bob made you a member/)
    await killOwner()

    // The step that the dead instance did not record is repeated by the next owner of the channel.
    await rig.until(async () => {
      const runs = rig.run(['runs', 'list', '--json'], { BOT_CLUSTER_URL: rig.redis.url })
      expect(await runs.ended, runs.output()).toBe(0)
      const [run, ...others] = (JSON.parse(runs.output()) as { runs: Record<string, unknown>[] }).runs
      expect(others).toEqual([])
      expect(run).toMatchObject({ file: 'events/member_join.ts', status: 'waiting' })
      return run!['waits_for'] === 'time'
    })
    expect(await texts()).toHaveLength(3)
    expect(await rig.texts('moderators')).toEqual([expect.stringMatching(/^zoe is new here.*\n\*\*Approve\*\*/)])
    const { members } = await zoe.servers.get({ server_id })
    expect(members.find(({ username }) => username === 'zoe')?.roles).toHaveLength(1)
  })
})
