import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { Cleanup } from '../../runtime/instance/cleanup.ts'
import type { Identity } from '../../runtime/instance/stage-types.ts'
import { openClusterBackend } from './cluster-backend.ts'
import { MemoryCluster } from './memory-cluster.test.fixture.ts'

const none = () => {}
const log = { debug: none, info: none, warn: none, error: none }

test('a run that waits has its owner, although the code with the first durable handler has just come', async () => {
  const clock = new VirtualClock()
  const cluster = new MemoryCluster(clock)
  const cleanup = new Cleanup(log)
  const options = {
    baseUrl: 'https://x/v1',
    config: {},
    lockFolder: false,
    log,
    source: { root: '.' },
    stateDir: 'none',
  }
  const identity = { connection: { cleanup, clock, options, report: none }, me: { id: 'x', username: 'helper' } }
  const backend = await openClusterBackend(identity as unknown as Identity, cluster)
  await backend.store.set('run:head:1', { id: '1', status: 'waiting' })
  expect(await backend.store.get('run:head:1')).toMatchObject({ value: { machine: backend.member.id } })
  await cleanup.run()
  cluster.close()
})
