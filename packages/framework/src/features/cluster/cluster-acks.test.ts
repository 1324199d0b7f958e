import { VirtualClock } from '@botwright/clock'
import { type Call, type CallOptions, ClickAnswers } from '@botwright/rest'
import { expect, test } from 'vitest'
import { ServiceClock } from '../delivery/service-clock.ts'
import { ClusterAcks } from './cluster-acks.ts'

test('an ack whose request is repeated counts once', async () => {
  const clock = new VirtualClock()
  const call = (async (_name: string, _input: object, { leaving }: CallOptions) => {
    for (let i = 0; i < 3; i++) await leaving?.()
    return { ok: true }
  }) as unknown as Call
  const nothing = () => undefined
  const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
  const acks = new ClusterAcks({ call, answers: new ClickAnswers(clock), service: new ServiceClock(clock), log })
  const click = { interactionId: 'x', token: 't', expiresAtMs: clock.now() + 900_000 }
  await acks.ack(click, () => true)
  await acks.ack({ ...click, interactionId: 'y' }, () => true)
  expect(acks.sent).toBe(2)
})
