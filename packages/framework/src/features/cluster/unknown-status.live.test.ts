import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { MemoryCluster } from './memory-cluster.test.fixture.ts'

test('events that are set aside stay known while the engine does not respond', async () => {
  await using rig = await ChatRig.start()
  const cluster = new MemoryCluster()
  const files = { 'commands/ping.ts': "export default () => 'pong'" }
  const bot = await rig.startBot(files, { cluster, dispatcher: 'inline', config: { health: { port: 0 } } })
  const url = /listening on (\S+)/.exec(rig.logged('info').find((line) => line.startsWith('health endpoint'))!)![1]!
  const ready = async () => (await (await fetch(`${url}/readyz`)).json()) as { set_aside: number }
  const metric = async () =>
    /^botwright_events_set_aside (.*)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]
  await cluster.members[0]!.setAside({ id: 7, type: 'message', data: {}, created_at: '' }, 'it crashed')
  expect([(await ready()).set_aside, await metric()]).toEqual([1, '1'])
  const { status } = cluster
  cluster.status = () => Promise.reject(new Error('no answer'))
  expect([(await ready()).set_aside, await metric()]).toEqual([1, '1'])
  cluster.status = status
  await bot.stop({ graceMs: 0 })
  cluster.close()
})
