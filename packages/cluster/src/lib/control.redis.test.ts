// @module-tag all/redis
// The control room of a real cluster: from any instance, and while Redis is gone.

import { expect, test } from 'vitest'
import { BotRig, type InstanceProcess } from './bot-rig.test.fixture.ts'
import { describeWithRedis } from './redis-rig.test.fixture.ts'

const token = 'a-control-token-for-tests'
const env = { BOT_HEALTH_PORT: '0', BOT_CONTROL_TOKEN: token }

interface State {
  ready: boolean
  problems: { code: string; text: string }[]
  local: string[]
  unavailable: Record<string, string>
  cluster: {
    id: string
    leads: boolean
    leader: string
    away_seconds: number | null
    instances: { id: string }[] | null
  }
  dead_letters: { total: number; newest: { id: number }[] } | null
  tasks: { name: string; last: object | null; next_at: string }[] | null
  files: { file: string; runs: number }[]
}

const ask = (instance: InstanceProcess, path: string, method = 'GET') => {
  const url = /control room: ([^\s"]+)/.exec(instance.output())![1]!
  return fetch(url + path, { method, headers: { authorization: `Bearer ${token}` } })
}
const stateOf = async (instance: InstanceProcess) => (await (await ask(instance, '/state')).json()) as State

describeWithRedis('the control room of a cluster', () => {
  test('shows the cluster from each instance, replays on each, and reports that Redis is gone', async () => {
    await using rig = await BotRig.start()
    const config = 'export default { messageBudget: false, health: { port: 0, control: { actions: true } } }'
    const files = {
      'commands/exit.ts': 'export default () => process.exit(3)',
      'tasks/beat.ts':
        "import { task } from '@botwright/framework'; export default task({ every: '1s', run: () => {} })",
    }
    rig.build('one', files, config)
    const instances = [await rig.instance('one', env), await rig.instance('one', env)]
    await rig.until(async () => (await Promise.all(instances.map(stateOf))).every(({ ready }) => ready))
    await rig.says('/exit')
    const isSetAside = async (one: InstanceProcess) => (await stateOf(one)).dead_letters?.total === 1
    for (const one of instances) await rig.until(() => isSetAside(one))
    for (const one of instances) await rig.until(async () => (await stateOf(one)).tasks?.[0]?.last !== null)

    const states = await Promise.all(instances.map(stateOf))
    expect(states.map(({ cluster }) => cluster.leads).toSorted()).toEqual([false, true])
    expect(new Set(states.map(({ cluster }) => cluster.leader)).size).toBe(1)
    for (const { cluster, local, unavailable } of states) {
      expect(cluster.instances!.map(({ id }) => id)).toContain(cluster.id)
      expect(cluster).toMatchObject({ instances: [{}, {}], away_seconds: null })
      expect({ local, unavailable }).toMatchObject({ local: expect.arrayContaining(['files']), unavailable: {} })
    }

    const follower = instances[states.findIndex(({ cluster }) => !cluster.leads)]!
    const { id } = states[0]!.dead_letters!.newest[0]!
    expect(await (await ask(follower, `/events/${id}/replay`, 'POST')).json()).toEqual({ replayed: id })
    expect((await ask(follower, '/events/999999/replay', 'POST')).status).toBe(404)
    await rig.until(async () => (await stateOf(follower)).dead_letters?.total === 0)

    await rig.redis.kill()
    for (const one of instances) {
      await rig.until(async () => (await stateOf(one)).problems.some(({ code }) => code === 'cluster_unreachable'))
      const state = await stateOf(one)
      expect(state).toMatchObject({ ready: false, dead_letters: null, tasks: null, cluster: { instances: null } })
      expect(state.cluster.away_seconds).toBeGreaterThan(0)
      expect(Object.keys(state.unavailable).toSorted()).toEqual([
        'dead_letters',
        'held',
        'requests',
        'runs',
        'switches',
        'tasks',
      ])
      expect(state.problems.map(({ code }) => code)).not.toContain('token_refused')
    }
    await rig.redis.start()
    for (const one of instances) await rig.until(async () => (await stateOf(one)).ready)
  })
})
